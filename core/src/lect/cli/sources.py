"""What commands read besides conversations: a template from a file, by its name or of a model."""

import os
from argparse import ArgumentParser

import lect
from lect.registry.refs import PLACES

SOURCE = "a file with a template, a template's name such as chatml, or a model"


def add_notation(parser: ArgumentParser, *names: str) -> None:
    """Add the option for a file's notation; `names` are other names for the option."""
    help_text = "the notation of the file, if its fields do not show it"
    parser.add_argument("--notation", *names, metavar="NOTATION", help=help_text)


def find_template(word: str, notation: str | None = None) -> lect.Template:
    """Return the template in a file or a model directory that exists; else the one that has this name, or a model has.

    A directory's own template is taken even where it is known to be that of a family.
    """
    path = os.path.expanduser(word)
    if os.path.isfile(path):
        return lect.load_template(os.path.abspath(path), notation=notation)
    if word.startswith(PLACES) and os.path.isdir(path):
        try:
            return lect.load_template(word, notation=notation)
        except lect.SourceError:
            # It may have no template of its own; if it has one that cannot be used, this raises the same.
            return lect.resolve(word).template
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
