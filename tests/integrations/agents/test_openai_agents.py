"""OpenAI's agents SDK runs tools over `lect serve`, by both of OpenAI's APIs, whole and streamed."""

import asyncio

import pytest
from fake_engines import FakeVllm, said, serving, tiny_of

import lect

agents = pytest.importorskip("agents")
openai = pytest.importorskip("openai")

MODEL = "Qwen/Qwen3-8B"
ANSWER = "It is 5, or FIVE."


def thinking(text, **more):
    return {"role": "assistant", "content": text, "reasoning_content": "Let me see.", **more}


def calling(name, arguments):
    return thinking(
        "", tool_calls=[{"id": "c", "type": "function", "function": {"name": name, "arguments": arguments}}]
    )


def scripted(template, tokenizer):
    """Return a model that adds two numbers, shouts the sum, and answers."""
    steps = [calling("add", {"a": 2, "b": 3}), calling("shout", {"text": "five"}), thinking(ANSWER)]

    def script(prompt, ids):
        step = steps[prompt.count("<tool_response>")]
        return said(tokenizer, str(template.reply_text([{"role": "user", "content": "x"}, step]).text))

    return script


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("api", ["OpenAIResponsesModel", "OpenAIChatCompletionsModel"])
def test_an_agent_calls_two_tools_and_answers(serve, api, streamed):
    template = lect.get_template(MODEL)
    tokenizer = tiny_of(template)
    agents.set_tracing_disabled(True)
    called = []

    @agents.function_tool
    def add(a: int, b: int) -> int:
        """Add two numbers."""
        called.append((a, b))
        return a + b

    @agents.function_tool
    def shout(text: str) -> str:
        """Say it louder."""
        called.append(text)
        return text.upper()

    async def run(url):
        async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="none") as client:
            model = getattr(agents, api)(model="local", openai_client=client)
            agent = agents.Agent(name="A", instructions="Use the tools.", tools=[add, shout], model=model)
            if not streamed:
                return await agents.Runner.run(agent, "What is 2 + 3, shouted?")
            result = agents.Runner.run_streamed(agent, "What is 2 + 3, shouted?")
            async for _ in result.stream_events():
                pass
            return result

    with (
        serving(FakeVllm(tokenizer, scripted(template, tokenizer)).app) as engine,
        serve(MODEL, engine, tokenizer, {}) as served,
    ):
        result = asyncio.run(run(served.url))
    assert result.final_output == ANSWER
    assert called == [(2, 3), "five"]
