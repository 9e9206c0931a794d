"""A model's own template, and whose it is: loaded, compared with ours, and recognised by its text or its tree.

It imports `engine`, `files` and `replies`.
"""
