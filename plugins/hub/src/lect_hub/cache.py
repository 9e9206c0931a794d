"""Where the files of a model on the hub are: in the local cache, or there once they are fetched."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING, NoReturn

from lect.errors import SourceError, saferepr

if TYPE_CHECKING:
    from huggingface_hub.hf_api import HfApi, ModelInfo

TEMPLATES = ("chat_template.jinja", "chat_template.json", "tokenizer_config.json")
"""The files that may hold a template."""
WANTED = frozenset({
    *TEMPLATES, "tokenizer.json", "special_tokens_map.json", "added_tokens.json", "generation_config.json",
    "config.json", "adapter_config.json",
})  # fmt: skip
MORE = "additional_chat_templates/"
MOST_BYTES = 2 << 20
MOST_FILES = 64
OFFLINE = "LECT_OFFLINE"
SECONDS = 20.0


class HubError(SourceError):
    """A model on the hub cannot be read."""


@lru_cache(maxsize=256)
def located(path: str) -> str:
    """Return the directory with the files of a model: `hf:owner/name` or `hf:owner/name@revision`.

    What the local cache has is taken as it is. Otherwise the few small files that say how to talk to a model are
    fetched, unless `HF_HUB_OFFLINE` or `LECT_OFFLINE` is set.

    Raises:
        HubError: If the model is not there, or may not be read, or has no template.
    """
    name, _, revision = path.removeprefix("hf:").partition("@")
    known = _cached(name, revision or None)
    return known or _fetched(name, revision or None)


def _cached(name: str, revision: str | None) -> str:
    """Return the directory of the cache with a template of that model; empty if there is none."""
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        found = (try_to_load_from_cache(name, each, revision=revision) for each in TEMPLATES)
        # For a file that is known to be missing, it returns an object that says so.
        return next((os.path.dirname(each) for each in found if isinstance(each, str)), "")
    except HFValidationError as error:
        _refuse(name, "is no name of a model on the hub", "hf:owner/name", error)


def _fetched(name: str, revision: str | None) -> str:
    """Fetch the small files of a model, and return their directory."""
    from huggingface_hub import HfApi, constants
    from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError, RevisionNotFoundError

    if os.environ.get(OFFLINE, "0") not in ("", "0") or constants.HF_HUB_OFFLINE:
        _refuse(name, "is not in the local cache, and nothing may be fetched", f"unset {OFFLINE} and HF_HUB_OFFLINE")
    api = HfApi()
    try:
        info = api.model_info(name, revision=revision, files_metadata=True, timeout=SECONDS)
        files = [each for each in _small_files(info) if _is_small(api, name, each, info.sha)]
        if not any(each in TEMPLATES or each.startswith(MORE) for each in files):
            _refuse(name, "has no chat template there", f"{name!r}, if a family knows it, or adapter='chatml'")
        # By the name of the revision, so that the cache knows what it stands for.
        paths = [api.hf_hub_download(name, each, revision=revision) for each in files]
    except HubError:
        raise
    except GatedRepoError as error:
        _refuse(name, "is gated", "accept its terms on its page, then `hf auth login`", error)
    except RevisionNotFoundError as error:
        _refuse(name, f"has no revision {saferepr(revision)}", f"hf:{name}", error)
    except RepositoryNotFoundError as error:
        _refuse(name, "is not there, or private", "its spelling, or `hf auth login`", error)
    # Whatever the client for HTTP raises: it has changed from one version to the next.
    except Exception as error:
        _refuse(name, f"cannot be fetched: {saferepr(str(error), 200)}", "again, or a directory on disk", error)
    # The files lie in one directory, except those of `additional_chat_templates`.
    return min(map(os.path.dirname, paths), key=len)


def _small_files(info: ModelInfo) -> list[str]:
    """Return the files of a model that say how to talk to it, as far as they are small."""
    names = [each.rfilename for each in info.siblings or () if each.size is not None and each.size <= MOST_BYTES]
    further = [name for name in names if name.startswith(MORE) and name.endswith(".jinja")]
    return [*(name for name in names if name in WANTED), *further[:MOST_FILES]]


def _is_small(api: HfApi, name: str, file: str, commit: str | None) -> bool:
    """Return whether a file is as small as its listing says."""
    from huggingface_hub import hf_hub_url

    address = hf_hub_url(name, file, revision=commit)
    size = api.get_hf_file_metadata(url=address, timeout=SECONDS).size
    return size is not None and size <= MOST_BYTES


def _refuse(name: str, what: str, advice: str, error: Exception | None = None) -> NoReturn:
    raise HubError(f"{saferepr(name, 200)} {what}\n  try: {advice}") from error
