"""What a running server sends to its model: llama.cpp, vLLM, SGLang, or whatever has their endpoints.

A server is asked to render requests, never to generate. llama.cpp gives the text of a prompt (`/apply-template`), and
its tokens in a second request; vLLM and SGLang give token ids (`/tokenize`, `/v1/chat/completions/render`), of which
`/detokenize` gives the text.
"""

from __future__ import annotations

import json
from datetime import date
from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import Request

import lect
from lect.errors import LectError, saferepr
from lect_jinja.check import MOST_OF_A_SERVER, SEED
from lect_jinja.check.battery import CASES, is_plain, requests
from lect_jinja.check.exchange import NoAnswerError, ServerAnswer, answer_to
from lect_jinja.check.report import Report, compared, counted
from lect_jinja.check.telling import telling
from lect_jinja.identity.cases import REFUSED

if TYPE_CHECKING:
    from collections.abc import Callable

    from lect_jinja.check.report import Seen
    from lect_jinja.identity.cases import Case

ENDPOINTS = "/apply-template (llama.cpp), /tokenize with messages (vLLM, SGLang) or /v1/chat/completions/render (vLLM)"


class ServerError(LectError):
    """A server cannot be asked what it sends."""


class Server:
    """A server that renders requests.

    Args:
        url: Its address, `http://127.0.0.1:8000`.
        key: The API key that it wants; empty for none.
        timeout: How many seconds a request and its answer may take together.

    Raises:
        ServerError: If the address is no such thing, nobody answers, or nothing that is there renders a request.
    """

    def __init__(self, url: str, *, key: str = "", timeout: float = 10.0):
        if not _is_address(url):
            msg = f"{saferepr(url)} is no address of a server\n  try: --server http://127.0.0.1:8000"
            raise ServerError(msg)
        self.url = url.rstrip("/").removesuffix("/v1")
        self._timeout = timeout
        self._headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
        self.bos = ""
        """What the tokenizer of llama.cpp has put before the last prompt."""
        self.name = self._served_name()
        self._render = self._found()

    def prompt(self, case: Case) -> str | None:
        """Return what the server would send for a request, `REFUSED`, or None if it fails."""
        return self._render(case)

    def can_be_asked(self, case: Case) -> bool:
        """Return whether the server renders a request as it is: llama.cpp continues an answer at its end."""
        return self._render != self._llama_cpp or case.messages[-1]["role"] != "assistant"

    # How it renders

    def _found(self) -> Callable[[Case], str | None]:
        for way in (self._llama_cpp, self._tokenized, self._rendered):
            if way(CASES[0]) not in (None, REFUSED):
                return way
        msg = f"{self.url} renders no request: it has none of {ENDPOINTS}\n  try: the address of the engine itself"
        raise ServerError(msg)

    def _llama_cpp(self, case: Case) -> str | None:
        prompt = _text(self._post("/apply-template", self._request(case)), "prompt")
        if prompt is None or prompt == REFUSED:
            return prompt
        # The BOS is added when the text becomes tokens: a second one shows only there.
        wanted = {"content": prompt, "parse_special": True, "with_pieces": True}
        added, plain = (_pieces(self._post("/tokenize", wanted | {"add_special": each})) for each in (True, False))
        self.bos = added[0] if len(added) > len(plain) else ""
        return self.bos + prompt

    def _tokenized(self, case: Case) -> str | None:
        return self._of_ids(self._post("/tokenize", self._request(case)), "tokens")

    def _rendered(self, case: Case) -> str | None:
        return self._of_ids(self._post("/v1/chat/completions/render", self._request(case)), "token_ids")

    def _of_ids(self, answer: ServerAnswer, key: str) -> str | None:
        if answer.status != 200:
            return REFUSED if answer.status == 400 else None
        ids = answer.data.get(key) if isinstance(answer.data, dict) else None
        if not isinstance(ids, list) or not all(type(each) is int for each in ids):
            return None
        read = self._post("/detokenize", {"model": self.name, "tokens": ids, "skip_special_tokens": False})
        return _text(read, "prompt") or _text(read, "text")

    def _request(self, case: Case) -> dict[str, Any]:
        request: dict[str, Any] = {
            "model": self.name,
            "messages": [_as_sent(message) for message in case.messages],
            "add_generation_prompt": case.add_generation_prompt,
        }
        if case.tools:
            request["tools"] = case.tools
        if case.options:
            request["chat_template_kwargs"] = case.options
        return request

    # HTTP

    def _served_name(self) -> str:
        data = self._ask(Request(f"{self.url}/v1/models", headers=self._headers)).data  # noqa: S310  # checked
        models = data.get("data") if isinstance(data, dict) else None
        first = models[0] if isinstance(models, list) and models else None
        name = first.get("id") if isinstance(first, dict) else None
        return name if isinstance(name, str) else ""

    def _post(self, path: str, data: dict[str, Any]) -> ServerAnswer:
        return self._ask(Request(self.url + path, json.dumps(data).encode(), self._headers))  # noqa: S310

    def _ask(self, request: Request) -> ServerAnswer:
        try:
            answer = answer_to(request, self._timeout)
        except NoAnswerError as error:
            msg = f"{self.url} gives no answer: {error}\n  try: its address and port, or a longer --timeout"
            raise ServerError(msg) from error
        if answer.status in (401, 403):
            msg = f"{self.url} wants an API key ({answer.status})\n  try: --key-from NAME, a variable that holds it"
            raise ServerError(msg)
        return answer


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _as_sent(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message as OpenAI's API takes it: the arguments of calls are JSON as text."""
    calls = [
        {**call, "function": {**call["function"], "arguments": json.dumps(call["function"]["arguments"])}}
        for call in message.get("tool_calls", ())
    ]
    return {**message, "tool_calls": calls} if calls else message


def _text(answer: ServerAnswer, key: str) -> str | None:
    if answer.status == 400:
        return REFUSED
    found = answer.data.get(key) if answer.status == 200 and isinstance(answer.data, dict) else None
    return found if isinstance(found, str) else None


def _pieces(answer: ServerAnswer) -> list[str]:
    """Return the texts of tokens; one that is no text on its own is given as bytes, and left out."""
    tokens = answer.data.get("tokens") if isinstance(answer.data, dict) else None
    pieces = [each.get("piece") for each in tokens if isinstance(each, dict)] if isinstance(tokens, list) else []
    return [each for each in pieces if isinstance(each, str)]


def verified_server(
    server: Server, model: str = "", *, most: int = MOST_OF_A_SERVER, seed: str = SEED, seen: Seen | None = None
) -> Report:
    """Verify what a server sends.

    Args:
        server: The server.
        model: The model whose format it should have; by default the one that it says it serves.
        most: How many requests are compared.
        seed: Which ones.
        seen: Is called with how many were put to both sides.

    Raises:
        UnknownModelError: If nobody knows the model.
    """
    if not (model or server.name):
        msg = f"{server.url} does not say which model it serves\n  try: --model owner/name"
        raise ServerError(msg)
    resolution = lect.resolve(model or server.name, fallback=False)
    maker = resolution.template
    report = Report("no difference", server.url, resolution.ref.path, maker.name)

    def render(case: Case) -> str | None:
        prompt = server.prompt(case)
        # The maker's template leaves the BOS to the tokenizer, which has added it.
        return prompt.removeprefix(server.bos) if prompt and not maker.bos else prompt

    # A server renders for today, and wants images as data.
    every = requests(telling(maker, without=frozenset({"documents"})), seed)
    plain = (case._replace(day=date.today()) for case in every if is_plain(case) and server.can_be_asked(case))
    return report._replace(**compared(render, maker, counted(islice(plain, most), seen)))
