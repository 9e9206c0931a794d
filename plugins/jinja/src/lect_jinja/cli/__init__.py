"""Commands of this package for `lect`. They import `check`."""
