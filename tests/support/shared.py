"""The folder beside the repository with what is not ours to redistribute: the makers' templates and tokenizers, and what
was measured with them. Nearly nobody has it: a test that needs it is skipped without it."""

from repository import REPOSITORY

SHARED = REPOSITORY.parent / "shared"
