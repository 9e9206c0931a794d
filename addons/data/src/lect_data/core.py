"""What this package uses of core's command line: the only place where it imports private modules."""

from lect.cli.inputs import option
from lect.cli.screen import Screen
from lect.cli.sources import load_tokenizer

__all__ = ["Screen", "load_tokenizer", "option"]
