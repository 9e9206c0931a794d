"""What a rollout costs: in proportion to its length, however it is sampled. No clock is asked; the work is counted."""

import pickle
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from thinking_chatml import CALL, CONTROLS, NEXT, QUESTION, THINKING, sample, shown
from tiny_tokenizer import Bytes

from lect.format.template import Template
from lect_rollout import Rollout, rollout

ANSWER = "<think>\nHm.\n</think>\n\nIt is 42.<|im_end|>"
SAID = {"role": "user", "content": "Go on."}
LINEAR = 2.1
"""Times the work for twice as much."""
LONG = 24
"""Turns: many times as many as are needed to continue one."""


class Counting(Bytes):
    """Counts the characters that it encodes and the tokens that it decodes, and how often it is asked."""

    def __init__(self, *controls):
        super().__init__(*controls)
        self.encoded = self.decoded = self.asked = 0

    def encode_ordinary(self, text):
        self.asked, self.encoded = self.asked + 1, self.encoded + len(text)
        return super().encode_ordinary(text)

    def decode(self, ids):
        ids = list(ids)
        self.asked, self.decoded = self.asked + 1, self.decoded + len(ids)
        return super().decode(ids)


@pytest.fixture
def work(monkeypatch):
    """Return a function that returns the work that a function does: what the tokenizer is asked, the replies that are
    parsed, and the characters that are rendered, and written in prompts of which only the text is asked for."""
    tally = {}

    def counted(name, size):
        method = getattr(Template, name)

        def count(self, *given, **options):
            made = method(self, *given, **options)
            calls, sizes = tally.get(name, (0, 0))
            tally[name] = (calls + 1, sizes + size(given, made))
            return made

        monkeypatch.setattr(Template, name, count)

    counted("stream", lambda *_: 1)
    counted("render", lambda _, prompt: len(prompt.text))
    counted("text", lambda _, text: len(text))

    def measured(do, tokenizer):
        tally.clear()
        tokenizer.encoded = tokenizer.decoded = tokenizer.asked = 0
        do()
        return {"tokenizer": (tokenizer.asked, tokenizer.encoded, tokenizer.decoded), **tally}

    return measured


@pytest.mark.parametrize("is_read", [False, True], ids=["not read", "read at the end"])
def test_the_work_for_single_tokens_grows_with_their_number(work, is_read):
    def sampled(count):
        tokenizer = Counting(*CONTROLS)
        one = Rollout(THINKING, QUESTION, tokenizer)
        ids = sample(tokenizer, "<think>\n" + "你. x" * count)[:count]

        def feed():
            replies = [one.feed([each]) for each in ids]
            if is_read:
                assert replies[-1].reasoning
                assert len(one.messages) == 2

        return work(feed, tokenizer)

    THINKING.parse("")  # What the template writes around an answer is found out once.
    few, many = sampled(500), sampled(1000)
    assert all(much <= LINEAR * little for much, little in zip(many["tokenizer"], few["tokenizer"], strict=True))
    assert many.keys() == few.keys() == {"tokenizer", *(["stream"] if is_read else [])}
    if is_read:
        assert many["stream"] == (1, 1)


@pytest.mark.parametrize("text", [ANSWER, f"{CALL}<|im_end|>"], ids=["answers", "calls"])
def test_the_work_for_a_turn_does_not_grow_with_the_turns_before_it(work, text):
    tokenizer = Counting(*CONTROLS)
    one = Rollout(THINKING, QUESTION, tokenizer)
    ids = sample(tokenizer, text)

    def turn():
        calls = one.feed(ids).tool_calls
        one.add([{"role": "tool", "tool_call_id": call.id, "content": "42"} for call in calls] or [SAID])

    turns = [work(turn, tokenizer) for _ in range(LONG)]
    # A template may look at everything, so a few conversations are written as a whole; all else concerns their ends.
    written = [each.pop("text", (0, 0))[0] for each in turns]
    assert (max(written), sum(written[LONG // 2 :])) == (1, 1)
    settled = turns[LONG // 2 :]
    assert all(each == settled[0] for each in settled), settled
    assert settled[0]["render"][0] == 1


def remembering(look):
    """Return a program that writes ChatML, and asks for an answer as an earlier message wants it."""

    def write(chat, out):
        for message in out.turns(chat.messages):
            out += "<|im_start|>", message.role, "\n", message.content, "<|im_end|>\n"
        if chat.add_generation_prompt:
            out += "<|im_start|>assistant\n", look(chat.messages), "\n"

    return write


def first_wanted(messages):
    wanted = [word for message in messages for word in ("aloud", "softly") if word in message.content]
    return wanted[0] if wanted else ""


LOOKS = {
    "the first word": first_wanted,
    "the number of messages": lambda messages: str(len(messages)),
    "a name": lambda messages: "named" if any(message.name for message in messages) else "",
    "two of one role": lambda messages: (
        "twice" if any(one.role == two.role for one, two in pairwise(messages)) else "once"
    ),
    "an empty text": lambda messages: "" if all(message.content for message in messages) else "empty",
    "a call with an id": lambda messages: ", ".join(call.id for message in messages for call in message.tool_calls),
}


# They look at texts as no program should.
@pytest.mark.filterwarnings("ignore::lect.errors.TemplateWarning")
@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
@pytest.mark.parametrize("odd", [1, LONG // 4, LONG - 4])
def test_a_template_that_looks_far_back_is_asked_about_everything(look, odd):
    tokenizer = Bytes(*CONTROLS)
    template = THINKING.but(program=remembering(look))
    one = Rollout(template, QUESTION, tokenizer)
    said = {
        odd: [{"role": "user", "content": "Speak softly.", "name": "Ann"}, {"role": "user", "content": ""}],
        odd + 1: [{"role": "user", "content": "Now aloud."}],
    }
    for number in range(LONG):
        before = len(one.ids)
        one.feed(sample(tokenizer, f"{CALL}<|im_end|>" if number == odd + 1 else "42.<|im_end|>"))
        one.add(said.get(number, [SAID]))
        asked = template.text(one.messages, add_generation_prompt=True).rpartition("assistant\n")[2]
        assert shown(tokenizer, one.ids[before:]).endswith(f"<|im_start|>assistant\n{asked}")


def test_a_conversation_is_continued_as_if_all_of_it_were_rendered(monkeypatch):
    def played():
        tokenizer = Bytes(*CONTROLS)
        one = Rollout(THINKING, [{"role": "system", "content": "Be brief."}, *QUESTION], tokenizer)
        for number in range(LONG):
            reply = one.feed(sample(tokenizer, f"{CALL}<|im_end|>" if number % 3 else ANSWER))
            one.add([{"role": "tool", "content": f"{number}"} for _ in reply.tool_calls] or [SAID])
        return one.ids, one.messages, one.encoded

    found = played()
    monkeypatch.setattr(rollout, "FEW", LONG)
    assert played() == found


TURNS = st.lists(st.sampled_from([ANSWER, "你👋.<|im_end|>", f"{CALL}<|im_end|>", "<think>\nHm.\n</think>\n\n<|", ""]), min_size=1, max_size=4)  # fmt: skip


@given(TURNS, st.data())
def test_a_rollout_is_the_same_however_its_ids_are_divided(turns, data):
    tokenizer = Bytes(*CONTROLS)
    whole, divided = (Rollout(THINKING, QUESTION, tokenizer) for _ in range(2))
    for text in turns:
        ids, start = sample(tokenizer, text), whole.fork()
        reply = whole.feed(ids)
        cuts = sorted(data.draw(st.lists(st.integers(0, len(ids)), max_size=5)))
        replies = []
        for begin, end in zip([0, *cuts], [*cuts, len(ids)], strict=True):
            replies.append((end, divided.feed(ids[begin:end])))
            # Neither reading it nor copying changes what follows.
            match data.draw(st.sampled_from(["go on", "read", "fork", "pickle"])):
                case "read":
                    assert ids or not replies[-1][1].raw
                case "fork":
                    divided.fork().feed(ids)
                    divided = divided.fork()
                case "pickle":
                    divided = pickle.loads(pickle.dumps(divided))
        assert divided.reply == replies[-1][1] == reply
        # An earlier reply stays what it was, even if it is read later.
        for end, earlier in replies:
            assert earlier == start.fork().feed(ids[:end])
        for each in (whole, divided):
            each.add(NEXT)
    assert (divided.ids, divided.messages, divided.encoded) == (whole.ids, whole.messages, whole.encoded)
    assert divided.drift == whole.drift


def test_a_reply_that_is_parsed_when_it_is_read_is_a_reply():
    tokenizer = Bytes(*CONTROLS)
    reply = Rollout(THINKING, QUESTION, tokenizer).feed(sample(tokenizer, ANSWER))
    plain = THINKING.parse(ANSWER)
    content, reasoning, *_ = reply
    assert (content, reasoning, len(reply), reply[0]) == ("It is 42.", "Hm.", len(plain), "It is 42.")
    assert isinstance(reply, type(plain))
    assert (reply == plain, plain == reply, reply != plain, hash(reply)) == (True, True, False, hash(plain))
    assert repr(reply) == repr(plain)
    assert pickle.loads(pickle.dumps(reply)) == plain
    assert reply._replace(content="43.").content == "43."
    assert reply.to_openai() == plain.to_openai()


def test_a_tokenizer_that_fails_leaves_the_rollout_as_it_was():
    tokenizer = Bytes(*CONTROLS)
    one = Rollout(THINKING, QUESTION, tokenizer)
    one.feed(b"It ")
    before, decode = one.ids, tokenizer.decode
    tokenizer.decode = lambda ids: None
    with pytest.raises(Exception, match="expected text"):
        one.feed(b"is")
    tokenizer.decode = decode
    assert one.ids == before
    assert one.feed(b"is 42.").content == "It is 42."
