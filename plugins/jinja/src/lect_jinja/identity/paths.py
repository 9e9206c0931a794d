"""The adapter for models on disk: a directory with a chat template, a GGUF file, a LoRA adapter."""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

import lect
from lect.errors import LectError, saferepr
from lect.plugin import Match, Specificity, hookimpl, locate
from lect_jinja.files.directory import ForeignNotationError, files_read, read_directory
from lect_jinja.files.found import DEFAULT, TOOL_USE
from lect_jinja.files.gguf import read_gguf
from lect_jinja.files.untrusted import ModelFileError, refuse
from lect_jinja.identity.family import Identity, identify, nearest
from lect_jinja.identity.knowledge import fingerprint
from lect_jinja.identity.revisions import revision

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lect.plugin import ModelRef, Template
    from lect_jinja.files.found import ModelFiles

LONGEST_CHAIN = 4
"""How many LoRA adapters may be chained."""
MOST_REMEMBERED = 256
PLACES = ("/", "./", "../", "~/")
"""How the path of a model on disk begins."""
SHARES = ("//", "/\\", "\\\\", "\\/")
"""How the path of a network share begins: looking at one means asking another machine."""
BOS_AND_EOS = ("bos_token", "eos_token")

Stamp = tuple[tuple[int, int, int] | None, ...]
"""The modification time, size and inode of each file that is looked at; None for one that is missing."""


class LocalModel(NamedTuple):
    """A model on disk.

    Attributes:
        files: What its files say: those with the template, or those of the last LoRA adapter.
        adapters: The LoRA directories that led there.
        stamps: The state of all files when they were read, by directory or GGUF file.
    """

    files: ModelFiles
    adapters: tuple[str, ...]
    stamps: dict[str, Stamp]

    @property
    def is_fresh(self) -> bool:
        """Whether no file has changed since it was read."""
        return all(_stamp(path) == stamp for path, stamp in self.stamps.items())


def read_local(path: str) -> LocalModel | None:
    """Return the model at a path, following LoRA adapters; None if nothing there could be one.

    Args:
        path: A directory or a GGUF file. `#name` may follow: then that template is used, as if it were the only one.

    Raises:
        ModelFileError: If a file cannot be used, there is no template of that name, or adapters form a circle.
    """
    if path.startswith(SHARES):
        refuse(
            path, "is a network share: looking at it would ask another machine", "the path under which it is mounted"
        )
    path, name = _parted(path)
    adapters: list[str] = []
    stamps: dict[str, Stamp] = {}
    while True:
        stamps[path] = _stamp(path)
        files = _read(path)
        if files is None or files.templates or not _is_on_disk(files.base):
            return None if files is None else LocalModel(_chosen(files, name), tuple(adapters), stamps)
        adapters.append(path)
        path = files.base
        if path in stamps or len(adapters) > LONGEST_CHAIN:
            refuse(
                adapters[-1], f"is a LoRA adapter whose chain of base models is circular or too long: {saferepr(path)}"
            )


def read_files(path: str) -> ModelFiles:
    """Return what the files of the model at a path say; it must have a template.

    Raises:
        ModelFileError: If it has none, or its files cannot be used.
    """
    local = read_local(locate(path))
    if local is None or not local.files.templates:
        what = "has no chat template" if _is_there(path) else "does not exist"
        refuse(path, what, "a model directory with a chat template, or a .gguf file")
    return local.files


def _is_there(path: str) -> bool:
    return os.path.lexists(os.path.expanduser(_parted(path)[0]))


def _parted(path: str) -> tuple[str, str]:
    """Split a path into the place and the name of a template: `./command-r` and `rag` for `./command-r#rag`."""
    place, _, name = path.rpartition("#")
    return (place, name) if place and not os.path.lexists(os.path.expanduser(path)) else (path, "")


def _chosen(files: ModelFiles, name: str) -> ModelFiles:
    """Return the files with only the template of that name; unchanged, with the default one, if the name is empty."""
    if name in files.templates:
        return files.only(name)
    if name or (files.templates and not files.source):
        names = list(files.templates)
        what = f"only {', '.join(map(saferepr, names))}" if names else "and no other"
        advice = saferepr(f"{files.path}#{names[0]}", 200) if names else "a directory with chat_template.jinja"
        refuse(files.path, f"has no chat template called {saferepr(name or DEFAULT)}, {what}", advice)
    return files


def _read(path: str) -> ModelFiles | None:
    real = os.path.expanduser(path)
    if os.path.isfile(real):
        return read_gguf(path) if real.lower().endswith(".gguf") else None
    return read_directory(path) if os.path.lexists(real) else None


def _is_on_disk(base: str) -> bool:
    """Return whether a LoRA adapter's base is a path that exists here; that of a published one often does not."""
    return base.startswith(PLACES) and not base.startswith(SHARES) and os.path.exists(os.path.expanduser(base))


def _stamp(path: str) -> Stamp:
    real = os.path.expanduser(path)
    return tuple(map(_file_stamp, (real, *files_read(real))))


def _file_stamp(path: str) -> tuple[int, int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def is_installed(module: str) -> bool:
    """Return whether a module could be imported."""
    return find_spec(module) is not None


class LocalModels:
    """Handles directories and GGUF files that have a chat template, or lead to a model that has one."""

    name = "jinja"

    def __init__(self) -> None:
        self._known: dict[str, tuple[LocalModel, Identity | None]] = {}

    @hookimpl
    def match(self, ref: ModelRef) -> Match | None:
        """Claim paths with a chat template, even one that cannot be read, and LoRA adapters of any model."""
        if ref.place is None:
            return None
        try:
            local = self._read(ref.place)
        except ForeignNotationError:
            return None if is_installed("lect_paddlenlp") else Match(Specificity.REPO, ref.path)
        except ModelFileError:
            # `get_template` says what is wrong with it.
            return Match(Specificity.REPO, ref.path, reason="its files were found")
        if local is None or not (local.files.templates or local.files.base):
            return None
        origin = local.files.origin or "a named template"
        reason = f"found {origin}" if local.files.templates else f"a LoRA adapter of {local.files.base}"
        return Match(Specificity.REPO, ref.path, reason=reason)

    @hookimpl
    def near_miss(self, ref: ModelRef) -> str | None:
        """Say what is missing at a path that has no chat template."""
        if ref.place is None:
            return None
        place, _ = _parted(ref.place)
        if os.path.isfile(os.path.expanduser(place)):
            return f"it is a file; give its directory, {saferepr(os.path.dirname(place), 200)}"
        return "it has no chat template" if _is_there(ref.place) else None

    @hookimpl
    def get_template(self, ref: ModelRef) -> Template:
        """Return the family's template that is the same, or the model's own."""
        return self.known(ref)[1].template

    @hookimpl
    def remarks(self, ref: ModelRef, template: Template) -> Iterator[str]:
        """Say what was read, whose template it is, and how the format of replies was chosen."""
        local, identity = self.known(ref)
        if template is not identity.template:
            return
        files = local.files
        for lora in local.adapters:
            yield f"{lora} is a LoRA adapter of {files.path}"
        yield identity.how
        if said := revision(identity.family):
            yield said
        if files.templates:
            yield f"its text has the sha256 {fingerprint(files.source)}"
        if not identity.family and (neighbour := nearest(template)):
            yield f"nearest: {neighbour}"
        yield f"replies: {identity.reply or getattr(template, 'reply_reason', '')}"
        for token in BOS_AND_EOS:
            if token in files.source and token not in files.tokens:
                yield f"the template writes {token}, but no file defines it: it is left empty"
        names = [name for name in files.templates if name != DEFAULT]
        if names:
            used = f"{TOOL_USE!r} is used if tools are given, " if TOOL_USE in names else ""
            one = saferepr(f"{ref.original}#{names[-1]}", 200)
            yield f"further templates: {', '.join(map(saferepr, names))}; {used}{one} selects it"
        for other in files.conflicts:
            yield f"{other} has a different template from {files.origin}; {files.origin} takes precedence"
        yield from files.notes

    def known(self, ref: ModelRef) -> tuple[LocalModel, Identity]:
        """Return the model at a path, and which family its template belongs to.

        Raises:
            ModelFileError: If there is none, or its files cannot be used.
        """
        path = ref.place
        local = None if path is None else self._read(path)
        if path is None or local is None or not (local.files.templates or local.files.base):
            refuse(ref.original, "has no chat template", "./name for a directory, or adapter='chatml'")
        remembered, identity = self._known.get(path, (None, None))
        if identity is None or remembered is not local:
            identity = self._identified(local, ref)
            self._remember(path, local, identity)
        return local, identity

    def _read(self, path: str) -> LocalModel | None:
        known, _ = self._known.get(path, (None, None))
        if known is not None and known.is_fresh:
            return known
        local = read_local(path)
        if local is not None:
            self._remember(path, local, None)
        return local

    def _remember(self, path: str, local: LocalModel, identity: Identity | None) -> None:
        # Threads need no lock: at worst two of them do the same work.
        if len(self._known) >= MOST_REMEMBERED:
            self._known = {}
        self._known[path] = local, identity

    def _identified(self, local: LocalModel, ref: ModelRef) -> Identity:
        if local.files.templates:
            return identify(local.files, ref.name)
        try:
            base = lect.resolve(local.files.base)
        except LectError as error:
            what = f"is a LoRA adapter without a template, and its base is not known: {str(error).splitlines()[0]}"
            refuse(local.files.path, what, "adapter='chatml', or put the base's chat_template.jinja there")
        how = f"a LoRA adapter without a template of its own; its base is {base.ref.path}: {base.reason}"
        return Identity(base.template, how, base.template.name, reply="as the family defines them")


adapter = LocalModels()
