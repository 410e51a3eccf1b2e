"""What Langfuse gets to see of a turn: who, when, which model and prompt; and its contents only where they may go."""

import asyncio
import re
import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest

from server.adapters.langfuse.tracing import trace_id_of
from server.adapters.model.choice import ChosenModels, ModelChoice
from server.adapters.model.patience import Patience
from server.errors import ModelFailed
from tests.cloud.langfuse_turns import PROMPT, Watched, watched
from tests.openai_endpoint import Reply, openai_endpoint
from tests.server.agent.turns import endpoint_models

pytestmark = pytest.mark.long

OUTCOME = "langfuse.observation.metadata.outcome"
PROGRAM_KEY = f"fc_abcdefghij_{'s3cr-t_9' * 5}xyz"
ASKED = f"Why is my-secret-project slow? My keys are sk-abcdefghijklmnop1234 and {PROGRAM_KEY}."
DRAW = Reply(
    text="I look closely.", calls=(("generate_flamegraph_screenshot", "{}"), ("get_top_functions", '{"limit": 5}'))
)
ANSWER = Reply(text="It is parse_json, plainly.")
PNG = "iVBORw0KGgo"
CONTENTS = ("my-secret-project", "parse_json", "I look closely", "plainly", "small.json", "You read traces", PNG)
"""Words of the prompt, the trace, the answer, the system prompt, and a picture's first bytes."""


async def seen(around: Watched, spans: int = 1) -> bytes:
    """Everything that was sent so far."""
    await asyncio.to_thread(around.connection.client.flush)
    await around.project.arrived(spans=spans)
    return around.project.sent


async def test_a_turn_is_one_trace_with_its_user_its_session_and_its_prompt() -> None:
    async with openai_endpoint(DRAW, ANSWER) as endpoint, watched(endpoint_models(endpoint.base_url)) as around:
        answer = await around.answer()
        project, turn = around.project, around.scene.turn
    assert answer.prompt_version == "analysis-system-prompt@v3"
    assert {span.trace_id for span in project.spans} == {trace_id_of(turn.turn_id)}
    assert {span.attributes["user.id"] for span in project.spans} == {turn.caller.user_id}
    assert {span.attributes["session.id"] for span in project.spans} == {turn.session_id}
    calls = project.of_kind("generation")
    assert [call.attributes["langfuse.observation.model.name"] for call in calls] == ["fake", "fake"]
    assert [call.attributes["langfuse.observation.prompt.name"] for call in calls] == ["analysis-system-prompt"] * 2
    assert [call.attributes["langfuse.observation.prompt.version"] for call in calls] == [3, 3]
    assert all('"input": 100, "output": 20' in call.attributes["langfuse.observation.usage_details"] for call in calls)
    root = next(span for span in project.spans if span.name == "turn")
    assert root.attributes["langfuse.observation.metadata.turn_id"] == f'"{turn.turn_id}"'
    assert all("langfuse.observation.completion_start_time" in call.attributes for call in calls)


async def test_nothing_of_what_was_asked_found_or_answered_is_sent() -> None:
    async with (
        openai_endpoint(DRAW, ANSWER) as endpoint,
        watched(endpoint_models(endpoint.base_url), turn={"prompt": ASKED}) as around,
    ):
        answer = await around.answer()
        around.scores.rated(
            turn_id="turn-1", message_id=answer.message_id, user_id="u1", score=-1, reason="my-secret-project!"
        )
    sent = around.project.sent.decode(errors="replace")
    assert "generation" in sent
    hidden = (*CONTENTS, "sk-abcdefghijklmnop1234", "sk-test-key", "s3cr-t_9")
    assert [word for word in hidden if word in sent] == []


async def test_contents_go_where_the_setting_lets_them_but_no_key_and_no_picture_does() -> None:
    async with openai_endpoint(DRAW, ANSWER) as endpoint:
        models = endpoint_models(endpoint.base_url)
        async with watched(models, with_contents=True, turn={"prompt": ASKED}) as around:
            answer = await around.answer()
            around.scores.rated(
                turn_id="turn-1", message_id=answer.message_id, user_id="u1", score=-1, reason="not enough"
            )
    sent = around.project.sent.decode(errors="replace")
    assert [word for word in CONTENTS if word not in sent] == [PNG]
    assert "image/png sha256:" in sent
    assert around.project.others == [], "the package would upload pictures"
    assert [key for key in ("sk-abcdefghijklmnop1234", PROGRAM_KEY, "s3cr-t_9") if key in sent] == []
    assert around.project.scores[0]["comment"] == "not enough"


@pytest.mark.parametrize("with_contents", [False, True])
async def test_of_an_error_only_its_kind_is_sent(*, with_contents: bool) -> None:
    said = Reply(status=400, body={"error": {"message": "my-secret-project is no good", "code": None}})
    async with (
        openai_endpoint(said) as endpoint,
        watched(endpoint_models(endpoint.base_url), with_contents=with_contents) as around,
    ):
        with pytest.raises(ModelFailed, match="my-secret-project"):
            await around.answer()
    sent = around.project.sent.decode(errors="replace")
    assert "ModelFailed: bad_request" in sent
    assert "my-secret-project" not in sent
    assert {span.attributes.get("langfuse.observation.level") for span in around.project.of_kind("generation")} == {
        "ERROR"
    }


async def test_a_second_attempt_and_a_rating_join_the_turns_trace() -> None:
    async with watched() as around:
        answer = await around.answer()
        around.scene.turn = replace(around.scene.turn, attempt=2)
        await around.answer()
        for score in (1, -1):
            around.scores.rated(turn_id="turn-1", message_id=answer.message_id, user_id="u1", score=score, reason=None)
        await seen(around)
        await around.project.arrived(scores=2 + 2 * len({check.status for check in answer.checks}))
    roots = [span for span in around.project.spans if span.name == "turn"]
    assert {root.trace_id for root in roots} == {trace_id_of("turn-1")}
    assert {root.attributes["langfuse.observation.metadata.attempt"] for root in roots} == {'"1"', '"2"'}
    first, second = [score for score in around.project.scores if score["name"] == "user_feedback"]
    assert first["traceId"] == trace_id_of("turn-1")
    assert (first["value"], second["value"]) == (1.0, -1.0)
    assert first["id"] == second["id"], "the second opinion replaces the first"


async def test_turns_that_run_at_once_keep_their_own_traces() -> None:
    async with watched() as around:
        agent, turn = around.scene.agent, around.scene.turn
        turns = [replace(turn, turn_id=f"turn-{n}", session_id=f"session-{n}") for n in range(6)]
        await asyncio.gather(*(agent.answer(one, type(around.scene.sink)()) for one in turns))
    by_trace = {span.trace_id: span.attributes["session.id"] for span in around.project.spans}
    assert by_trace == {trace_id_of(one.turn_id): one.session_id for one in turns}
    assert all(span.attributes["session.id"] == by_trace[span.trace_id] for span in around.project.spans), (
        "nobody's session on another's call"
    )


async def test_who_took_over_is_seen_with_the_prompt_too() -> None:
    choice = ModelChoice(model="first", fallbacks=("second",), patience=Patience(retries=0))
    async with (
        openai_endpoint(Reply(status=503), ANSWER) as endpoint,
        watched(ChosenModels(replace(choice, base_url=endpoint.base_url))) as around,
    ):
        await around.answer()
    calls = around.project.of_kind("generation")
    assert [call.attributes["langfuse.observation.model.name"] for call in calls] == ["first", "second"]
    assert [call.attributes["langfuse.observation.prompt.version"] for call in calls] == [3, 3]


async def test_the_summary_goes_into_the_prompt_and_what_it_holds_is_not_filled_again() -> None:
    async with openai_endpoint(ANSWER) as endpoint, watched(endpoint_models(endpoint.base_url)) as around:
        await around.answer()
    system = str(endpoint.requests[0]["messages"][0]["content"])
    assert system.startswith(PROMPT.partition(" {{")[0])
    assert "{{trace_summary}}" not in system
    assert "small.json" in system


@pytest.mark.parametrize(("configured", "loaded"), [(False, "False"), (True, "True")])
def test_the_package_is_imported_only_by_a_server_that_has_its_keys(*, configured: bool, loaded: str) -> None:
    keys = {"langfuse_public_key": "pk", "langfuse_secret_key": "sk", "langfuse_host": "http://127.0.0.1:9"}
    given = keys if configured else {}
    program = f"""
import asyncio, sys
import server.app
from server.composing.agent import build_agent
from server.composing.watching import watching
from server.settings import Settings
from server.adapters.in_process.workers import InlineTraceWorkers

async def main():
    settings = Settings(**{given})
    async with watching(settings) as watched:
        build_agent(settings, workers=InlineTraceWorkers(), pictures=None, watched=watched)
        print("langfuse" in sys.modules)

asyncio.run(main())
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert (ran.stdout.strip(), ran.returncode) == (loaded, 0), ran.stderr


def of_name(around: Watched, name: str) -> list[dict[str, Any]]:
    return [span.attributes for span in around.project.spans if span.name == name]


async def test_each_tool_is_an_observation_with_its_outcome_and_how_the_turn_ended_is_one() -> None:
    calls = (("get_top_functions", '{"limit": 5}'), ("get_top_functions", '{"limit": -5}'))
    async with (
        openai_endpoint(Reply(calls=calls), ANSWER) as endpoint,
        watched(endpoint_models(endpoint.base_url)) as around,
    ):
        answer = await around.answer()
    good, bad = sorted(of_name(around, "get_top_functions"), key=lambda one: str(one[OUTCOME]))
    assert [str(one[OUTCOME]).strip('"') for one in (good, bad)] == ["success", "validation"]
    assert {one["langfuse.observation.type"] for one in (good, bad)} == {"tool"}
    assert bad["langfuse.observation.level"] == "ERROR"
    assert not {"langfuse.observation.input", "langfuse.observation.output"} & (good.keys() | bad.keys())
    spans = {span.name: span for span in around.project.spans}
    assert spans["get_top_functions"].trace_id == trace_id_of(around.scene.turn.turn_id)
    (end,) = of_name(around, "turn_end")
    assert str(end[OUTCOME]).strip('"') == "answered"
    assert str(end["langfuse.observation.metadata.tool_calls"]) == str(answer.usage.tool_calls)
    checks = {one["name"]: one["value"] for one in around.project.scores}
    assert sum(value for name, value in checks.items() if name.startswith("checks_")) == len(answer.checks)


async def test_what_a_tool_was_given_and_found_goes_where_contents_may() -> None:
    async with (
        openai_endpoint(DRAW, ANSWER) as endpoint,
        watched(endpoint_models(endpoint.base_url), with_contents=True) as around,
    ):
        await around.answer()
    (found,) = of_name(around, "get_top_functions")
    assert "limit" in str(found["langfuse.observation.input"])
    assert "parse_json" in str(found["langfuse.observation.output"])


async def test_a_turn_that_fails_says_so_with_the_kind_of_its_error() -> None:
    async with (
        openai_endpoint(Reply(status=400, body={"error": {"message": "my-secret-project", "code": None}})) as endpoint,
        watched(endpoint_models(endpoint.base_url)) as around,
    ):
        with pytest.raises(ModelFailed):
            await around.answer()
    (end,) = of_name(around, "turn_end")
    assert (str(end[OUTCOME]).strip('"'), end["langfuse.observation.level"]) == ("failed", "ERROR")
    assert "bad_request" in str(end["langfuse.observation.metadata.error"])


@pytest.mark.parametrize("key", ["sk-abcdefghijklmnop1234", PROGRAM_KEY])
async def test_a_key_in_what_a_person_writes_of_an_answer_is_masked(key: str) -> None:
    async with watched(with_contents=True) as around:
        around.scores.rated(turn_id="turn-1", message_id="m", user_id="u1", score=-1, reason=f"try {key} instead")
        await asyncio.to_thread(around.connection.client.flush)
        await around.project.arrived(scores=1)
    assert re.fullmatch(r"try \S*\*\*\* instead", around.project.scores[0]["comment"])
    assert "s3cr-t_9" not in str(around.project.scores)
