"""Model directories whose only template is a chat_template.json of PaddleNLP's."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import lect
from lect.plugin import Match, Specificity, hookimpl
from lect_paddlenlp.fields import FILE

if TYPE_CHECKING:
    from lect.plugin import ModelRef, Template


class Directories:
    """The adapter for such directories. A Hugging Face template next to the file is the stronger claim."""

    name = "paddlenlp"

    @hookimpl
    def match(self, ref: ModelRef) -> Match | None:
        """Claim a directory with the file, unless it is Hugging Face's file of the same name."""
        if ref.place is None or not os.path.isfile(os.path.join(ref.place, FILE)):
            return None
        try:
            self.get_template(ref)
        except lect.SourceError:
            return None
        return Match(Specificity.MODEL_TYPE, "", reason=f"{FILE} is there, in PaddleNLP's notation")

    @hookimpl
    def get_template(self, ref: ModelRef) -> Template:
        """Return the directory's template."""
        return lect.load_template(os.path.join(ref.place or "", FILE), notation="paddlenlp")


adapter = Directories()
