"""What the programs with servers' parsers share: which lines they answer, and how a text reaches a parser."""

import itertools
import json
import re
import sys

ANY = ""
OPENS = ("<think>", "[THINK]", "<|START_THINKING|>")
# A server stops at the token that ends a turn, which templates write a line break after, and takes it away.
END = re.compile(
    r"(<\|(im_end|end|eos|eom|eot_id|eot|endoftext|end_of_text|role_end|message_sep|END_OF_TURN_TOKEN|tool_response)\|?>|</s>"
    r"|<｜(end▁of▁sentence|hy_eos:opensource)｜>|</assistant>|</longcat_s>|<seed:eos>|<turn\|>|\[e~\[|\[\|endofturn\|\])+\s*\Z"
)
# Many reasoning parsers are for models that always think: to them, a reply without these is nothing but reasoning.
REASONING = re.compile(r"think|thought|reasoning|inner_prefix|START_|channel|analysis|message\|", re.IGNORECASE)
MARK = re.compile(r"</?[^\s<>=]{1,40}>|\[/?[A-Z_]{3,}\]")


def answer_all(parsers, read, answers):
    """Answer every line of the standard input: `read(request, text, opened, tool parser, reasoning parser)`.

    Each row of `parsers` has the models, the format, and the server's two parsers for them; the first that fits counts.
    """
    for line in sys.stdin:
        request = json.loads(line)
        fits = [row for row in parsers if row[1] == request["format"] and re.search(row[0], request["model"] or "")]
        if request["task"] != "reply" or not fits:
            found = {"skip": "it has no parser for this"}
        elif not request["tools"] and request["prompt"] is None:
            found = {"skip": "it looks for calls only where there are tools"}
        else:
            found = answer(request, read, *fits[0][2:])
        print(json.dumps({"id": request["id"], **found}), file=answers, flush=True)


def answer(request, read, tool_parser, reasoning_parser):
    text = END.sub("", request["text"])
    prompt, opened = request["prompt"], request["starts_in_reasoning"]
    if prompt is not None:
        opened = prompt.rstrip().endswith(OPENS)
    if not (opened or REASONING.search(text)):
        reasoning_parser = None
    try:
        return read(request, text, opened, tool_parser, reasoning_parser)
    except Exception as error:  # What a parser does not understand, it raises in many ways.
        return {"error": repr(error)}


def tools_of(request):
    """Return the tools as clients send them."""
    tools = request["tools"] or ()
    return [tool if "function" in tool else {"type": "function", "function": tool} for tool in tools]


def cut(text, sizes):
    """Return a text in chunks, of which none ends inside of a mark: special tokens arrive whole."""
    inside = {at for mark in MARK.finditer(text) for at in range(mark.start() + 1, mark.end())}
    ends, end = [0], 0
    for size in itertools.cycle(sizes):
        if (end := end + size) >= len(text):
            break
        ends += [end] if end not in inside else []
    return [text[start:end] for start, end in itertools.pairwise([*ends, len(text)])]
