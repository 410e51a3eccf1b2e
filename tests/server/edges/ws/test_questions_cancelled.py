"""A question over recordings that takes long says what it does, and `cancel_turn` stops it: nothing of it goes on, and
the next one need not wait."""

from pathlib import Path
from typing import Any

import anyio
import pytest

from server.adapters.in_process.workers import InlineTraceWorkers
from server.adapters.model.choice import ChosenModels, ModelChoice
from server.adapters.prompt_file import PromptFile
from server.agent.service import FlamechatAgent
from server.agent.tools.contract import tool_progress
from server.agent.tools.contract.tool_progress import Progress, followed_progress
from tests.server.agent.turns import KeptPictures
from tests.server.edges.http.test_run_question_routes import a_night
from tests.server.running_server import BOUND_S, running_server

QUESTION = "how did read develop over the last 5 runs"


async def test_a_turn_that_is_cancelled_stops_its_run_and_leaves_nothing_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workers = InlineTraceWorkers()
    agent = FlamechatAgent(
        models=ChosenModels(ModelChoice()), prompts=PromptFile(), workers=workers, pictures=KeptPictures()
    )
    monkeypatch.setattr(tool_progress, "QUIET_S", 0.0)
    reached, stopped = anyio.Event(), anyio.Event()
    async with running_server(tmp_path, agent, workers=workers) as server:  # type: ignore[arg-type]
        traces = [await a_night(server, number, 300 if number < 3 else 450) for number in range(6)]
        history = server.parts.services.traces.library.history
        assert history is not None
        points = history.points

        async def never(*_: Any, **__: Any) -> Any:
            reached.set()
            try:
                await anyio.sleep_forever()
            finally:
                stopped.set()

        monkeypatch.setattr(history, "points", never)
        async with server.session(traces[-1]) as socket:
            await socket.send(type="user_prompt", sessionId=socket.ack["sessionId"], prompt=QUESTION)
            (started,) = [one for one in await socket.until("turn_started") if one["type"] == "turn_started"]
            with anyio.fail_after(BOUND_S):
                await reached.wait()
            said = (await socket.until("tool_progress"))[-1]
            assert (said["toolName"], said["message"]) == ("ask_traces", "Looking through the recordings")
            assert (said["turnId"], said["done"], said["inAll"]) == (started["turnId"], None, None)
            await socket.send(type="cancel_turn", turnId=started["turnId"])
            ended = (await socket.until("turn_cancelled"))[-1]
            assert (ended["type"], ended["turnId"]) == ("turn_cancelled", started["turnId"])
            with anyio.fail_after(BOUND_S):
                await stopped.wait()
            monkeypatch.setattr(history, "points", points)
            await socket.send(type="user_prompt", sessionId=socket.ack["sessionId"], prompt=QUESTION)
            ended = (await socket.until("model_response_end"))[-1]
            assert ended["type"] == "model_response_end"


async def test_a_call_is_followed_while_it_runs_and_never_after(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_progress, "QUIET_S", 0.0)
    monkeypatch.setattr(tool_progress, "EVERY_S", 0.0)
    progress, informed = Progress("Looking"), anyio.Event()
    said: list[tuple[str, int | None, int | None]] = []

    async def report(where: Progress) -> None:
        said.append((where.doing, where.done, where.in_all))
        informed.set()

    async with followed_progress(progress, report):
        with anyio.fail_after(BOUND_S):
            await informed.wait()
        progress.at("Opening", 1, 3)
        informed = anyio.Event()
        with anyio.fail_after(BOUND_S):
            await informed.wait()
    count = len(said)
    await anyio.wait_all_tasks_blocked()
    assert (said[0], said[-1], len(said)) == (("Looking", None, None), ("Opening", 1, 3), count)


async def test_a_call_goes_on_though_its_progress_reaches_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_progress, "QUIET_S", 0.0)
    informed = anyio.Event()

    async def report(_: Progress) -> None:
        informed.set()
        raise ConnectionError("nobody listens")

    went_on = False
    with anyio.fail_after(BOUND_S):
        async with followed_progress(Progress("Looking"), report):
            await informed.wait()
            went_on = True
    assert went_on
