"""Media: how many tokens an image, a video or a sound is for a model, and the text that becomes of it."""

from lect_media.checkpoint import own_numbers as own_numbers  # `lect.resolve` calls it.
from lect_media.count import expansions, media_tokens
from lect_media.expanded import expanded as expanded  # `prompt.expand` calls it.
from lect_media.expansion import Expansion, expand
from lect_media.headers import Size
from lect_media.images import image_bytes, image_size
from lect_media.items import Item
from lect_media.parts import image_of, item_of
from lect_media.places import Place
from lect_media.places import media_places as media_places  # `prompt.media` calls it.
from lect_media.spliced import Spliced as Spliced  # `spliced` returns it.
from lect_media.spliced import ids_instead, spliced
from lect_media.texts import Run

__all__ = [
    "Expansion", "Item", "Place", "Run", "Size", "expand", "expansions", "ids_instead", "image_bytes", "image_of",
    "image_size", "item_of", "media_tokens", "spliced",
]  # fmt: skip
