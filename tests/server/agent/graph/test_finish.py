"""An answer that cannot be checked is kept."""

from typing import Any

import pytest

from server.adapters.in_process.workers import InlineTraceWorkers
from server.agent.verification.references.checked_answer import checked_answer
from server.errors import WorkerFailed
from server.testing.scripted import Line, ScriptedChat, ScriptedModels
from tests.server.agent.turns import stage


async def test_a_check_that_takes_too_long_does_not_fail_the_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    ask = InlineTraceWorkers.ask

    async def slow(workers: InlineTraceWorkers, trace: Any, question: Any, *args: Any, **kwargs: Any) -> Any:
        if question is checked_answer:
            raise WorkerFailed("A question took longer than 60 s and was stopped.")
        return await ask(workers, trace, question, *args, **kwargs)

    monkeypatch.setattr(InlineTraceWorkers, "ask", slow)
    scene = stage(ScriptedModels(ScriptedChat(lines=[Line(text="`parse_json` takes 60%.")])))
    answer = await scene.agent.answer(scene.turn, scene.sink)
    assert answer.text == "`parse_json` takes 60%."
    assert answer.checks == ()
