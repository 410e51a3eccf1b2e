"""Recordings from before measures were kept are measured by and by, each once."""

from pathlib import Path

from server.agent.questions.question_schema import Comparison, Runs
from server.ports.traces import TraceSearch
from server.testing.history import MemoryHistory
from server.turns.run_questions import RunQuestions
from tests.server.edges.http.test_run_question_routes import a_night
from tests.server.running_server import ANNA, STACKS, running_server


async def test_what_has_no_measures_gets_them_and_what_cannot_be_read_is_left_alone(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        backfill = server.parts.backfill
        assert backfill is not None
        backfill.between_s = 0
        history = backfill.history
        assert isinstance(history, MemoryHistory)
        ids = [
            (await server.upload(STACKS + f"main;x{n} 1\n".encode(), f"{n}.txt")).json()["trace"]["traceId"]
            for n in range(3)
        ]
        assert not await backfill.step(), "uploads are measured at once"
        history._kept.clear()
        lost = await server.parts.services.traces.library.row(ANNA, ids[1])
        await server.parts.objects.delete("traces", lost.object_path)
        await server.parts.services.traces.workers.forget(lost.sha256)
        assert await backfill.step()
        assert not await backfill.step()
        assert backfill.left_alone == {ids[1]}
        assert await history.unmeasured(ANNA, TraceSearch(), limit=9) == [ids[1]]


async def test_a_comparison_of_functions_measures_what_was_not_measured_before(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        for number, read in enumerate((300, 300, 300, 450, 450, 450)):
            await a_night(server, number, read, f"branch:{'old' if number < 3 else 'new'}")
        library = server.parts.services.traces.library
        backfill = server.parts.backfill
        assert backfill is not None
        assert isinstance(backfill.history, MemoryHistory)
        backfill.history._kept.clear()
        groups = [Runs(program="reader", labels={"branch": branch}) for branch in ("old", "new")]
        question = Comparison(form="compare", before=groups[0], after=groups[1])
        answer = await RunQuestions(backfill.history, library).run(ANNA, question)
        assert "read" in answer.headline
        assert await backfill.history.unmeasured(ANNA, TraceSearch(), limit=9) == []
