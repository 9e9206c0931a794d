"""A client of `lect serve` that calls tools, and what a scripted model says to it."""

import json

LOOK = {"type": "function", "function": {"name": "look", "description": "Look.", "parameters": {"type": "object", "properties": {"q": {"type": "string"}, "all": {"type": "boolean"}}}}}  # fmt: skip
CALLS = '<think>\nI look.\n</think>\n\n<tool_call>\n{"name": "look",  "arguments": {"q": "x"}}\n</tool_call><|im_end|>'
"""With two spaces, which no template writes."""
DONE = "<think>\nSeen.\n</think>\n\nIt is wet.<|im_end|>"
SYSTEM = {"role": "system", "content": "You help. " * 30}
QUESTION = {"role": "user", "content": "How is it?"}
HEADERS = {"x-session-id": "one"}


class Agent:
    """A client of chat completions that has tools."""

    def __init__(self, client, headers=HEADERS, messages=(SYSTEM, QUESTION)):
        self.client, self.headers, self.messages, self.answers = client, headers, [*messages], []

    def ask(self, **more):
        body = {"model": "m", "messages": self.messages, "tools": [LOOK], **more}
        answer = self.client.post("/v1/chat/completions", json=body, headers=self.headers)
        assert answer.status_code == 200, answer.text
        self.answers.append(answer)
        message = answer.json()["choices"][0]["message"]
        self.messages.append(message)
        return message

    def result(self, text="wet"):
        call = self.messages[-1]["tool_calls"][0]
        self.messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})

    def say(self, text):
        self.messages.append({"role": "user", "content": text})

    @property
    def how(self):
        return [each.headers["x-lect-history"] for each in self.answers]


def loop(agent, change=lambda message: None):
    change(agent.ask())
    agent.result()
    return agent.ask()


def rows(directory):
    (file,) = directory.iterdir()
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]
