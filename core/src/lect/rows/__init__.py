"""Rows of data sets."""
