"""Two prompts, one of which was to extend the other: each test changes one thing, as clients and formats do."""

import pickle

import pytest
from tiny_tokenizer import Tiny

import lect
from lect.plugin import CHATML
from lect_explain import Step, explain
from lect_kit import AdapterSuite

CONTROLS = ["<|im_start|>", "<|im_end|>"]


class TestExplain(AdapterSuite):
    plugin = "explain"
    examples = {}


def tool(name):
    parameters = {"type": "object", "properties": {"q": {"type": "string"}}}
    return {"type": "function", "function": {"name": name, "description": "Look.", "parameters": parameters}}


def user(text):
    return {"role": "user", "content": text}


def answer(text, **more):
    return {"role": "assistant", "content": text, **more}


def call(arguments='{"q": "x"}', **more):
    function = {"name": "look", "arguments": arguments}
    return answer("", tool_calls=[{"id": "c1", "type": "function", "function": function}], **more)


SYSTEM = {"role": "system", "content": "You are a helper. " * 20}
FIRST = [SYSTEM, user("Q1")]
CALL = call(reasoning_content="Look.")
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "wet"}
NEXT = [*FIRST, CALL, RESULT]
WROTE = '<think>\nLook.\n</think>\n\n<tool_call>\n{"name": "look", "arguments": {"q": "x"}}\n</tool_call><|im_end|>'
WET = "<think>\nSo.\n</think>\n\nWet.<|im_end|>"
LOOK = [tool("look")]


@pytest.fixture(scope="module")
def qwen():
    return lect.get_template("Qwen/Qwen3-8B")


@pytest.fixture
def step(qwen):
    """Return a function that explains two requests."""

    def explained(before, after, sampled=None, *, tools=(LOOK, LOOK), options=({}, {}), **arguments):
        prompts = [
            qwen.render(messages, tools=given, add_generation_prompt=True, **own)
            for messages, given, own in zip((before, after), tools, options, strict=True)
        ]
        found = explain(*prompts, sampled=sampled, **arguments)
        # What is said of any two prompts.
        whole, text = prompts[0].text + (sampled or ""), prompts[1].text
        assert whole[: found.at] == text[: found.at]
        assert found.extends == (found.at == len(whole)) or "tokenizer" in arguments
        assert (found.before, found.after) == (whole[found.at :][:40], text[found.at :][:40])
        return found

    return explained


def test_a_tool_loop_in_which_all_is_sent_back_extends(step):
    found = step(FIRST, NEXT, WROTE)
    assert (found.kind, found.rule, found.lost) == ("extension", "extended", 0)
    assert str(found) == f"extension: {found.kept} characters kept, 0 lost"


def said(name, *rest):
    return ("messages", 2, name, *rest)


ARGUMENTS = said("tool_calls", 0, "function", "arguments")


@pytest.mark.parametrize(
    ("messages", "rule", "path", "reason"),
    [
        ([*FIRST, call(), RESULT], "gone", said("reasoning_content"),
         "the model wrote messages[2].reasoning_content, which is not in the request"),
        ([*FIRST, call({"replace_all": False, "q": "x"}, reasoning_content="Look."), RESULT], "other words", ARGUMENTS,
         "messages[2].tool_calls[0].function.arguments is not in the words of the model"),
        ([*FIRST, call(reasoning_content="I look."), RESULT], "other words", said("reasoning_content"),
         "messages[2].reasoning_content is not in the words of the model"),
        ([*FIRST, answer("", reasoning_content="Look."), user("And?")], "left out", said("reasoning_content"),
         "messages[2].reasoning_content is in the request, and the format leaves it out (by-rule)"),
        ([*FIRST, user("Well?")], "no answer", said("role"),
         "messages[2] is of the role user, where the model has answered"),
        ([SYSTEM, user("Q1!"), CALL, RESULT], "changed", ("messages", 1, "content"),
         "messages[1].content is not what it was"),
        ([SYSTEM, user("It was wet.")], "changed", ("messages", 1, "content"),
         "messages[1].content is not what it was"),
        ([SYSTEM], "gone", (), "messages[1].role was in the prompt before, and is not in the request any more"),
    ],
    ids=["reasoning not sent", "arguments respelled", "reasoning respelled", "left out by rule", "no answer",
         "question changed", "compaction", "question gone"],
)  # fmt: skip
def test_what_a_client_or_the_format_changes_is_named(step, messages, rule, path, reason):
    found = step(FIRST, messages, WROTE)
    assert (found.kind, found.rule, found.now, found.reason) == ("fork", rule, path, reason)
    assert str(found).endswith(f" lost: {reason}")


def test_a_counter_in_the_instructions_costs_all_that_follows(step):
    begun, counted = [
        [{**SYSTEM, "content": f"version={each}; {SYSTEM['content']}"}, user("Q1")] for each in ("1.2.3", "1.2.4")
    ]
    found = step(begun, counted, WROTE)
    assert (found.rule, found.was, found.now) == ("changed", *[("messages", 0, "content")] * 2)
    assert found.kept < 40
    assert found.before.startswith("3; You are")
    assert found.after.startswith("4; You are")


@pytest.mark.parametrize(
    ("tools", "rule", "reason"),
    [
        ((["look"], ["look", "new"]), "inserted", "tools[1] came in there, before what follows"),
        ((["look"], ["a", "b", "look"]), "inserted", "tools[0] to tools[1] came in there, before what follows"),
        ((["look", "new"], ["look"]), "removed", "what was tools[1] is not in the request any more"),
        ((["a", "look"], ["look"]), "removed", "what was tools[0] is not in the request any more"),
        ((["look", "new"], ["new", "look"]), "moved", "the tools are the same, in another order"),
        ((["look", "new"], ["Look", "new"]), "changed", "tools[0] is not what it was"),
    ],
)
def test_tools_come_go_and_move(step, tools, rule, reason):
    found = step(FIRST, NEXT, WROTE, tools=[[*map(tool, names)] for names in tools])
    assert (found.rule, found.reason) == (rule, reason)
    assert "tools" in (*found.was[:1], *found.now[:1])


def test_reasoning_that_the_next_question_drops_by_rule(step):
    found = step(NEXT, [*NEXT, answer("Wet.", reasoning_content="So."), user("Q2")], WET)
    assert found.rule == "left out"
    assert found.was == ("messages", 2, "reasoning_content")
    assert found.reason == (
        "messages[2].reasoning_content was in the prompt before, and the format leaves it out now (by-rule)"
    )


def test_a_switch_for_thinking_changes_only_the_end(step):
    assert step(FIRST, NEXT, WROTE, options=({}, {"enable_thinking": False})).extends
    off = step(FIRST, NEXT, WROTE.partition("\n\n")[2], options=({"enable_thinking": False}, {}))
    assert (off.rule, off.at) == ("other words", len(lect.render("Qwen/Qwen3-8B", FIRST, tools=LOOK).text) + 30)


def test_white_space_that_a_client_trims_is_told_from_other_words(step):
    sampled = "<think>\nLook.\n</think>\n\nIt is wet. \n\n<|im_end|>"
    trimmed = answer("It is wet.", reasoning_content="Look.", tool_calls=CALL["tool_calls"])
    found = step(FIRST, [*FIRST, trimmed, RESULT], sampled)
    assert (found.rule, found.now) == ("other words", said("content"))
    assert found.reason == "messages[2].content is not in the words of the model: white space was added or removed"


def test_a_history_that_is_cut_at_its_beginning_is_told_from_another_text():
    turns = [user("Q1"), answer("Wet."), user("Q2"), answer("Wet."), user("Q3")]
    before, after = (
        CHATML.render([SYSTEM, *each], add_generation_prompt=True)
        for each in (turns, [*turns[2:], answer("Dry."), user("Q4")])
    )
    found = explain(before, after, sampled="Dry.<|im_end|>")
    assert (found.rule, found.now) == ("removed", ("messages", 1, "content"))
    assert found.reason == "what was messages[1] to messages[2] is not in the request any more"
    back = explain(after, before)
    assert back.reason == "messages[1] to messages[2] came in there, before what follows"


def test_a_request_that_is_sent_again_has_nothing_to_compute(step):
    found = step(FIRST, FIRST, WROTE)
    assert (found.rule, found.after) == ("beginning", "")
    assert step(NEXT, FIRST).rule == "beginning"
    assert step(FIRST, FIRST).extends


TITLE = {"role": "system", "content": "Make a title."}


@pytest.mark.parametrize("messages", [[TITLE, user("Q1")], [TITLE, user("Q1: a title?")]])
def test_a_request_for_a_title_is_another_conversation(step, messages):
    found = step(FIRST, messages, WROTE, tools=(LOOK, None))
    assert (found.kind, found.rule) == ("other", "other")
    assert found.reason == "it is another conversation"


def test_without_instructions_conversations_differ_by_their_first_question():
    prompts = [CHATML.render([user(each)]) for each in ("How is it?", "What is it?")]
    assert explain(*prompts).kind == "other"


def test_the_end_of_an_answer_may_differ():
    before = CHATML.render([user("Q1")], add_generation_prompt=True)
    after = CHATML.render([user("Q1"), answer("Wet."), user("Q2")], add_generation_prompt=True)
    found = explain(before, after, sampled="Wet.<|endoftext|>")
    assert (found.rule, found.now) == ("template", ("messages", 1, "content"))
    assert found.reason == "the format writes what is around the answer otherwise than the model did"


def test_a_prompt_may_end_otherwise_than_the_answer_begins_in_history():
    thinking = lect.load_template(
        "{% for m in messages %}<{{ m.role }}>{{ m.content }}</>{% endfor %}{% if add_generation_prompt %}<assistant>"
        "<think>\n{% endif %}",
        notation="jinja",
    )
    before = thinking.render([user("Q1")], add_generation_prompt=True)
    after = thinking.render([user("Q1"), answer("Wet."), user("Q2")], add_generation_prompt=True)
    found = explain(before, after)
    assert (found.rule, found.before) == ("opening", "<think>\n")
    assert found.reason == "a prompt ends otherwise than the format begins the answer in history"


def test_a_format_may_write_the_same_fields_otherwise():
    numbered = lect.load_template(
        "{% for m in messages %}[{{ messages | length }}]{{ m.content }}{% endfor %}", notation="jinja"
    )
    found = explain(numbered.render([user("Q1")]), numbered.render([user("Q1"), answer("Wet.")]))
    assert (found.rule, found.was, found.now) == ("template", *[("messages", 0, "content")] * 2)
    assert found.reason == "the format itself writes this place otherwise, because of what follows"


def test_tokens_are_counted_with_what_was_sampled(step):
    tokenizer = Tiny(*CONTROLS)
    found = step(FIRST, NEXT, WROTE, tokenizer=tokenizer)
    assert (found.lost, found.by_tokens) == (0, True)
    assert str(found) == f"extension: {found.kept} tokens kept, 0 lost"
    shorter = step(FIRST, NEXT, tokenizer=tokenizer)
    assert found.kept - shorter.kept == len(tokenizer.encode_ordinary(WROTE.removesuffix("<|im_end|>"))[0]) + 1


def test_the_text_may_extend_and_its_tokens_not():
    plain = [
        CHATML.render([user("Q1"), *more], add_generation_prompt=not more) for more in ([], [answer("Wet or dry")])
    ]
    found = explain(*plain, sampled="Wet or dr", tokenizer=Tiny(*CONTROLS))
    assert (found.rule, found.lost, found.before) == ("tokens", 1, "")
    assert found.reason == "the text is the same, and what follows changes where its last tokens end"


def test_a_reply_is_what_its_raw_text_is(qwen, step):
    reply = qwen.parse(WROTE)
    before = qwen.render(FIRST, tools=LOOK, add_generation_prompt=True)
    assert explain(before, qwen.render(NEXT, tools=LOOK), sampled=reply).extends


def test_control_text_of_a_user_is_no_control_token(step):
    spelled = [SYSTEM, user("Q1 <|im_end|>")]
    found = step(spelled, [*spelled, CALL, RESULT], WROTE, tokenizer=Tiny(*CONTROLS))
    assert (found.extends, found.lost) == (True, 0)


def test_prompts_from_another_process_are_explained(qwen):
    prompts = [qwen.render(messages, tools=LOOK, add_generation_prompt=True) for messages in (FIRST, NEXT)]
    before, after = pickle.loads(pickle.dumps(prompts))
    assert explain(before, after, sampled=WET) == explain(*prompts, sampled=WET)
    assert explain(before, after, sampled=WET).rule == "other words"


def test_a_step_is_a_value(step):
    found = step(FIRST, [*FIRST, user("Well?")], WROTE)
    assert pickle.loads(pickle.dumps(found)) == found
    assert isinstance(found, Step)


@pytest.mark.parametrize("before", ["text", None, [user("Q1")]])
def test_what_is_no_prompt_is_refused(before, step):
    prompt = CHATML.render([user("Q1")])
    with pytest.raises(lect.MessageError, match=r"before is .*; expected a Prompt\n  try: template.render"):
        explain(before, prompt)
    with pytest.raises(lect.MessageError, match=r"after is .*; expected a Prompt"):
        explain(prompt, before)
    with pytest.raises(lect.MessageError, match=r"sampled is 1; expected the text that the model wrote, or a Reply"):
        explain(prompt, prompt, sampled=1)
    with pytest.raises(lect.TokenizerError):
        explain(prompt, prompt, tokenizer=1)
