"""Notations: a template written as Jinja, a grammar as a response template, and both read again.

It imports `engine`, `files` and `identity`.
"""
