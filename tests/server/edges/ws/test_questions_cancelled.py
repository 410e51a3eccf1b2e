"""`cancel_turn` stops a question over recordings that runs: nothing of it goes on, and the next one need not wait."""

from pathlib import Path
from typing import Any

import anyio
import pytest

from server.adapters.in_process.workers import InlineTraceWorkers
from server.adapters.model.choice import ChosenModels, ModelChoice
from server.adapters.prompt_file import PromptFile
from server.agent.service import FlamechatAgent
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
            await socket.send(type="cancel_turn", turnId=started["turnId"])
            assert (await socket.until("turn_cancelled"))[-1]["turnId"] == started["turnId"]
            with anyio.fail_after(BOUND_S):
                await stopped.wait()
            monkeypatch.setattr(history, "points", points)
            await socket.send(type="user_prompt", sessionId=socket.ack["sessionId"], prompt=QUESTION)
            ended = (await socket.until("model_response_end"))[-1]
            assert ended["type"] == "model_response_end"
