"""Sessions: what a client goes on with is what was sampled, what it changed is said, and both are recorded."""

import json
from itertools import pairwise

import pytest
from talking_agent import CALLS, DONE, HEADERS, LOOK, QUESTION, SYSTEM, Agent, loop, rows

import lect


def ids_of(engine):
    return [list(each.ids) for each in engine.asked]


def sampled_by(engine, *texts):
    return [engine.ids(text) for text in texts]


def test_in_the_words_of_the_client_a_prompt_is_what_the_client_sends(asking, scripted):
    engine = scripted(CALLS, DONE)
    with asking(engine) as (client, _):
        agent = Agent(client)
        loop(agent)
    first, second = ids_of(engine)
    calls, _ = sampled_by(engine, CALLS, DONE)
    assert second[: len(first)] == first
    assert second[: len(first) + len(calls)] != first + calls  # It has one space there.
    assert agent.how == ["new", "fork"]


def test_in_the_sampled_words_nothing_that_was_sampled_is_written_anew(asking, scripted):
    engine = scripted(CALLS, CALLS, DONE)
    with asking(engine, history="sampled") as (client, server):
        agent = Agent(client)
        loop(agent)
        agent.result("still wet")
        agent.ask()
    prompts, calls = ids_of(engine), sampled_by(engine, CALLS)[0]
    for before, after in pairwise(prompts):
        assert after[: len(before) + len(calls)] == before + calls
    assert agent.how == ["new", "extension", "extension"]
    (line,) = server.sessions
    assert list(line.ids) == prompts[-1] + sampled_by(engine, DONE)[0]
    assert sum(line.sampled) == 2 * len(calls) + len(sampled_by(engine, DONE)[0])


def spelled_anew(message):
    function = message["tool_calls"][0]["function"]
    function["arguments"] = json.dumps(json.loads(function["arguments"]), indent=2)


def defaults_added(message):
    function = message["tool_calls"][0]["function"]
    function["arguments"] = json.dumps({"all": False, **json.loads(function["arguments"])})


def reasoning_gone(message):
    del message["reasoning_content"]


def another_value(message):
    message["tool_calls"][0]["function"]["arguments"] = '{"q": "y"}'


def another_text(message):
    message["content"] = "Let me look!"


def other_thoughts(message):
    message["reasoning_content"] = "I would rather not."


@pytest.mark.parametrize(
    ("change", "how"),
    [
        (spelled_anew, "extension"), (defaults_added, "extension"), (reasoning_gone, "extension"),
        (another_value, "fork"), (another_text, "fork"), (other_thoughts, "fork"),
    ],
)  # fmt: skip
def test_what_a_client_spells_anew_is_still_the_models_and_what_a_person_edits_is_not(asking, scripted, change, how):
    engine = scripted(CALLS, DONE)
    with asking(engine, history="sampled") as (client, server):
        agent = Agent(client)
        loop(agent, change)
        noted = [note for line in server.sessions for note in line.changes]
    assert agent.how == ["new", how]
    assert noted == (["the client added all to the arguments of look"] if change is defaults_added else [])


def test_reasoning_that_the_format_drops_at_a_new_question_is_kept_only_if_that_is_asked_for(asking, scripted):
    for keeps, how in ((False, "fork"), (True, "extension")):
        engine = scripted(CALLS, DONE, DONE)
        with asking(engine, history="sampled", keep_reasoning=keeps) as (client, server):
            agent = Agent(client)
            loop(agent)
            agent.say("And now?")
            agent.ask()
            agent.say("And then?")
            agent.ask()
            assert agent.how == ["new", "extension", how, how]
            assert len([*server.sessions]) == (1 if keeps else 3)
            if not keeps:
                assert [line.why and line.why.rule for line in server.sessions] == [None, "left out", "left out"]


def test_without_a_key_a_session_is_known_by_its_beginning(asking, scripted):
    engine = scripted(CALLS, CALLS, DONE, DONE)
    other = {"role": "user", "content": "Another question"}
    with asking(engine, history="sampled") as (client, _server):
        agents = [Agent(client, {}), Agent(client, {}, [SYSTEM, other])]
        for agent in agents:
            agent.ask()
        for agent in agents:
            agent.result()
            agent.ask()
    assert [agent.how for agent in agents] == [["new", "extension"]] * 2


def test_a_session_is_of_one_api_key(asking, scripted):
    engine = scripted(CALLS, DONE)
    with asking(engine, history="sampled", keys=("a", "b")) as (client, server):
        for key in "ab":
            agent = Agent(client, {**HEADERS, "x-api-key": key})
            agent.ask()
        assert len({line.key for line in server.sessions}) == 2


def test_two_requests_that_go_on_with_one_line_are_two_lines(asking, scripted):
    engine = scripted(CALLS, DONE)
    with asking(engine, history="sampled") as (client, server):
        agent = Agent(client)
        agent.ask()
        agent.result()
        twins = [Agent(client, messages=agent.messages) for _ in range(2)]
        for twin in twins:
            twin.ask()
        assert twins[0].how == ["extension"]
        assert twins[1].how != ["extension"]
        assert len([*server.sessions]) == 2


@pytest.mark.parametrize("history", ["client", "sampled"])
def test_several_answers_to_one_question_are_lines_and_no_forks(asking, scripted, history, caplog):
    caplog.set_level("INFO", "lect_serve")
    with asking(scripted(CALLS, CALLS, DONE), history=history) as (client, server):
        agents = [Agent(client, {}) for _ in range(2)]
        for agent in agents:
            agent.ask()
        for agent in reversed(agents):
            agent.result()
            agent.ask()
    assert [agent.how[0] for agent in agents] == ["new", "new"]
    assert [line.turns for line in server.sessions] == ([2, 2] if history == "sampled" else [1, 1, 1, 1])
    forks = [each for each in caplog.records if "fork:" in each.getMessage()]
    assert len(forks) == (0 if history == "sampled" else 1)


def test_two_requests_at_once_that_go_on_with_one_line_do_not_mix(model, scripted):
    import asyncio

    from lect_serve import Settings, app

    async def run():
        go = asyncio.Event()
        engine = scripted(CALLS, [DONE[:14], go.wait, DONE[14:]])
        server = app(Settings("Qwen/Qwen3-8B", history="sampled"), model=model, engines=[engine]).state.server
        await server.start()
        sent = []

        async def answer(messages):
            job = await server.prepared("chat", {"messages": messages, "tools": [LOOK]}, HEADERS)

            async def receive():
                await asyncio.Event().wait()

            async def send(message):
                sent.append(message)

            await job({}, receive, send)
            return json.loads(sent[-1]["body"])["choices"][0]["message"]

        first = [SYSTEM, QUESTION]
        message = await answer(first)
        result = {"role": "tool", "tool_call_id": message["tool_calls"][0]["id"]}
        both = [asyncio.create_task(answer([*first, message, {**result, "content": text}])) for text in ("a", "b")]
        while len(engine.asked) < 3:
            await asyncio.sleep(0)
        go.set()
        await asyncio.gather(*both)
        prompts = [list(each.ids) for each in engine.asked[1:]]
        lines = [list(line.ids) for line in server.sessions]
        assert sorted(lines) == sorted(prompt + engine.ids(DONE) for prompt in prompts)
        await server.stop()

    asyncio.run(run())


def test_why_a_prompt_continues_nothing_is_told(asking, scripted, caplog):
    caplog.set_level("INFO", "lect_serve")
    with asking(scripted(CALLS, DONE)) as (client, _):
        agent = Agent(client)
        agent.ask()
        agent.result()
        agent.messages[0] = {"role": "system", "content": "You help 2. " * 30}
        agent.ask()
        told = client.get(f"/sessions/{agent.answers[0].headers['x-lect-session']}").json()
        assert client.get("/sessions/nothing").status_code == 404
    why = told["lines"][1]["why"]
    assert (why["kind"], why["rule"], why["now"]) == ("fork", "changed", "messages[0].content")
    assert 0 < why["kept"] < why["lost"]
    (line,) = [
        each.getMessage() for each in caplog.records if "messages[0].content is not what it was" in each.getMessage()
    ]
    assert f"{why['kept']} tokens kept, {why['lost']} lost" in line
    assert not [each for each in caplog.records if "You help" in each.getMessage()], "no bodies in the log"


def test_a_title_in_between_is_another_conversation(asking, scripted):
    engine = scripted(CALLS, DONE)
    with asking(engine, history="sampled") as (client, _):
        agent = Agent(client)
        agent.ask()
        title = client.post(
            "/v1/chat/completions", json={"messages": [{"role": "user", "content": "A title!"}]}, headers=HEADERS
        )
        agent.result()
        agent.ask()
    assert (title.headers["x-lect-history"], agent.how) == ("other", ["new", "extension"])


def test_a_recorded_line_is_what_a_rollout_gives(asking, scripted, tmp_path, model):
    engine = scripted(CALLS, DONE)
    with asking(engine, record=str(tmp_path)) as (client, _):
        loop(Agent(client))
    (row,) = rows(tmp_path)
    rollout = lect.rollout("Qwen/Qwen3-8B", row["messages"][:2], model.tokenizer, tools=row["tools"])
    reply = rollout.feed(engine.ids(CALLS))
    rollout.add([{**row["messages"][3], "tool_call_id": reply.tool_calls[0].id}])
    rollout.feed(engine.ids(DONE))
    assert row["input_ids"] == rollout.encoded.ids
    assert row["labels"] == rollout.encoded.labels
    assert [each for each in row["logprobs"] if each is not None] == [-0.5] * sum(map(bool, rollout.encoded.weights))
    assert [message["role"] for message in row["messages"]] == ["system", "user", "assistant", "tool", "assistant"]
    assert (row["turns"], row["finish"], row["is_whole"], row["why"]) == (2, "stop", True, None)


def test_a_line_is_written_when_it_is_idle_or_pushed_out_and_only_once(asking, scripted, tmp_path):
    with asking(scripted(DONE), record=str(tmp_path), idle=3, lines=2) as (client, server):
        for at in range(3):
            Agent(client, {"x-session-id": str(at)}).ask()
        for _ in range(4):
            client.portal.call(server.tick)
        assert not [*server.sessions]
    assert sorted(row["line"] for row in rows(tmp_path)) == [0, 0, 0]


def test_lines_are_bounded_by_their_number_and_by_their_tokens(asking, scripted, monkeypatch):
    from lect_serve import sessions

    with asking(scripted(DONE), lines=3) as (client, server):
        for at in range(5):
            Agent(client, {"x-session-id": str(at)}).ask()
        assert len([*server.sessions]) == 3
        assert server.sessions._tokens == sum(len(line.ids) for line in server.sessions)
        monkeypatch.setattr(sessions, "MOST_TOKENS", server.sessions._tokens // 2)
        Agent(client, {"x-session-id": "6"}).ask()
        assert len([*server.sessions]) == 1
        assert server.sessions._tokens == sum(len(line.ids) for line in server.sessions)


def test_what_broke_off_is_no_line(asking, scripted, tmp_path):
    from lect_serve.engines.base import EngineError

    with asking(scripted(["<think>", EngineError("it died")]), record=str(tmp_path)) as (client, server):
        body = {"messages": [QUESTION]}
        assert client.post("/v1/chat/completions", json=body).status_code == 502
        assert not [*server.sessions]
    assert not [*tmp_path.iterdir()]


def test_ids_that_an_engine_left_out_are_found_or_the_line_says_that_it_is_not_whole(asking, scripted, tmp_path):
    from lect_serve.engines.base import Piece

    engine = scripted()
    whole, last = engine.ids("é"), engine.ids("é")[-1:]

    class Hiding(type(engine)):
        async def generate(self, ask):
            missing = 1 if "one" in ask.text else 5
            yield [Piece(ids=self.ids("caf"))]
            yield [Piece(ids=last, text="é", missing=missing)]
            yield [Piece(finish="stop")]

    with asking(Hiding(engine.model), record=str(tmp_path)) as (client, _):
        for text in ("one", "five"):
            answer = client.post("/v1/chat/completions", json={"messages": [{"role": "user", "content": text}]}).json()
            assert answer["choices"][0]["message"]["content"] == "café"
    one, five = rows(tmp_path)
    assert (one["is_whole"], five["is_whole"]) == (True, False)
    assert one["input_ids"][-5:] == [*engine.ids("caf"), *whole]


def test_ids_that_an_engine_left_out_at_the_end_are_missed(asking, scripted, tmp_path):
    from lect_serve.engines.base import Piece

    class Hiding(type(scripted())):
        async def generate(self, ask):
            yield [Piece(ids=self.ids("caf"))]
            # As llama.cpp ends in the middle of a character.
            yield [Piece(missing=1, finish="length")]

    with asking(Hiding(scripted().model), record=str(tmp_path)) as (client, _):
        answer = client.post("/v1/chat/completions", json={"messages": [QUESTION]}).json()
        assert answer["usage"]["completion_tokens"] == 4
    assert [row["is_whole"] for row in rows(tmp_path)] == [False]


def test_a_response_may_be_named_instead_of_sent_again(asking, scripted):
    engine = scripted("Hello!<|im_end|>")
    with asking(engine) as (client, _):
        first = client.post("/v1/responses", json={"input": "Hi"}).json()
        second = client.post("/v1/responses", json={"input": "More", "previous_response_id": first["id"]}).json()
        assert second["previous_response_id"] == first["id"]
        third = client.post("/v1/responses", json={"input": "And?", "previous_response_id": second["id"]})
        assert third.status_code == 200
        said = [part for part in ("Hi", "Hello!", "More", "Hello!", "And?") if part in engine.asked[-1].text]
        assert said == ["Hi", "Hello!", "More", "Hello!", "And?"]
        assert client.get(f"/v1/responses/{first['id']}").json() == first
        assert client.delete(f"/v1/responses/{first['id']}").json()["deleted"] is True
        gone = client.post("/v1/responses", json={"input": "x", "previous_response_id": first["id"]})
        assert (gone.status_code, gone.json()["error"]["code"]) == (404, "previous_response_not_found")
        kept = client.post("/v1/responses", json={"input": "Hi", "store": False}).json()
        assert client.get(f"/v1/responses/{kept['id']}").status_code == 404


def test_a_stored_response_is_of_one_api_key_and_memory_is_bounded(asking, scripted):
    with asking(scripted("Hello!<|im_end|>"), keys=("a", "b")) as (client, server):
        first = client.post("/v1/responses", json={"input": "Hi"}, headers={"x-api-key": "a"}).json()
        assert client.get(f"/v1/responses/{first['id']}", headers={"x-api-key": "b"}).status_code == 404
        server.store._most = 2
        for _ in range(5):
            client.post("/v1/responses", json={"input": "Hi"}, headers={"x-api-key": "a"})
        assert len(server.store._responses) == 2
        assert server.store._bytes == sum(each.size for each in server.store._responses.values())


def test_a_session_of_each_recorded_client_extends(asking, scripted, tmp_path):
    from agent_requests import RECORDED

    if not RECORDED.exists():
        pytest.skip("the requests of coding agents are not here: ../shared/clients is missing")
    lines = [json.loads(line) for line in RECORDED.read_text("utf-8").splitlines()]
    with asking() as (client, _server):
        for each in lines:
            path = each["path"]
            answer = client.post(path, json=each["asked"], headers={"x-session-id": each["client"]})
            assert answer.status_code == 200, answer.text[:500]
            assert "left out" not in answer.headers.get("x-lect-changes", "")


def test_sessions_are_shown_as_pictures_if_that_is_asked_for(asking, scripted):
    with asking(scripted(CALLS, DONE)) as (client, _):
        assert client.get("/inspect").status_code == 404
    with asking(scripted(CALLS, DONE), inspect=True) as (client, _):
        assert "no sessions" in client.get("/inspect").text
        agent = Agent(client)
        loop(agent)
        page = client.get("/inspect").text
        key = agent.answers[0].headers["x-lect-session"]
        assert "lost: " in page
        for part, shown in (("", "help"), ("/reply", "wet")):
            assert f'"/inspect/{key}/1{part}"' in page
            assert shown in client.get(f"/inspect/{key}/1{part}").text
        assert client.get(f"/inspect/{key}/7").status_code == 404
