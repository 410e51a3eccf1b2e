"""Plans that a model writes: what is wrong goes back with why, and nothing runs that was not checked."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from server.agent.questions.planner import ROUNDS, UNDERSTOOD_CHARACTERS, PlanRequest, understood
from server.agent.tools.contract.tool_progress import Progress
from server.errors import BadRequest, NotFound
from server.ports.history import KnownRuns
from server.ports.run_labels import written_labels
from server.testing.history import MemoryHistory
from server.turns.run_questions import RunQuestions
from tests.plugins.worlds import a_trace_of
from tests.server.running_server import ANNA, RunningServer, running_server
from traces.gate.run_history import FindingFigures, FunctionFigures, RunFigure, RunHistory

GOOD: dict[str, Any] = {
    "form": "series",
    "measure": {"kind": "function", "name": "read"},
    "runs": {"program": "reader"},
}


def series(**changes: Any) -> str:
    return json.dumps(GOOD | changes)


def measure(**changes: Any) -> str:
    return series(measure=GOOD["measure"] | changes)


def sql(text: str, **more: Any) -> str:
    return json.dumps({"form": "sql", "sql": text} | more)


MALFORMED = {
    "nothing": "",
    "words": "I think you want a series of read.",
    "half": '{"form": "series", "measure": {"kind": "func',
    "list": json.dumps([GOOD]),
    "two": json.dumps(GOOD) + json.dumps(GOOD),
    "number": "7",
    "null": "null",
    "deep": "[" * 5_000,
    "long": series(by="x" * 30_000),
    "no form": json.dumps({"measure": GOOD["measure"]}),
    "form": series(form="trend"),
    "form of none": series(form=None),
    "no measure": json.dumps({"form": "series", "runs": {}}),
    "another field": series(secret=1),
    "kind": measure(kind="method"),
    "function": measure(name="raed"),
    "empty name": measure(name=""),
    "file": measure(file="nowhere.c"),
    "value": measure(value="median"),
    "value of a finding": series(measure={"kind": "finding", "name": "long-tasks", "value": "self"}),
    "finding": series(measure={"kind": "finding", "name": "slow-things"}),
    "figure": series(measure={"kind": "figure", "name": "durtion"}),
    "unit": measure(unit="seconds"),
    "program": series(runs={"program": "raeder"}),
    "no program of two": series(runs={}),
    "label": series(runs={"program": "reader", "labels": {"brnach": "main"}}),
    "label's value": series(runs={"program": "reader", "labels": {"branch": "mian"}}),
    "starting": series(runs={"program": "reader", "starting": "release:9"}),
    "starting without a key": series(runs={"program": "reader", "starting": "main"}),
    "last": series(runs={"program": "reader", "last": 0}),
    "since": series(runs={"program": "reader", "since": "yesterday"}),
    "by": series(by="relaese"),
    "above": json.dumps({"form": "recurrence", "measure": GOOD["measure"], "runs": GOOD["runs"], "above": 5}),
    "figure that returns": json.dumps(
        {"form": "recurrence", "measure": {"kind": "figure", "name": "total"}, "runs": GOOD["runs"]}
    ),
    "compare with one": json.dumps({"form": "compare", "measure": GOOD["measure"], "before": GOOD["runs"]}),
    "path of one": json.dumps({"form": "path", "steps": [{"name": "read"}], "runs": GOOD["runs"]}),
    "sql that writes": sql("delete from lib.traces"),
    "sql that reads files": sql("select * from read_csv('/etc/passwd')"),
    "sql of no table": sql("select * from public.traces"),
    "sql of no column": sql("select nme from lib.functions"),
    "two statements": sql("select 1; drop table lib.traces"),
    "sql over no label": sql("select 1", runs={"labels": {"brnach": "main"}}),
}


class Writer:
    """Writes these plans in turn, the last one for ever."""

    def __init__(self, *plans: str) -> None:
        self.plans = plans
        self.requests: list[PlanRequest] = []

    async def write(self, request: PlanRequest) -> str:
        self.requests.append(request)
        return self.plans[min(len(self.requests), len(self.plans)) - 1]


async def nights(server: RunningServer) -> RunQuestions:
    questions = server.parts.services.questions.over_runs
    history = server.parts.services.traces.library.history
    assert isinstance(history, MemoryHistory)
    for number in range(4):
        labels = [f"program:{'reader' if number < 3 else 'other'}", "branch:main", f"commit:c{number}"]
        row = replace(
            a_trace_of(ANNA), run=written_labels(labels), created_at=datetime(2026, 1, 1 + number, tzinfo=UTC)
        )
        await history._traces.insert(row)
        functions = (FunctionFigures("read", "a.c", 3e6, 4e6, 0.3, 0.4, None),)
        figures = (RunFigure("total", 1e7, "nanoseconds"),)
        await history.keep(
            ANNA, row.trace_id, RunHistory(functions, (FindingFigures("long-tasks", "low", 0.1),), figures)
        )
    return questions


def test_there_are_forty_malformed_plans_and_more() -> None:
    assert len(MALFORMED) >= 40


async def test_each_malformed_plan_is_repaired_or_ends_in_a_clear_refusal_and_none_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running_server(tmp_path) as server:
        questions = await nights(server)
        history = server.parts.services.traces.library.history
        assert history is not None
        ran: list[object] = []
        points = history.points

        async def watched(*args: Any, **more: Any) -> Any:
            ran.append(args)
            return await points(*args, **more)

        monkeypatch.setattr(history, "points", watched)
        for number, (name, plan) in enumerate(MALFORMED.items(), 100):
            good = GOOD | {"runs": {"program": "reader", "last": number}}  # each another: answers are kept
            writer = Writer(plan, plan, json.dumps({"question": good}))
            answer = await questions.ask(ANNA, "how did read develop", plan=writer)
            assert answer.question["measure"]["name"] == "read", name
            (_, first), (again, second) = writer.requests[2].refused
            assert (again, first) == (plan[:20_000], second), name
            assert len(first) > 15, name
            assert len(ran) == 1, name
            ran.clear()
            if name.startswith("sql") or name == "two statements":
                continue
            with pytest.raises(BadRequest) as error:
                await questions.ask(ANNA, "how did read develop", plan=(stubborn := Writer(plan)))
            assert len(stubborn.requests) == ROUNDS, name
            assert first in str(error.value), name
            assert ran == [], name


class Listening(Progress):
    """Keeps all that is reported."""

    def __init__(self) -> None:
        super().__init__("")
        self.informed: list[tuple[str, int | None, int | None]] = []

    def at(self, doing: str, done: int | None = None, in_all: int | None = None) -> None:
        self.informed.append((doing, done, in_all))


async def test_where_the_question_stands_is_reported(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        progress = Listening()
        questions = await nights(server)
        await questions.ask(ANNA, "how did read develop", plan=Writer(json.dumps(GOOD)), progress=progress)
        assert progress.informed == [("Planning the question", None, None)]
        await questions.ask(ANNA, sql("select 1 as one"), progress=progress)
        assert progress.informed[1:] == [("Querying the recordings", None, None)]
        path = {"form": "path", "steps": [{"name": "main"}, {"name": "read"}], "runs": {"program": "reader"}}
        with pytest.raises(NotFound):  # these have no files
            await questions.ask(ANNA, json.dumps(path), progress=progress)
        assert progress.informed[2:] == [("Following calls through the recordings", 0, 3)]


async def test_the_nearest_goes_back_with_what_is_wrong(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        questions = await nights(server)
        for plan, part in (
            ("function", "`read`"),
            ("label", "`branch`"),
            ("label's value", "`main`"),
            ("program", "`reader`"),
            ("finding", "finding"),
            ("sql of no column", "lib.functions has"),
            ("sql that writes", "only SELECT"),
        ):
            writer = Writer(MALFORMED[plan], json.dumps(GOOD))
            await questions.ask(ANNA, "how did read develop", plan=writer)
            assert part in writer.requests[1].refused[0][1], plan


def test_what_exists_is_listed_in_1500_tokens_nearest_first() -> None:
    functions: Sequence[tuple[str, str | None]] = [(f"Trader.step{number}", "engine.cpp") for number in range(3_000)]
    known = KnownRuns(
        runs=900,
        labels={"commit": {f"{number:07x}": 1 for number in range(900)}, "branch": {'ma"in\n': 9}},
        programs={"engine": 900},
        functions=(*functions, ("Engine.matchTrades", "engine.cpp")),
        findings=("long-tasks",),
        figures=("total",),
    )
    saved = [("nightly matchTrades", GOOD), ("others", GOOD)]
    text = understood("since when is matchTrades slow, nightly?", known, saved)
    assert len(text) <= UNDERSTOOD_CHARACTERS
    assert text.index("Engine.matchTrades") < text.index("Trader.step")
    assert '"nightly matchTrades"' in text
    assert '"others"' not in text
    assert "and 892 more" in text
    assert '\n"' not in text
