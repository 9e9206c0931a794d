"""SmolLM3: a system turn about the mode of reasoning, the caller's instructions and the tools."""

from collections.abc import Sequence
from typing import Any

from lect.plugin import Chat, Template, Writer
from lect.plugin.grammar import HERMES_JSON, PYTHON_CALL, THINK, Section

NO_THOUGHT = "<think>\n\n</think>\n"
IDENTITY = "You are a helpful AI assistant named SmolLM, trained by Hugging Face."
THINK_FIRST = (
    f"{IDENTITY} Your role as an assistant involves thoroughly exploring questions through a systematic thinking "
    "process before providing the final precise and accurate solutions. This requires engaging in a comprehensive "
    "cycle of analysis, summarizing, exploration, reassessment, reflection, backtracking, and iteration to develop "
    "well-considered thinking process. Please structure your response into two main sections: Thought and Solution "
    "using the specified format: <think> Thought section </think> Solution section. In the Thought section, detail "
    "your reasoning process in steps. Each step should include detailed considerations such as analysing questions, "
    "summarizing relevant findings, brainstorming new ideas, verifying the accuracy of the current steps, refining any "
    "errors, and revisiting previous steps. In the Solution section, based on various attempts, explorations, and "
    "reflections from the Thought section, systematically present the final solution that you deem correct. The "
    "Solution section should be logical, accurate, and concise and detail necessary steps needed to reach the "
    "conclusion."
)


def thinks(chat: Chat) -> bool:
    """Return whether the model is to think: a word in the system text overrides the option `enable_thinking`."""
    text = chat.system.content if chat.system else ""
    if "/no_think" in text:
        return False
    return "/think" in text or bool(chat.option("enable_thinking", True))


def write_printed(chat: Chat, out: Writer, tools: Sequence[Any], *path: str) -> None:
    """Write tools, one per line: texts as they are, schemas as Python prints them."""
    out.append("<tools>\n")
    if isinstance(tools, str):
        # The maker's template takes a text for a list of characters.
        out.append(chat.transformed(tools, lambda text: "".join(f"{character}\n" for character in text), *path))
    else:
        for index, tool in enumerate(tools):
            out += chat.text(tool, *path, index), "\n"
    out.append("</tools>\n\n")


def tools_in(chat: Chat, option: str) -> Sequence[Any]:
    """Return the tools in an option: a list of texts or schemas, or a text."""
    tools: Sequence[Any] = chat.option(option) or ()
    if not isinstance(tools, str):
        schemas = [tool for tool in tools if not isinstance(tool, str)] if isinstance(tools, list | tuple) else tools
        chat.expect("mappings", schemas, "options", option)
    return tools


def tools_of(chat: Chat) -> tuple[Sequence[Any], tuple[str, ...]]:
    """Return the tools to call in JSON and their path; `tools` takes precedence over the option `xml_tools`."""
    if chat.tools:
        return chat.tools, ("tools",)
    return tools_in(chat, "xml_tools"), ("options", "xml_tools")


def write_tools(chat: Chat, out: Writer) -> None:
    """Write the tools, those of the option `python_tools` to be called in code; only then is the system turn closed."""
    tools, path = tools_of(chat)
    python_tools = tools_in(chat, "python_tools")
    if not (tools or python_tools):
        return
    out.append("### Tools\n\n")
    if tools:
        out.append(
            "You may call one or more functions to assist with the user query.\n"
            "You are provided with function signatures within <tools></tools> XML tags:\n\n"
        )
        write_printed(chat, out, tools, *path)
        out.append(
            "For each function call, return a json object with function name and arguments within "
            "<tool_call></tool_call> XML tags:\n<tool_call>\n"
            '{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>'
        )
    if python_tools:
        out.append(
            "When you send a message containing Python code between '<code>' and '</code>' tags, it will be executed "
            "in a stateful Jupyter notebook environment, and you will then be given the output to continued reasoning "
            "in an agentic loop.\n\nYou can use the following tools in your python code like regular functions:\n"
        )
        write_printed(chat, out, python_tools, "options", "python_tools")
        out.append(
            "The state persists between code executions: so variables that you define in one step are still available "
            "thereafter."
        )
    out.append("\n\n<|im_end|>\n")


def write_system(chat: Chat, out: Writer, *, think: bool) -> None:
    """Write the system turn; with `/system_override` in its text, only that text is written."""
    system = chat.system
    text = system.content if system else ""
    instructions = text.replace("/no_think", "").replace("/think", "").rstrip()
    out.append("<|im_start|>system\n")
    out.turn(system)
    if "/system_override" in text:
        out += instructions.replace("/system_override", "").rstrip(), "<|im_end|>\n"
        out.turn(None)
        return
    out += "## Metadata\n\nKnowledge Cutoff Date: June 2025\nToday Date: ", chat.date().strftime("%d %B %Y")
    out += "\nReasoning Mode: ", "/think" if think else "/no_think", "\n\n## Custom Instructions\n\n"
    out += instructions or (THINK_FIRST if think else IDENTITY), "\n\n"
    out.turn(None)
    write_tools(chat, out)


def smollm3(chat: Chat, out: Writer) -> None:
    """Write SmolLM3. Results of tools are user turns; calls are not written."""
    think = thinks(chat)
    write_system(chat, out, think=think)
    opening = "<|im_start|>assistant\n" if think else f"<|im_start|>assistant\n{NO_THOUGHT}"
    for message in out.turns(chat.messages):
        role = message.role
        if role == "user":
            out += "<|im_start|>", role, "\n", message.content, "<|im_end|>\n"
        elif role == "assistant":
            out += opening, message.content.lstrip("\n"), "<|im_end|>\n"
        elif role == "tool":
            out += "<|im_start|>user\n", message.content, "<|im_end|>\n"
    if chat.add_generation_prompt:
        out.append(opening)


SMOLLM3 = Template(
    "smollm3",
    smollm3,
    roles=["system", "user", "assistant", "tool"],
    capabilities=["system", "tools", "reasoning"],
    options={"enable_thinking": bool, "xml_tools": None, "python_tools": None, "date": None},
    stop={"<|im_end|>": 128012, "<|end_of_text|>": 128001},
    markers=[
        "<|im_start|>", "<|im_end|>", "<|begin_of_text|>", "<|end_of_text|>", "<|eot_id|>", "<|eom_id|>",
        "<|start_header_id|>", "<|end_header_id|>", "<|python_tag|>", "<|finetune_right_pad_id|>",
        "<|reserved_special_token_{}|>", "<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_response>",
        "</tool_response>", "<code>", "</code>",
    ],
    # The replies of Hermes and Qwen; what is round a thought as in the reply in ggml-org/llama.cpp#14581. The tools of
    # `python_tools` are called in code: a call is read, and any other code is content.
    reply=HERMES_JSON.but(
        reasoning=THINK.but(written=("\n", "\n</think>\n\n")),
        sections=(*HERMES_JSON.sections, Section((PYTHON_CALL.but(known=True),), ("<code>",), ("</code>",))),
    ),
    source="HuggingFaceTB/SmolLM3-3B, chat_template.jinja",
)  # fmt: skip
