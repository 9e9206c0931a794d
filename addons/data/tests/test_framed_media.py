"""Ids and labels of rows with images, which are made in columns, are those of rows that are encoded one by one."""

import json

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sampling import few

import lect
from lect import LossPolicy, Template
from lect_data import Formatter
from lect_data.framed import Framed
from lect_data.frames import Frames, frame_of
from lect_data.turns import InParts

tokenizers = pytest.importorskip("tokenizers")
TEMPLATES = {
    name: lect.get_template(name)
    for name in (
        "Qwen/Qwen2.5-VL-7B-Instruct", "Qwen/Qwen3-VL-8B-Instruct", "google/gemma-3-4b-it", "mistralai/Pixtral-12B-2409",
        "mistralai/Mistral-Small-3.2-24B-Instruct-2506",
    )
}  # fmt: skip
COLUMNS = ("input_ids", "labels", "weights", "length", "turns", "deviations", "error")
POLICIES = (None, LossPolicy(last=True), LossPolicy(roles=("user", "assistant")), LossPolicy(stop="none"))
SIZES = [{"height": 56, "width": 84}, {"height": 300, "width": 200}, {"height": 1, "width": 1000}, {"height": 9}]
PLACEHOLDERS = ("<|image_pad|>", "[IMG]", "<start_of_image>")
TEXTS = st.sampled_from(["", " ", "What?", "\nWhat is it? ", *PLACEHOLDERS, "a <|im_end|> b"])
IMAGES = st.sampled_from(SIZES).map(lambda size: {"type": "image", "image": size})


@pytest.fixture(scope="module")
def seeing(tokenizer):
    """A tokenizer with the control tokens of all these formats."""
    made = tokenizers.Tokenizer.from_str(tokenizer.to_str())
    texts = {text for each in TEMPLATES.values() for text in each.markers if "{}" not in text}
    made.add_special_tokens(sorted(texts | {"[IMG_BREAK]", "[IMG_END]"}))
    return made


@st.composite
def questions(draw):
    """Return a question with some images, before its text or behind it, or without any."""
    text = draw(TEXTS)
    if draw(st.booleans()):
        return {"role": "user", "content": text}
    parts = draw(st.lists(IMAGES, min_size=1, max_size=2))
    parts.insert(draw(st.integers(0, len(parts))), {"type": "text", "text": text})
    return {"role": "user", "content": parts}


@st.composite
def conversations(draw):
    """Return a conversation of questions and answers."""
    asked = draw(st.lists(questions(), min_size=1, max_size=3))
    answers = (each for _ in asked for each in [{"role": "assistant", "content": draw(TEXTS) + "A cat."}])
    return [message for pair in zip(asked, answers, strict=True) for message in pair]


def made(template, seeing, rows, **arguments):
    formatter = Formatter(template, seeing, **arguments)
    output = formatter._writer.rows(formatter._read(rows), range(len(rows)))
    table = pa.RecordBatch.from_pydict({"row": pa.array(output.rows), **output.columns()})
    names = [name for name in COLUMNS if name in table.schema.names]
    return [tuple(row[name] for name in ("row", "part", *names)) for row in table.to_pylist()]


@settings(max_examples=few(200), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(sorted(TEMPLATES)),
    st.lists(conversations(), min_size=1, max_size=4),
    st.sampled_from(POLICIES),
    st.sampled_from([None, 40]),
    st.sampled_from(["parts", "one"]),
)
def test_rows_with_images_are_encoded_as_one_by_one(seeing, name, chats, policy, most, media):
    unroll = "never" if policy and "user" in policy.roles else "auto"
    arguments = {"policy": policy, "max_length": most, "unroll": unroll, "media": media}
    plain = [{"messages": messages} for messages in chats for _ in range(3)]
    # A row that states a weight is encoded by itself.
    alone = [
        {"messages": [{**each, "weight": 1} if each["role"] == "assistant" else each for each in row["messages"]]}
        for row in plain
    ]
    template = TEMPLATES[name]
    assert made(template, seeing, plain, **arguments) == made(template, seeing, alone, **arguments)


# What Gemma 3 writes around an image is text, and the system text of Mistral Small has the day in it.
@pytest.mark.parametrize("name", [name for name in TEMPLATES if "gemma" not in name and "Small" not in name])
def test_few_of_many_are_encoded_by_themselves(seeing, monkeypatch, name):
    alone = []
    encoded = Framed._alone
    monkeypatch.setattr(Framed, "_alone", lambda *given: alone.append(given) or encoded(*given))
    monkeypatch.setattr("lect_data.writing.prompts_of", None)
    content = [{"type": "image", "image": {"height": 56, "width": 84}}, {"type": "text", "text": "What?"}]
    answer = {"role": "assistant", "content": "A cat."}
    rows = [
        {"messages": [{"role": "user", "content": [content[0], {**content[1], "text": f"What {number}?"}]}, answer]}
        for number in range(64)
    ]
    found = made(TEMPLATES[name], seeing, rows)
    assert [row[-1] for row in found] == [None] * 64
    assert 0 < len(alone) < 8


def test_a_format_that_reads_more_of_an_image_than_its_type_writes_no_columns(seeing):
    def program(chat, out):
        for message in out.turns(chat.messages):
            out += "<|im_start|>", message.role, "\n"
            for part in message.parts:
                out += part.text, part.raw.get("detail") or ""
            out += "" if message.parts else message.content, "<|im_end|>\n"

    template = Template("detailed", program, accepts=["parts"], stop=["<|im_end|>"])
    assert frame_of(template, ["user"]) is not None
    assert frame_of(template, [InParts("user", ("image", "text"))]) is None
    rows = [
        {
            "messages": [
                {"role": "user", "content": [{"type": "image", "detail": detail}, {"type": "text", "text": "x"}]}
            ]
        }
        for detail in ("low", "high")
    ]
    lines = [json.dumps(row).encode() for row in rows]
    texts = Formatter(template).format_rows(lines, range(2)).column("text").to_pylist()
    assert ["low" in text for text in texts] == [True, False]


def test_a_format_that_leaves_images_out_writes_no_columns():
    def program(chat, out):
        for message in out.turns(chat.messages):
            out += "<|im_start|>", message.role, "\n"
            out += (*(part.text for part in message.parts),) if message.parts else (message.content,)
            out.append("<|im_end|>\n")
        if chat.add_generation_prompt:
            out.append("<|im_start|>assistant\n")

    frames = Frames(Template("blind", program, accepts=["parts"], stop=["<|im_end|>"]), {})
    assert frames.of(("user", "assistant")) is not None
    # What is lost is counted where a row is rendered by itself.
    assert frames.of((InParts("user", ("image", "text")), "assistant")) is None
    assert frames.of((InParts("user", ("image", "text")),)) is None
