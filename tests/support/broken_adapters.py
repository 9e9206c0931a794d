"""Adapters that are broken in one way each: what is replaced in a good one, and what `lect check` must say of it."""

from typing import Any, NamedTuple

GOOD = """
import itertools
import time

from lect.plugin import Family, Match, Rule, Specificity, Template, hookimpl
from lect.plugin.grammar import JSON_IN_TAGS, THINK, Grammar, ReplyFormat

COUNT = itertools.count()


def write(chat, out):
    for index, tool in enumerate(chat.tools):
        out += "<tool>", chat.json(tool, "tools", index), "<|end|>"
    for message in out.turns(chat.messages):
        out += "<|", message.role, "|>"
        if message.reasoning:
            out += "<think>\\n", message.reasoning, "\\n</think>\\n\\n"
        out.append(message.content)
        for call in message.tool_calls:
            arguments = chat.json(call.arguments, *call.path, "arguments")
            out += '\\n<tool_call>\\n{"name": "', call.name, '", "arguments": ', arguments, "}\\n</tool_call>"
        out.append("<|end|>")
    if chat.add_generation_prompt:
        out.append("<|assistant|>")


MODEL_REPLIES = ReplyFormat(
    Grammar("model_replies", reasoning=THINK, sections=(JSON_IN_TAGS,)),
    stop=("<|end|>",),
    names="Model",
    example="<think>\\nTwo.\\n</think>\\n\\nFour.<|end|>",
)
CHAT = Template(
    "model-chat",
    write,
    reply=MODEL_REPLIES.grammar,
    stop=["<|end|>"],
    markers=["<|end|>", "<|user|>", "<|assistant|>", "<|system|>"],
    capabilities=["system", "tools", "reasoning"],
    source="its maker",
)
PLAIN = CHAT.but(name="model-plain", reply=None)
adapter = Family("model", Rule("model # b chat", CHAT), Rule("model # b", CHAT, kind="base"))
"""
HOOKS = """
class Adapter:
    @hookimpl
    def match(self, ref):
        return Match(Specificity.NAME, "model") if ref.words[:1] == ("model",) else None

    @hookimpl
    def get_template(self):
        return CHAT

    @hookimpl
    def list_templates(self):
        return [CHAT]


adapter = Adapter()
"""
"""The same adapter, written with hooks."""


class Broken(NamedTuple):
    """An adapter with one fault.

    Attributes:
        says: Phrases that the report must contain.
        changes: Pairs of what is replaced in the good adapter, and by what.
        hooks: Whether it is the adapter that is written with hooks.
        metadata: What is different about its package.
    """

    says: tuple[str, ...]
    changes: tuple[tuple[str, str], ...] = ()
    hooks: bool = False
    metadata: dict[str, Any] = {}

    @property
    def source(self) -> str:
        """The module of the adapter."""
        source = GOOD.partition("adapter = ")[0] + HOOKS if self.hooks else GOOD
        for old, new in self.changes:
            assert old in source, old
            source = source.replace(old, new, 1)
        return source


TURN = 'out += "<|", message.role, "|>"'
CONTENT = "out.append(message.content)"
SKIPPED = "{}\n            continue\n        ".format
MARKERS = '["<|end|>", "<|user|>", "<|assistant|>", "<|system|>"]'
CLAIMS = '["system", "tools", "reasoning"]'
CLAIM = 'ref.words[:1] == ("model",)'
GRAMMAR = "sections=(JSON_IN_TAGS,)"
FIRST_HOOK = "    @hookimpl\n    def match"


def hook(body: str, *, marked: bool = True) -> tuple[str, str]:
    """Return the change that adds a method to the adapter that is written with hooks."""
    return FIRST_HOOK, f"{'    @hookimpl' * marked}\n    {body}\n\n{FIRST_HOOK}"


def claiming(word: str) -> tuple[str, str]:
    """Return the change that adds a word to the capabilities."""
    return CLAIMS, CLAIMS.replace("[", f'["{word}", ')


def ending(mark: str, *, declared: bool) -> tuple[tuple[str, str], ...]:
    """Return the changes by which turns end with another mark."""
    markers = MARKERS.replace("<|end|>", mark) if declared else '["<|user|>", "<|assistant|>", "<|system|>"]'
    writes = 'out.append("<|end|>")\n    if', f'out.append("{mark}")\n    if'
    return writes, ('    stop=["<|end|>"],\n    markers', f'    stop=["{mark}"],\n    markers'), (MARKERS, markers)


TAG = "is no marker: a user who types it", "\n  try: name it in `markers`"
JOINED = "of unknown origin", "out += a, b"
NO_HOOKIMPL = "has the name of a hook, and no @hookimpl", "try: @lect.plugin.hookimpl, or another name"
UNWRITTEN = "\n  try: write it, or take the word out of `capabilities`"
BROKEN = {
    # What is claimed and does not reach the prompt.
    "results are dropped": Broken(
        ("claims 'tools'", "the result of a call", UNWRITTEN),
        ((TURN, SKIPPED('if message.role == "tool":') + TURN),),
    ),
    "tools are dropped": Broken(("claims 'tools'", "a tool", UNWRITTEN), (("in enumerate(chat.tools)", "in ()"),)),
    "only the first call is written": Broken(
        ("claims 'parallel_tools'", "the second call", UNWRITTEN),
        (claiming("parallel_tools"), ("in message.tool_calls", "in message.tool_calls[:1]")),
    ),
    "the system text is dropped": Broken(
        ("claims 'system'", "the system text", UNWRITTEN),
        ((TURN, SKIPPED('if message.role == "system":') + TURN),),
    ),
    "reasoning is dropped": Broken(
        ("claims 'reasoning'", "out.by_rule(message.reasoning)"), (("if message.reasoning:", "if False:"),)
    ),
    "images are claimed": Broken(("claims 'images'", "an image", UNWRITTEN), (claiming("images"),)),
    "video is claimed": Broken(("claims 'video'", "a video", UNWRITTEN), (claiming("video"),)),
    "audio is claimed": Broken(("claims 'audio'", "a sound", UNWRITTEN), (claiming("audio"),)),
    "documents are claimed": Broken(("claims 'documents'", "a document", UNWRITTEN), (claiming("documents"),)),
    "an image is used and leaves no trace": Broken(
        ("claims 'images'", "an image", UNWRITTEN),
        (
            claiming("images"),
            (
                CONTENT,
                f'[out.used("messages", message.index, "content", each) for each in range(2)]\n        {CONTENT}',
            ),
        ),
    ),
    "a code interpreter is claimed": Broken(
        ("claims 'code_interpreter'", "a code interpreter", UNWRITTEN),
        (
            claiming("code_interpreter"),
            (
                "in enumerate(chat.tools):",
                'in enumerate(chat.tools):\n        if tool["type"] != "function":\n            continue',
            ),
        ),
    ),
    # Facts that are wrong.
    "a capability is misspelt": Broken(
        ("capabilities contains 'tols'", "did you mean 'tools'?"), ((CLAIMS, CLAIMS.replace("tools", "tols")),)
    ),
    "a capability does not exist": Broken(
        ("capabilities contains 'telepathy'", "some of audio, "), (claiming("telepathy"),)
    ),
    "there is no source": Broken(("states no source", "try: state `source`"), (('source="its maker"', 'source=""'),)),
    "an option is not declared": Broken(
        ("reads the option 'style'", "try: name it in `options`"), ((TURN, f'chat.option("style")\n        {TURN}'),)
    ),
    "a marker is not declared": Broken(("'<|assistant|>'", *TAG), (('"<|assistant|>", ', ""),)),
    "a closing tag is not declared": Broken(("'</turn>'", *TAG), ending("</turn>", declared=False)),
    "a word in brackets is not declared": Broken(("'[END]'", *TAG), ending("[END]", declared=False)),
    "a token before the first turn is not declared": Broken(
        ("'[gMASK]'", "'<sop>'", *TAG),
        (("    for index, tool in", '    out.append("[gMASK]<sop>")\n    for index, tool in'),),
    ),
    "a token in a call is not declared": Broken(
        ("'<|calls|>'", *TAG),
        (("for call in message", 'message.tool_calls and out.append("<|calls|>")\n        for call in message'),),
    ),
    "the stop is not what ends a turn": Broken(
        ("['<|over|>'] are stops with no marker in them", "generation config"),
        (('    stop=["<|end|>"],\n    markers', '    stop=["<|over|>"],\n    markers'),),
    ),
    # Text that loses its origin.
    "texts are added": Broken(JOINED, ((f"{CONTENT}", 'out.append(message.content + "\\n")'),)),
    "texts are added in front": Broken(JOINED, ((f"{CONTENT}", 'out.append("\\n" + message.content)'),)),
    "texts are joined": Broken(JOINED, ((CONTENT, 'out.append("".join([message.content, "\\n"]))'),)),
    "an f-string": Broken(("f-string", "out += a, b"), ((CONTENT, 'out.append(f"{message.content}")'),)),
    "a percent sign": Broken(("f-string", "out += a, b"), ((CONTENT, 'out.append("%s\\n" % message.content)'),)),
    "a text is added to out": Broken(
        ("adds a text character by character", "out += a, b"), ((CONTENT, "out += message.content"),)
    ),
    "a program returns its text": Broken(
        ("a program returns nothing, it writes to `out`",),
        (('        out.append("<|assistant|>")', '        return "<|assistant|>"'),),
    ),
    # Programs that go wrong.
    "a program fails": Broken(
        ("KeyError: 'developer'", '{"system": 1', "chat.refuse"),
        ((TURN, f'{TURN}\n        {{"system": 1, "user": 1, "assistant": 1, "tool": 1}}[message.role]'),),
    ),
    "a prompt changes between calls": Broken(
        ("keep nothing between two calls",), ((TURN, f"{TURN}\n        out.append(str(next(COUNT)))"),)
    ),
    "tools are changed": Broken(
        ("changes what it is given", "copy it first"),
        (("for index, tool in", 'chat.tools and chat.tools[0]["function"].update(used=True)\n    for index, tool in'),),
    ),
    "a template cannot be pickled": Broken(
        ("cannot be pickled", "write its program as a function of a module"),
        (
            ('"model-chat",\n    write,', '"model-chat",\n    lambda chat, out: write(chat, out),'),
            ("return CHAT\n\n", "return CHAT.but(name=CHAT.name)\n\n"),
        ),
        hooks=True,
    ),
    # Grammars.
    "a grammar does not read what is written": Broken(
        ("is parsed as", "the grammar in `reply=`"), (("reply=MODEL_REPLIES.grammar,", ""),)
    ),
    "a mark is not in a tuple": Broken(
        ("sections[0].open is '<tool_call>'", "__init__.py:", 'Grammar("model_replies"'),
        ((GRAMMAR, 'sections=(JSON_IN_TAGS.but(open="<tool_call>"),)'),),
    ),
    "a pattern is wrong": Broken(
        ("stripped is not a regular expression", "__init__.py:", 'Grammar("model_replies"'),
        ((GRAMMAR, GRAMMAR + ', stripped="("'),),
    ),
    "a section has no calls": Broken(
        ("sections[0].calls is empty", "__init__.py:", 'Grammar("model_replies"'),
        ((GRAMMAR, "sections=(JSON_IN_TAGS.but(calls=()),)"),),
    ),
    "an id has no such field": Broken(
        ("KeyError: 'nme'", "__init__.py:", 'Grammar("model_replies"'), ((GRAMMAR, GRAMMAR + ', ids="{nme}"'),)
    ),
    "a fact of a grammar does not exist": Broken(
        ("Grammar() takes name, ", "check thoughts", "__init__.py:"), ((GRAMMAR, GRAMMAR + ", thoughts=THINK"),)
    ),
    "code in a grammar fails": Broken(
        ("ZeroDivisionError", "__init__.py:", "1 / 0", "in format(named={'name': ", "while reading "),
        (
            (
                "MODEL_REPLIES = ",
                "class Ids(str):\n    def format(self, **named):\n        return 1 / 0\n\n\nMODEL_REPLIES = ",
            ),
            (GRAMMAR, GRAMMAR + ', ids=Ids("call")'),
        ),
    ),
    # Hooks.
    "list_templates is not a hook": Broken(
        ("list_templates() " + NO_HOOKIMPL[0], NO_HOOKIMPL[1]),
        (("    @hookimpl\n    def list_templates", "    def list_templates"),),
        hooks=True,
    ),
    "match is not a hook": Broken(
        ("match() " + NO_HOOKIMPL[0], NO_HOOKIMPL[1]), ((FIRST_HOOK, "    def match"),), hooks=True
    ),
    "postprocess is not a hook": Broken(
        ("postprocess() " + NO_HOOKIMPL[0], NO_HOOKIMPL[1]),
        (hook("def postprocess(self, reply):\n        return reply", marked=False),),
        hooks=True,
    ),
    "a family's own match is not a hook": Broken(
        ("match() " + NO_HOOKIMPL[0], NO_HOOKIMPL[1]),
        (
            (
                "adapter = Family",
                "class Own(Family):\n    def match(self, ref):\n        return super().match(ref)\n\n\nadapter = Own",
            ),
        ),
    ),
    "a hook is misspelt": Broken(
        ("there is no hook 'post_process'", "did you mean 'postprocess'?"),
        (hook("def post_process(self, reply):\n        return reply"),),
        hooks=True,
    ),
    "a hook takes something else": Broken(
        ("path", "docs/reference/hooks.md"), (("def match(self, ref)", "def match(self, path)"),), hooks=True
    ),
    "postprocess fails": Broken(
        ("postprocess", "IndexError", "raise nothing in `postprocess`"),
        (hook("def postprocess(self, reply):\n        return reply.tool_calls[7]"),),
        hooks=True,
    ),
    "get_template gives nothing": Broken(
        ("get_template() returned None", "try: "), (("return CHAT\n\n", "return None\n\n"),), hooks=True
    ),
    "two templates have one name": Broken(
        ("each with its own name",), (("return [CHAT]", "return [CHAT, PLAIN.but(name=CHAT.name)]"),), hooks=True
    ),
    # Names.
    "every model is claimed": Broken(
        ("is claimed", "claim less"),
        ((CLAIM, "True"), ("Specificity.NAME", "Specificity.FAMILY")),
        hooks=True,
        metadata={"hints": ()},
    ),
    "match fails for odd paths": Broken(
        ("fails: IndexError", "return None for whatever it does not know"),
        ((CLAIM, f'{CLAIM} or ref.words[3] == "model"'),),
        hooks=True,
    ),
    "match remembers": Broken(
        ("decide by the path alone",), (('"model") if', '"model", reason=str(next(COUNT))) if'),), hooks=True
    ),
    "match waits": Broken(
        ("time.sleep", "do not open files, sleep"), ((CLAIM, f"{CLAIM} and not time.sleep(0.005)"),), hooks=True
    ),
    "a rule never decides": Broken(
        ("never decides", "try: delete the rule"), (('kind="base"))', 'kind="base"), Rule("model 7 b chat", CHAT))'),)
    ),
    # Packages.
    "lect is not bounded": Broken(("no upper bound", "`lect>=0.1,<1`"), metadata={"requires": ["lect>=0.1"]}),
    "a template is not declared": Broken(("which is not declared", "lect.templates"), metadata={"templates": []}),
}
