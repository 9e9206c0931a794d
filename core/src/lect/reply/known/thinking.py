"""Formats that mark reasoning and nothing else."""

from lect.reply.grammar import SPACE, Grammar, Reasoning, Wrapper

CHATML_END = ("<|im_end|>", "<|endoftext|>")

TAGS = Reasoning(("<think>",), ("</think>",), lead="\n", trail="\n", after="\n")
"""What most families write: their templates put a line end after the opening, one before the close and two after it."""

PLAIN = Grammar("plain", models="Anyone who marks nothing", example="Hello, world!")

THINK = Grammar(
    "think",
    reasoning=Reasoning(
        ("<think>",),
        ("</think>",),
        until=("<tool_call>", "<|tool_calls_section_begin|>"),
        lead="\n",
        trail=SPACE,
        after=SPACE,
    ),
    end=(*CHATML_END, "<｜end▁of▁sentence｜>"),
    models="DeepSeek-R1, Qwen3, QwQ and others, where calls are no matter",
    example="<think>\nTwo and two.\n</think>\n\nFour.",
)
# The prompt opens the reasoning, and the content shall show that.
MINIMAX_APPEND_THINK = Grammar(
    "minimax_append_think",
    prefix="<think>",
    end=("[e~[",),
    models="MiniMax-M2, for clients that want reasoning in the content",
    example="Two and two.</think>Four.",
)
GRANITE_THINK = Grammar(
    "granite_think",
    reasoning=Reasoning(
        ("Here is my thought process:", "Here's my thought process:"),
        ("Here is my response:", "Here's my response:"),
        lead=SPACE,
        trail=SPACE,
        after=SPACE,
    ),
    end=("<|end_of_text|>",),
    models="Granite 3.2",
    example="Here is my thought process: Two and two.\nHere is my response: Four.",
)
KIMI_VL_THINK = Grammar(
    "kimi_vl_think",
    reasoning=Reasoning(("◁think▷",), ("◁/think▷",), lead="\n", trail="\n", after="\n"),
    end=("<|im_end|>",),
    models="Kimi-VL-Thinking",
    example="◁think▷Two and two.◁/think▷Four.",
)
ANSWER = Wrapper(("<answer>\n", "<answer>"), ("\n</answer>", "</answer>"))
RESPONSE = Wrapper(("<response>\n", "<response>"), ("\n</response>", "</response>"))
