"""What was found out about a model on disk: the one value that all readers return."""

from __future__ import annotations

from typing import Any, NamedTuple

DEFAULT, TOOL_USE = "default", "tool_use"
MORE = "additional_chat_templates"


class ModelFiles(NamedTuple):
    """What a model directory or a GGUF file says.

    Attributes:
        path: The directory or the file.
        templates: The chat templates by name; the one that is used without a name is `default`.
        origin: The file that has the default template, relative to a directory; empty if there is none.
        additional: The names of those templates that have a file of their own.
        tokens: The special tokens by name, as templates read them: `{"bos_token": "<s>"}`.
        added: The special and added tokens with their ids.
        stop: The texts at which a reply ends, with their ids.
        stop_ids: Ids at which a reply ends, and whose text is not known.
        model_type: The `model_type` of `config.json`, or a GGUF file's architecture; empty if it is not stated.
        response_template: How replies are written, if `tokenizer_config.json` says it for transformers.
        base: The model that a LoRA adapter is for.
        conflicts: The files whose template differs from the one that counts.
        notes: What else people should know about the files.
    """

    path: str
    templates: dict[str, str]
    origin: str = ""
    additional: tuple[str, ...] = ()
    tokens: dict[str, str] = {}  # noqa: RUF012  # never changed
    added: dict[str, int | None] = {}  # noqa: RUF012
    stop: dict[str, int | None] = {}  # noqa: RUF012
    stop_ids: tuple[int, ...] = ()
    model_type: str = ""
    response_template: Any = None
    base: str = ""
    conflicts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def only(self, name: str) -> ModelFiles:
        """Return a copy with one of the templates, as if it were the only one."""
        named = f"{MORE}/{name}.jinja" if name in self.additional else f"{self.origin}#{name}"
        origin = self.origin if name == DEFAULT else named
        return self._replace(templates={DEFAULT: self.templates[name]}, origin=origin, conflicts=())

    @property
    def source(self) -> str:
        """The template as one text: if there is one for tools, it is used when tools are given.

        That is what transformers does with templates of these names.
        """
        default, with_tools = (self.templates.get(name) for name in (DEFAULT, TOOL_USE))
        if default is None or with_tools is None:
            return default or with_tools or ""
        # Jinja's trimming beside a tag stops at an expression, so that neither text affects the other or the tags.
        choices = ("{% if tools %}", with_tools, "{% else %}", default, "{% endif %}")
        return "{{ '' }}".join(each.removesuffix("\n") for each in choices)
