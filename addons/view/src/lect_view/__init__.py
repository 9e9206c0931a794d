"""What a model sees and says, as a picture: one HTML document that needs nothing from outside."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lect_view.compare import word_diff
    from lect_view.reply import Recorded, Step, record
    from lect_view.shown import html, picture

__all__ = ["Recorded", "Step", "html", "picture", "record", "word_diff"]


def __getattr__(name: str) -> Any:
    # `lect --help` imports the package for its command, and must not wait for the rest.
    if name in __all__:
        from lect_view import shown

        return getattr(shown, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
