"""The input of commands that compare or convert templates: a file, a template's name, or a model."""

from __future__ import annotations

import os
from argparse import ArgumentParser

import lect
from lect.cli.inputs import utf8


def add_source(
    parser: ArgumentParser,
    name: str,
    metavar: str,
    words: str = "a file with a template, a template's name such as chatml, or a model",
) -> None:
    """Add an argument that names a template."""
    parser.add_argument(name, metavar=metavar, type=utf8, help=words)


def add_notation(parser: ArgumentParser, *names: str) -> None:
    """Add the option for a file's notation; `names` are other names for the option."""
    parser.add_argument(
        "--notation", *names, metavar="NOTATION", help="the notation of the file, if its fields do not show it"
    )


def find_template(word: str, notation: str | None = None) -> lect.Template:
    """Return the template that a word names.

    A file that exists is read. Any other word is the name of a template, or else a model.

    Raises:
        LectError: If it is none of these.
    """
    path = os.path.expanduser(word)
    if os.path.isfile(path):
        return lect.load_template(os.path.abspath(path), notation=notation)
    try:
        return lect.template(word)
    except lect.UnknownTemplateError as error:
        try:
            return lect.resolve(word).template
        except lect.InvalidModelPathError:
            # With a colon in it, it was meant to be the name of a template.
            raise error from None
        except lect.UnknownModelError:
            if notation is None:
                raise
            # It was meant to be a file, and this says what is wrong with it.
            return lect.load_template(os.path.abspath(path), notation=notation)
