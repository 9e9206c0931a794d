"""What a fake engine says, and how it fails."""

import json
from dataclasses import dataclass
from itertools import count

from byte_letters import byte_letters

CONTROLS = ("<|im_start|>", "<|endoftext|>", "<|im_end|>")
WORDS = ("<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>")
ORDER = "FAKE {"
DECODER = json.JSONDecoder()


@dataclass(frozen=True)
class Reply:
    """What one generation samples, and what befalls it.

    Attributes:
        ids: What is sampled, with the id that ends it.
        delay: How long each token takes, in seconds.
        dies: After how many tokens the connection breaks.
        silent: After how many tokens nothing more comes, without an end.
        fails: After how many tokens an error comes in the stream.
        refuse: The status with which the request is refused.
        cached: How much of the prompt was in the cache.
    """

    ids: tuple[int, ...] = ()
    delay: float = 0.0
    dies: int | None = None
    silent: int | None = None
    fails: int | None = None
    refuse: int | None = None
    cached: int = 0


def said(tokenizer, text, **faults):
    """Return the reply that says a text, with its control tokens."""
    return Reply(tuple(tokenizer.encode(text, add_special_tokens=False).ids), **faults)


def ordered(tokenizer):
    """Return the script that obeys the last order in a prompt: `FAKE {"say": "Hello", "dies": 3}`."""

    def script(prompt, ids):
        at = prompt.rfind(ORDER)
        order = DECODER.raw_decode(prompt, at + len(ORDER) - 1)[0] if at >= 0 else {"say": "Hello there."}
        return said(tokenizer, order.pop("say", "") + order.pop("end", "<|im_end|>"), **order)

    return script


def tiny(controls=CONTROLS, words=WORDS, ids=None):
    """Return a tokenizer with a token for each byte, control tokens, and words that are tokens and text.

    `ids` are those of some of them; the others have the next.
    """
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    ids = ids or {}
    taken = {*ids.values()}
    free = (each for each in count() if each not in taken)
    # A token without an id in the vocabulary gets another one when the tokenizer is read from its file.
    named = [letter for _, letter in sorted(byte_letters().items())] + [*controls, *words]
    vocabulary = {text: ids[text] if text in ids else next(free) for text in named}
    made = Tokenizer(models.BPE(vocabulary, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens([AddedToken(text, normalized=False, special=True) for text in controls])
    made.add_tokens([AddedToken(text, normalized=False, special=False) for text in words])
    return made


def tiny_of(template):
    """Return a tiny tokenizer with the tokens of a template, as makers have them: names in angle brackets are words."""
    ids = {text: each for text, each in template.markers.items() if isinstance(each, int)}
    known = [each for each in template.markers if "{}" not in each]
    words = [each for each in known if each[:1] == "<" and each[:2] not in ("<|", "<｜")]
    return tiny([each for each in known if each not in words], words, ids)
