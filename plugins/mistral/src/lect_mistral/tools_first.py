"""Devstral and the reasoning models of Ministral 3: the tools follow the system prompt."""

from lect.plugin import Chat, Message, Writer
from lect_mistral.content import system_text, write_content
from lect_mistral.library import (
    MAGISTRAL_2509,
    MINISTRAL_3,
    chunks_of_message,
    write_calls,
    write_chunks,
    write_result,
)

DEVSTRAL_SYSTEM = (
    "You are Devstral, a helpful agentic model trained by Mistral AI and using the OpenHands scaffold. You can "
    "interact with a computer to solve tasks.\n\n"
    "<ROLE>\n"
    "Your primary role is to assist users by executing commands, modifying code, and solving technical problems "
    "effectively. You should be thorough, methodical, and prioritize quality over speed.\n"
    '* If the user asks a question, like "why is X happening", don\'t try to fix the problem. Just give an answer to '
    "the question.\n"
    "</ROLE>\n\n"
    "<EFFICIENCY>\n"
    "* Each action you take is somewhat expensive. Wherever possible, combine multiple actions into a single action, "
    "e.g. combine multiple bash commands into one, using sed and grep to edit/view multiple files at once.\n"
    "* When exploring the codebase, use efficient tools like find, grep, and git commands with appropriate filters to "
    "minimize unnecessary operations.\n"
    "</EFFICIENCY>\n\n"
    "<FILE_SYSTEM_GUIDELINES>\n"
    "* When a user provides a file path, do NOT assume it's relative to the current working directory. First explore "
    "the file system to locate the file before working on it.\n"
    "* If asked to edit a file, edit the file directly, rather than creating a new file with a different filename.\n"
    "* For global search-and-replace operations, consider using `sed` instead of opening file editors multiple times.\n"
    "</FILE_SYSTEM_GUIDELINES>\n\n"
    "<CODE_QUALITY>\n"
    "* Write clean, efficient code with minimal comments. Avoid redundancy in comments: Do not repeat information that "
    "can be easily inferred from the code itself.\n"
    "* When implementing solutions, focus on making the minimal changes needed to solve the problem.\n"
    "* Before implementing any changes, first thoroughly understand the codebase through exploration.\n"
    "* If you are adding a lot of code to a function or file, consider splitting the function or file into smaller "
    "pieces when appropriate.\n"
    "</CODE_QUALITY>\n\n"
    "<VERSION_CONTROL>\n"
    '* When configuring git credentials, use "openhands" as the user.name and "openhands@all-hands.dev" as the '
    "user.email by default, unless explicitly instructed otherwise.\n"
    "* Exercise caution with git operations. Do NOT make potentially dangerous changes (e.g., pushing to main, "
    "deleting repositories) unless explicitly asked to do so.\n"
    "* When committing changes, use `git status` to see all modified files, and stage all files necessary for the "
    "commit. Use `git commit -a` whenever possible.\n"
    "* Do NOT commit files that typically shouldn't go into version control (e.g., node_modules/, .env files, build "
    "directories, cache files, large binaries) unless explicitly instructed by the user.\n"
    "* If unsure about committing certain files, check for the presence of .gitignore files or ask the user for "
    "clarification.\n"
    "</VERSION_CONTROL>\n\n"
    "<PULL_REQUESTS>\n"
    "* When creating pull requests, create only ONE per session/issue unless explicitly instructed otherwise.\n"
    "* When working with an existing PR, update it with new commits rather than creating additional PRs for the same "
    "issue.\n"
    "* When updating a PR, preserve the original PR title and purpose, updating description only when necessary.\n"
    "</PULL_REQUESTS>\n\n"
    "<PROBLEM_SOLVING_WORKFLOW>\n"
    "1. EXPLORATION: Thoroughly explore relevant files and understand the context before proposing solutions\n"
    "2. ANALYSIS: Consider multiple approaches and select the most promising one\n"
    "3. TESTING:\n"
    "   * For bug fixes: Create tests to verify issues before implementing fixes\n"
    "   * For new features: Consider test-driven development when appropriate\n"
    "   * If the repository lacks testing infrastructure and implementing tests would require extensive setup, consult "
    "with the user before investing time in building testing infrastructure\n"
    "   * If the environment is not set up to run tests, consult with the user first before investing time to install "
    "all dependencies\n"
    "4. IMPLEMENTATION: Make focused, minimal changes to address the problem\n"
    "5. VERIFICATION: If the environment is set up to run tests, test your implementation thoroughly, including edge "
    "cases. If the environment is not set up to run tests, consult with the user first before investing time to run "
    "tests.\n"
    "</PROBLEM_SOLVING_WORKFLOW>\n\n"
    "<SECURITY>\n"
    "* Only use GITHUB_TOKEN and other credentials in ways the user has explicitly requested and would expect.\n"
    "* Use APIs to work with GitHub or other platforms, unless the user asks otherwise or your task requires "
    "browsing.\n"
    "</SECURITY>\n\n"
    "<ENVIRONMENT_SETUP>\n"
    "* When user asks you to run an application, don't stop if the application is not installed. Instead, please "
    "install the application and run the command again.\n"
    "* If you encounter missing dependencies:\n"
    "  1. First, look around in the repository for existing dependency files (requirements.txt, pyproject.toml, "
    "package.json, Gemfile, etc.)\n"
    "  2. If dependency files exist, use them to install all dependencies at once (e.g., `pip install -r "
    "requirements.txt`, `npm install`, etc.)\n"
    "  3. Only install individual packages directly if no dependency files are found or if only specific packages are "
    "needed\n"
    "* Similarly, if you encounter missing dependencies for essential tools requested by the user, install them when "
    "possible.\n"
    "</ENVIRONMENT_SETUP>\n\n"
    "<TROUBLESHOOTING>\n"
    "* If you've made repeated attempts to solve a problem but tests still fail or the user reports it's still "
    "broken:\n"
    "  1. Step back and reflect on 5-7 different possible sources of the problem\n"
    "  2. Assess the likelihood of each possible cause\n"
    "  3. Methodically address the most likely causes, starting with the highest probability\n"
    "  4. Document your reasoning process\n"
    "* When you run into any major issue while executing a plan from the user, please don't try to directly work "
    "around it. Instead, propose a new plan and confirm with the user before proceeding.\n"
    "</TROUBLESHOOTING>"
)
MINISTRAL_3_SYSTEM = (
    "# HOW YOU SHOULD THINK AND ANSWER\n\n"
    "First draft your thinking process (inner monologue) until you arrive at a response. Format your response using "
    "Markdown, and use LaTeX for any mathematical equations. Write both your thoughts and the response in the same "
    "language as the input.\n\n"
    "Your thinking process must follow the template below:[THINK]Your thoughts or/and draft, like working through an "
    "exercise on scratch paper. Be as casual and as long as you want until you are confident to generate the response "
    "to the user.[/THINK]Here, provide a self-contained response."
)


_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "'": "&#39;", '"': "&#34;"})


def escaped(text: str) -> str:
    """Return a text as Jinja escapes it for HTML."""
    return text.translate(_ESCAPES)


def write_escaped_calls(chat: Chat, out: Writer, message: Message) -> None:
    """Write calls; where the arguments become JSON, the maker's template takes that for HTML and escapes the name."""
    for call in message.tool_calls:
        is_text = isinstance(call.arguments, str)
        name = call.name if is_text else chat.transformed(call.name, escaped, *call.path, "name")
        out += "[TOOL_CALLS]", name, "[ARGS]", chat.arguments_as_given(call)


def write_tools(chat: Chat, out: Writer) -> None:
    """Write the tools, if there are any."""
    if chat.tools:
        out += "[AVAILABLE_TOOLS]", chat.json(chat.tools, "tools"), "[/AVAILABLE_TOOLS]"


def devstral(chat: Chat, out: Writer) -> None:
    """Write Devstral."""
    system = chat.system
    out.append(chat.bos)
    out.turn(system)
    out += "[SYSTEM_PROMPT]", system_text(chat, system) if system else chat.default_system, "[/SYSTEM_PROMPT]"
    out.turn(None)
    write_tools(chat, out)
    for message in out.turns(chat.without_system):
        if message.role == "user":
            out.append("[INST]")
            write_content(chat, out, message)
            out.append("[/INST]")
        elif message.role == "system":
            out += "[SYSTEM_PROMPT]", system_text(chat, message), "[/SYSTEM_PROMPT]"
        elif message.role == "assistant":
            out.append(message.parts[0].text if message.parts else message.content)
            write_calls(chat, out, message)
            out.append(chat.eos)
        elif message.role in ("tool", "tool_results"):
            write_result(chat, out, message, numbered=False)
        else:
            chat.refuse(f"there is no turn for the role {message.role!r}", instead="system, user, assistant or tool")


def ministral_3_reasoning(chat: Chat, out: Writer) -> None:
    """Write the reasoning models of Ministral 3, which take thoughts as parts of the content."""
    system = chat.system
    out.append(chat.bos)
    out.turn(system)
    out.append("[SYSTEM_PROMPT]")
    if system:
        write_chunks(chat, out, chunks_of_message(system), ["thinking"])
    else:
        out.append(chat.default_system)
    out.append("[/SYSTEM_PROMPT]")
    out.turn(None)
    write_tools(chat, out)
    messages = chat.without_system
    chat.require_alternation(
        [message for message in messages if message.role in ("user", "assistant") and not message.tool_calls]
    )
    for message in out.turns(messages):
        chunks = chunks_of_message(message)
        if message.role == "user":
            out.append("[INST]")
            # Two parts are sorted by type, so that an image comes first.
            in_order = sorted(chunks, key=lambda chunk: chunk.type) if len(chunks) == 2 else chunks
            write_chunks(chat, out, in_order, ["image"])
            out.append("[/INST]")
        elif message.role == "assistant":
            if not (message.content or message.parts or message.tool_calls):
                chat.refuse("an assistant message has neither content nor tool calls", instead="leave the message out")
            write_chunks(chat, out, chunks, ["thinking"])
            write_escaped_calls(chat, out, message)
            out.append(chat.eos)
        elif message.role == "tool":
            write_result(chat, out, message, numbered=False)
        else:
            chat.refuse(f"there is no turn for the role {message.role!r} here", instead="user, assistant or tool")


DEVSTRAL = MINISTRAL_3.but(
    name="devstral-2507",
    program=devstral,
    roles=["system", "user", "assistant", "tool", "tool_results"],
    accepts=["parts"],
    default_system=DEVSTRAL_SYSTEM,
    media={},
    source="unsloth/Devstral-Small-2507, chat_template.jinja; its maker publishes none",
    evidence="second-hand",
)
MINISTRAL_3_REASONING = MAGISTRAL_2509.but(
    name="ministral-3-reasoning",
    program=ministral_3_reasoning,
    default_system=MINISTRAL_3_SYSTEM,
    source="mistralai/Ministral-3-14B-Reasoning-2512, chat_template.jinja",
)
