"""Commands of this package for `lect`."""
