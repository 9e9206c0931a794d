"""What this package uses of core beside the public names: the only place where it imports private modules."""

from lect.cli.inputs import option
from lect.cli.screen import Screen
from lect.cli.sources import load_tokenizer
from lect.json_schema import SchemaView
from lect.outputs import replacing

__all__ = ["SchemaView", "Screen", "load_tokenizer", "option", "replacing"]
