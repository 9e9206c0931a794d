"""Templates as Ollama's Modelfiles. They can be written, but not read."""

from lect_ollama.proof import renderer
from lect_ollama.writing import write

__lect_api__ = "~=1.0"

__all__ = ["notation"]


class Notation:
    """Writes Modelfiles."""

    write = staticmethod(write)
    renderer = staticmethod(renderer)


notation = Notation()
