"""Streams that are fed with the ids of makers' tokenizers."""

import random

import pytest
import real_tokenizers
import replies
import sampled_replies

import lect
import lect_apis

pytest.importorskip("tokenizers")

REPLY = (
    "<think>\nÉtude: 你好, မြန်မာ 👩‍👩‍👧 \ufffd.\n</think>\n\nLet me see: 🧵.\n<tool_call>\n"
    '{"name": "f", "arguments": {"s": "naïve 🦜 text"}}\n</tool_call>'
)
each_tokenizer = pytest.mark.parametrize("name", real_tokenizers.names() or [None])


def opened(name, **options):
    if name is None:
        pytest.skip(real_tokenizers.ABSENT)
    tokenizer = real_tokenizers.tokenizer(name)
    return lect.stream(None, format="hermes_json", tokenizer=tokenizer, call_id="call_{}".format, **options)


@each_tokenizer
def test_ids_in_any_chunks_give_what_their_text_gives(name):
    opened(name)
    tokenizer, rng = real_tokenizers.tokenizer(name), random.Random(name)
    texts = [REPLY, *(real_tokenizers.text(rng) for _ in range(30))]
    for text in texts:
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        read = []
        for size in (1, 3, len(ids) or 1):
            stream = opened(name)
            events = [event for at in range(0, len(ids), size) for event in stream.feed_ids(ids[at : at + size])]
            events += stream.finish()
            read.append((stream.close(), replies.fold(events)))
            tokens = [
                index for event in events if event.start is not None for index in stream.tokens(event.start, event.end)
            ]
            assert tokens == sorted(set(tokens))
        assert read[0] == read[1] == read[2]
        assert read[0][0] == lect.parse(None, read[0][0].raw, format="hermes_json", call_id="call_{}".format)
        written = tokenizer.decode(ids, skip_special_tokens=False)
        assert read[0][0].raw.lstrip(" ") == written.lstrip(" ")


@each_tokenizer
def test_bytes_that_are_no_characters_are_read_in_any_chunks(name):
    opened(name)
    tokenizer, rng = real_tokenizers.tokenizer(name), random.Random(name)
    ids = tokenizer.encode("你🧵é😀", add_special_tokens=False).ids
    for _ in range(20):
        shuffled = [rng.choice(ids) for _ in range(40)]
        raws = set()
        for size in (1, 7, 40):
            stream = opened(name)
            for at in range(0, 40, size):
                stream.feed_ids(shuffled[at : at + size])
            raws.add(stream.close().raw)
        assert len(raws) == 1


def test_half_a_character_is_held_back():
    stream = opened("qwen3" if real_tokenizers.names() else None)
    ids = real_tokenizers.tokenizer("qwen3").encode("a𓂀b").ids
    assert [[event.text for event in stream.feed_ids([each])] for each in ids][1:-1].count([]) >= 1
    assert stream.close().content == "a𓂀b"


def test_tokens_are_counted_where_they_begin():
    stream = opened("qwen3" if real_tokenizers.names() else None)
    tokenizer = real_tokenizers.tokenizer("qwen3")
    ids = tokenizer.encode("<think>One two three.</think>Four.<|im_end|>", add_special_tokens=False).ids
    events = stream.feed_ids(ids) + stream.finish()
    reasoning = next(event for event in events if event.kind == "reasoning")
    within = stream.tokens(reasoning.start, reasoning.end)
    assert tokenizer.decode([ids[index] for index in within]) == "One two three."
    assert lect_apis.usage(stream, 7) == {
        "prompt_tokens": 7,
        "completion_tokens": len(ids),
        "total_tokens": 7 + len(ids),
        "completion_tokens_details": {"reasoning_tokens": len(within)},
    }


def test_a_prompt_may_be_ids():
    opened("qwen3" if real_tokenizers.names() else None)
    tokenizer = real_tokenizers.tokenizer("qwen3")
    messages = [{"role": "user", "content": "Hi"}]
    prompt = lect.render("Qwen/Qwen3-8B", messages, add_generation_prompt=True)
    for end, read in (("<think>\n", ("Hm.", "Yo.")), ("", (None, "Hm.\n</think>\n\nYo."))):
        ids = tokenizer.encode(prompt.text + end).ids
        for given, options in ((prompt.text + end, {}), (ids, {"tokenizer": tokenizer})):
            reply = lect.parse("Qwen/Qwen3-8B", "Hm.\n</think>\n\nYo.", prompt=given, **options)
            assert (reply.reasoning, reply.content) == read


@each_tokenizer
def test_a_control_token_that_ordinary_tokens_spell_is_text(name):
    opened(name)
    tokenizer = real_tokenizers.tokenizer(name)
    for template in real_tokenizers.templates(name).values():
        text = sampled_replies.sentence(template, tokenizer)
        if sampled_replies.written(template, sampled_replies.says("Hi")):
            found = sampled_replies.heard(template, tokenizer, sampled_replies.says)
            assert (found.content.lstrip(" "), found.tool_calls, found.problems) == (text, (), ())
        if sampled_replies.writes_calls(template):
            found = sampled_replies.heard(template, tokenizer, sampled_replies.calls)
            assert ([call.arguments for call in found.tool_calls], found.problems) == ([{"text": text}], ())
