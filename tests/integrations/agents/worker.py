"""A coding agent's model that follows a script: it reads a file, edits it, runs it, sees it fail, and repairs it.

What it has done already it sees in the prompt, as a model would: by what its own calls said.
"""

import re
from dataclasses import dataclass

from fake_engines import said

FILE = "greeting.py"
BEGUN = 'def greet(name):\n    print(f"Helo, {nam}")\n\n\ngreet("world")\n'
ENDED = 'def greet(name):\n    print(f"Hello, {name}")\n\n\ngreet("world")\n'
TASK = "TASK in {} : there is one Python program. Mend its spelling, run it, and mend what is wrong."
AGAIN = "AGAIN: say that in other words."
DONE = "It prints Hello, world — é, 日本, 😀."
OTHER_WORDS = "The program greets the world now."
ASIDE = "Mend the greeting"
TITLES = "You are a title generator"
"""What opencode says first where it asks for a title: a format that lists no tools does not tell it otherwise."""


@dataclass(frozen=True)
class Hands:
    """What a client's tools are called, and how they are used.

    Attributes:
        read: The tool that reads, and its arguments for a path; None if the shell reads.
        edit: The tool that edits, and its arguments for a path, an old and a new text; None if the shell edits.
        run: The tool that runs a command, and its arguments for it.
    """

    run: object
    read: object = None
    edit: object = None


def shell_edit(path, old, new):
    return f"sed -i 's/{old}/{new}/' {path}"


HANDS = {
    "claude": Hands(
        run=lambda command: ("Bash", {"command": command, "description": "Run it"}),
        read=lambda path: ("Read", {"file_path": path}),
        edit=lambda path, old, new: ("Edit", {"file_path": path, "old_string": old, "new_string": new}),
    ),
    "codex": Hands(run=lambda command: ("exec_command", {"cmd": command})),
    "opencode": Hands(
        run=lambda command: ("bash", {"command": command, "description": "Run it"}),
        read=lambda path: ("read", {"filePath": path}),
        edit=lambda path, old, new: ("edit", {"filePath": path, "oldString": old, "newString": new}),
    ),
    "qwen": Hands(
        run=lambda command: ("run_shell_command", {"command": command, "is_background": False}),
        read=lambda path: ("read_file", {"file_path": path}),
        edit=lambda path, old, new: ("edit", {"file_path": path, "old_string": old, "new_string": new}),
    ),
}


def steps(hands, path):
    """Return the five calls, each with what shows in a prompt that it was made."""
    read = hands.read(path) if hands.read else hands.run(f"cat {path}")

    def edit(old, new):
        return hands.edit(path, old, new) if hands.edit else hands.run(shell_edit(path, old, new))

    return [
        (read, path),
        (edit("Helo", "Hello"), "Hello"),
        (hands.run(f"python3 {path} # first"), "# first"),
        (edit("{nam}", "{name}"), "{name}"),
        (hands.run(f"python3 {path} # second"), "# second"),
    ]


class Worker:
    """The script of a fake engine for one client.

    Attributes:
        options: With which options of the format the model thinks.
        made: The names of the calls that were made, in order.
        asides: How many requests were about something else, such as a title.
        turns: The prompt and the reply of each request of the task, as ids.
    """

    def __init__(self, client, template, tokenizer, folder):
        self.template, self.tokenizer = template, tokenizer
        self.folder = folder
        self.steps = steps(HANDS[client], f"{folder}/{FILE}")
        self.thinks, self.is_told_of_tools = ("reasoning" in template.capabilities, "tools" in template.capabilities)
        self.options = template.effort("high")
        self.made, self.asides, self.turns = [], 0, []

    def __call__(self, prompt, ids):
        message = self.message(prompt)
        if message is None:
            self.asides += 1
            message = {"role": "assistant", "content": ASIDE}
        opening = {"role": "user", "content": "x"}
        # What the model writes itself, in its own format, up to the token that ends it.
        written = self.template.reply_text([opening, message], tools=self.tools(message), **self.options)
        reply = said(self.tokenizer, str(written.text))
        if message["content"] != ASIDE:
            self.turns.append((list(ids), list(reply.ids)))
        return reply

    def message(self, prompt):
        """Return the next message of the task; None if the prompt is about something else."""
        asked = prompt.rfind("TASK in ")
        names = {name for (name, _), _ in self.steps} if self.is_told_of_tools else ()
        is_title = TITLES in prompt[:asked]
        if asked < 0 or is_title or not all(offers(prompt[:asked], name) for name in names):
            return None
        after = prompt[asked + len(TASK.format(self.folder)) :]
        if AGAIN in after:
            return self.says(OTHER_WORDS, "In other words, then.")
        done = at = 0
        for _, trace in self.steps:
            found = after.find(trace, at)
            if found < 0:
                break
            at, done = found + len(trace), done + 1
        if done == len(self.steps):
            return self.says(DONE, "It works, and says <Hello>.")
        (name, arguments), _ = self.steps[done]
        self.made.append(name)
        call = {"id": f"call_{done}", "type": "function", "function": {"name": name, "arguments": arguments}}
        return self.says("", f"Step {done + 1} of {len(self.steps)}: I call <{name}>.") | {"tool_calls": [call]}

    def says(self, content, thought):
        return {"role": "assistant", "content": content} | ({"reasoning_content": thought} if self.thinks else {})

    def tools(self, message):
        """Return the schemas of the tools that a message calls, as far as a format asks for them."""
        types = {str: "string", bool: "boolean"}
        return [
            {
                "type": "function",
                "function": {
                    "name": call["function"]["name"],
                    "parameters": {
                        "type": "object",
                        "properties": {
                            name: {"type": types[type(value)]} for name, value in call["function"]["arguments"].items()
                        },
                    },
                },
            }
            for call in message.get("tool_calls", ())
        ] or None

    def beginnings(self):
        """Return how many prompts of the task do not go on from an earlier prompt and what was sampled after it."""
        lines, found = [], 0
        for prompt, reply in self.turns:
            found += not any(prompt[: len(line)] == line for line in lines)
            lines.append(prompt + reply)
        return found


def offers(prompt, name):
    """Return whether a prompt offers a tool, in whichever notation of tools."""
    return re.search(rf'(?:"name": ?"|\btype |### |<name>|# ){name}\b', prompt) is not None
