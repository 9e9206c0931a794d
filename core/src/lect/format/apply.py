"""`apply_chat_template` as in transformers and PaddleNLP."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from lect.errors import MessageError, TokenizerError, saferepr
from lect.format.prompt import Prompt
from lect.tokens.encoded import encode
from lect.tokens.policy import LossPolicy

MASK = LossPolicy(boundary="whole", allow_uniform=True)


def apply_chat_template(
    render: Callable[..., Prompt],
    conversation: Any,
    *,
    tokenizer: Any = None,
    add_generation_prompt: bool = False,
    tokenize: bool = True,
    sanitize_control_tokens: bool = True,
    padding: bool | str = False,
    truncation: bool = False,
    max_length: int | None = None,
    return_tensors: str | None = None,
    return_dict: bool = True,
    return_assistant_tokens_mask: bool = False,
    **options: Any,
) -> Any:
    """Return what `Template.apply_chat_template` does; `render` is that of the template."""
    if "chat_template" in options:
        msg = "chat_template cannot be given here\n  try: lect.load_template(chat_template).apply_chat_template(...)"
        raise MessageError(msg)
    is_batch, conversations, is_question = _read(conversation)
    options["add_generation_prompt"] = add_generation_prompt or is_question
    prompts = [render(each, **options) for each in conversations]
    if not tokenize:
        texts = [prompt.text for prompt in prompts]
        return texts if is_batch else texts[0]
    if tokenizer is None:
        raise TokenizerError("there is no tokenizer\n  try: tokenizer=..., or tokenize=False for the text")
    policy, most = MASK if return_assistant_tokens_mask else None, max_length if truncation else None
    encoded = [
        encode(prompt, tokenizer, safe=sanitize_control_tokens, policy=policy, max_length=most, opens=False)
        for prompt in prompts
    ]
    columns: dict[str, Any] = {"input_ids": [each.ids for each in encoded]}
    columns["attention_mask"] = [[1] * len(each.ids) for each in encoded]
    if return_assistant_tokens_mask:
        columns["assistant_masks"] = [[int(weight > 0) for weight in each.weights] for each in encoded]
    if padding:
        _pad(columns, tokenizer, max_length if padding == "max_length" else None)
    if return_tensors is not None:
        columns = {name: _tensor(return_tensors, rows) for name, rows in columns.items()}
    elif not is_batch:
        columns = {name: rows[0] for name, rows in columns.items()}
    return columns if return_dict else columns["input_ids"]


def _read(conversation: Any) -> tuple[bool, list[Any], bool]:
    """Return whether this is a batch, the conversations as messages, and whether it is a question."""
    if isinstance(conversation, str):
        return False, [[{"role": "user", "content": conversation}]], True
    if isinstance(conversation, list | tuple) and conversation and isinstance(conversation[0], list | tuple):
        if all(isinstance(each, str) for each in conversation[0]):
            messages = _messages(conversation)
            return False, [messages], messages[-1]["role"] == "user"
        return True, list(conversation), False
    return False, [conversation], False


def _messages(rounds: Sequence[Any]) -> list[dict[str, Any]]:
    """Return rounds as messages: each is a question with its answer, which the last may lack."""
    messages = []
    for index, each in enumerate(rounds):
        is_last = index == len(rounds) - 1
        is_round = isinstance(each, list | tuple) and all(isinstance(text, str) for text in each)
        if not is_round or not 2 - is_last <= len(each) <= 2:
            expected = f"a question and an answer{', or a question' if is_last else ''}"
            raise MessageError(f"[{index}] is {saferepr(each)} ({type(each).__name__}); expected {expected}")
        messages += [{"role": role, "content": text} for role, text in zip(("user", "assistant"), each, strict=False)]
    return messages


def _pad(columns: dict[str, Any], tokenizer: Any, length: int | None) -> None:
    pad = getattr(tokenizer, "pad_token_id", None)
    if pad is None:
        raise TokenizerError(f"padding: {saferepr(tokenizer)} has no pad_token_id\n  try: padding=False")
    longest = length or max(map(len, columns["input_ids"]))
    on_the_left = getattr(tokenizer, "padding_side", "right") == "left"
    for name, rows in columns.items():
        fill = pad if name == "input_ids" else 0
        for index, row in enumerate(rows):
            missing = [fill] * (longest - len(row))
            rows[index] = [*missing, *row] if on_the_left else [*row, *missing]


def _tensor(kind: str, rows: list[list[int]]) -> Any:
    if kind == "np":
        return import_module("numpy").array(rows)
    if kind == "pt":
        return import_module("torch").tensor(rows)
    raise MessageError(f"return_tensors is {saferepr(kind)}; expected 'np', 'pt' or None")
