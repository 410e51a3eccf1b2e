"""The built-in analyst over many recordings, from a prompt on the socket to the answer."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from server.adapters.model.choice import ChosenModels, ModelChoice
from server.adapters.prompt_file import PromptFile
from server.agent.service import FlamechatAgent
from server.analyst.over_recordings import asks_over_recordings
from tests.inline_workers import inline_workers
from tests.server.agent.turns import KeptPictures
from tests.server.edges.http.test_run_question_routes import a_night
from tests.server.running_server import RunningServer, running_server
from tests.server.talking import END, answer_text, ask

Messages = list[dict[str, Any]]


@asynccontextmanager
async def the_analyst(tmp_path: Path) -> AsyncIterator[RunningServer]:
    workers = inline_workers()
    agent: Any = FlamechatAgent(
        models=ChosenModels(ModelChoice()), prompts=PromptFile(), workers=workers, pictures=KeptPictures()
    )
    async with running_server(tmp_path, agent, workers=workers) as server:
        yield server


async def asked(server: RunningServer, trace_id: str, prompt: str) -> tuple[str, Messages]:
    async with server.session(trace_id) as socket:
        await ask(socket, prompt)
        messages = await socket.until(*END)
    assert messages[-1]["type"] == "model_response_end", messages[-1]
    return answer_text(messages), messages


def tools(messages: Messages) -> list[str]:
    return [message["toolName"] for message in messages if message["type"] == "tool_start"]


@pytest.mark.long
async def test_questions_over_nights_are_answered_with_their_plan(tmp_path: Path) -> None:
    async with the_analyst(tmp_path) as server:
        ids = [
            await a_night(server, at, 300 if at < 4 else 450, f"branch:{'main' if at < 5 else 'feature-x'}")
            for at in range(8)
        ]
        text, messages = await asked(server, ids[-1], "Since when is `read` slow?")
        assert "From `c4`" in text
        assert "from [300](#q1." in text
        result = next(message for message in messages if message["type"] == "tool_result")
        payload = result["uiPayload"]
        assert payload["kind"] == "question"
        assert payload["question"]["measure"] == {"kind": "function", "name": "read", "value": "self"}
        assert [point["traceId"] for point in payload["chart"]["points"]] == ids
        marks = [check["status"] for check in messages[-1]["checks"]]
        assert marks, messages[-1]
        assert set(marks) == {"verified"}, [
            (c["claim"], c["kind"], c["status"], c.get("how"), c.get("source")) for c in messages[-1]["checks"]
        ]
        for prompt, part in (
            ("How did parse develop over the last 5 runs?", "No change of"),
            ("Does the hot function come back?", "`hot-function`"),
            ("main against feature-x", "`branch:feature-x`"),
            ("since when is `raed` slow?", "I cannot answer that over your recordings"),
            ("How did read change on branch mian?", 'The nearest: "main"'),
        ):
            text, messages = await asked(server, ids[-1], prompt)
            assert part in text, (prompt, text)
            assert set(tools(messages)) == {"ask_traces"}


@pytest.mark.long
async def test_other_questions_are_about_the_open_recording_as_before(tmp_path: Path) -> None:
    async with the_analyst(tmp_path) as server:
        ids = [await a_night(server, at, 300 + at) for at in range(2)]
        for prompt in ("Why is this slow?", "read against paint", "What did parse call?", "Is there recursion?"):
            text, messages = await asked(server, ids[0], prompt)
            assert "over your recordings" not in text, (prompt, text)
            assert "get_trace_summary" in tools(messages), prompt
            assert "ask_traces" not in tools(messages), prompt


@pytest.mark.parametrize(
    ("prompt", "over"),
    [
        ("main against feature-x", True),
        ("compare release 4.1 with 4.0", True),
        ("v1.2.0 vs 1.3.0 for parse?", True),
        ("Since which commit is parse slow?", True),
        ("parse by release", True),
        ("Over the last 20 runs, how did parse develop?", True),
        ("Does the long GC pause come back?", True),
        ("read against paint", False),
        ("before.json against after.json", False),
        ("When did the first request start?", False),
        ("How did memory change over the recording?", False),
        ("Is parse recursive?", False),
        ("Which functions are called by run?", False),
        ("Have I seen this before?", False),
        ("How often is parse called?", False),
    ],
)
def test_only_questions_over_many_recordings_leave_the_open_one(prompt: str, over: bool) -> None:
    assert asks_over_recordings(prompt) is over


async def test_one_recording_of_a_program_offers_no_questions_over_many(tmp_path: Path) -> None:
    async with the_analyst(tmp_path) as server:
        only = await a_night(server, 0, 300)
        _, messages = await asked(server, only, "Since when is `read` slow?")
        assert "ask_traces" not in tools(messages)
