"""Cases over many recordings: libraries made of what real programs measured (`tests/traces/gate/planted`), questions as
people type them, and figures that a median over the same file confirms. `python -m tests.evals.over_recordings`, of
`make eval`, asks them of the built-in analyst's rules and prints how many are right.
"""

import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any
from uuid import UUID

from server.agent.questions.path_answers import PathRun, path_answer
from server.agent.questions.path_figures import path_figures
from server.agent.questions.question_schema import Runs, as_json, question_of
from server.agent.questions.spoken_paths import spoken_path
from server.edges.cli.entry_points import parsed
from server.errors import BadRequest
from server.ports.run_labels import written_labels
from server.ports.traces import TraceRow, TraceSearch
from server.testing.manual_clock import ManualClock
from server.turns.kept_run_answers import KeptRunAnswers
from server.turns.run_questions import RunQuestions
from tests.plugins.worlds import World, a_trace_of, memory_world
from tests.traces.gate.test_planted import PLANTED
from traces.analysis.units import format_share, format_value
from traces.gate.run_history import FindingFigures, FunctionFigures, RunFigure, RunHistory
from traces.progress import Progress
from traces.values import Unit

START = datetime(2026, 1, 1, tzinfo=UTC)
REFUSAL = "REFUSED"


@cache
def recorded() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(PLANTED.read_text(encoding="utf-8"))
    return found


def runs_of(program: str, slower: int, count: int, first: int = 0) -> list[dict[str, Any]]:
    return [run for run in recorded()[program]["runs"] if run["slower"] == slower][first : first + count]


@dataclass(frozen=True)
class Run:
    """`measured` is one of the file's; `finding` says whether it has the finding of the cases."""

    measured: dict[str, Any]
    labels: tuple[str, ...]
    finding: bool = False
    unit: str = "nanoseconds"
    renamed: tuple[str, str] = ("", "")


def history(run: Run) -> RunHistory:
    total = run.measured["total"]
    functions = tuple(
        FunctionFigures(
            run.renamed[1] if name == run.renamed[0] else name, "app.py", own, every, own / total, every / total, None
        )
        for name, (own, every) in run.measured["functions"].items()
    )
    findings = (FindingFigures("collection-pause", "medium", 0.2),) if run.finding else ()
    return RunHistory(functions, findings, (RunFigure("total", total, run.unit),))


def first_program() -> str:
    return next(iter(recorded()))


def second_program() -> str:
    return list(recorded())[1]


def target(program: str) -> str:
    found: str = recorded()[program]["target"]
    return found


def library(kind: str) -> list[Run]:
    """The recordings of a kind of library, oldest first."""
    program = first_program()
    old, new = runs_of(program, 0, 20), runs_of(program, 30, 12)

    def named(at: int, *labels: str) -> tuple[str, ...]:
        return (f"program:{program}", f"commit:c{at:02}", *labels)

    slower = [Run(run, named(at, "branch:main", f"release:1.{at // 4}")) for at, run in enumerate(old[:8])]
    slower += [Run(run, named(8 + at, "branch:main", "release:2.0")) for at, run in enumerate(new[:6])]
    branches = [Run(run, named(at, "branch:main")) for at, run in enumerate(old[:6])]
    branches += [Run(run, named(6 + at, "branch:feature-x")) for at, run in enumerate(new[:6])]
    same = [Run(run, named(at, f"branch:{'main' if at % 2 else 'feature-x'}")) for at, run in enumerate(old[:14])]
    other = second_program()
    return {
        "slower": slower,
        "same": same,
        "branches": branches,
        "one": slower[:1],
        "pauses": [replace(run, finding=at in (2, 3, 8)) for at, run in enumerate(same)],
        "paused once": [replace(run, finding=at in (2, 3)) for at, run in enumerate(same)],
        "always paused": [replace(run, finding=True) for run in same],
        "units": [*slower[:8], *(replace(run, unit="count") for run in slower[8:])],
        "two programs": [*same[:4], *(Run(run, (f"program:{other}",)) for run in runs_of(other, 0, 4))],
        "renamed": [*same[:8], *(replace(run, renamed=(target(program), "price_of")) for run in same[8:])],
    }[kind]


class Records:
    """As much of a library as questions need where all is measured."""

    history = None
    run_answers = KeptRunAnswers(ManualClock())

    def __init__(self, world: World) -> None:
        self._world = world

    async def search(self, *args: Any, **named: Any) -> Sequence[TraceRow]:
        return await self._world.traces.search(*args, **named)


async def answered(kind: str, prompt: str) -> tuple[str, dict[str, Any]]:
    """What is said, with the plan; a refusal has none."""
    world = memory_world()
    caller = await world.user()
    for at, run in enumerate(library(kind)):
        row = replace(a_trace_of(caller), run=written_labels(run.labels), created_at=START + timedelta(days=at))
        await world.traces.insert(row)
        await world.history.keep(caller, row.trace_id, history(run))
    assert not await world.history.unmeasured(caller, TraceSearch(), limit=1)
    records: Any = Records(world)
    try:
        answer = await RunQuestions(world.history, records).ask(caller, prompt)
    except BadRequest as refused:
        return f"{REFUSAL} {refused}", {}
    question_of(answer.question)
    return " ".join((answer.headline, *answer.notes)), answer.question


def own(kind: str, first: int, last: int) -> str:
    """The median self time of the slower function in some recordings, as it is written."""
    runs = library(kind)[first:last]
    return format_value(median(run.measured["functions"][target(first_program())][0] for run in runs), Unit.NANOSECONDS)


def all_of(kind: str, first: int, last: int) -> str:
    """The median of everything that some recordings measured."""
    return format_value(median(run.measured["total"] for run in library(kind)[first:last]), Unit.NANOSECONDS)


def share(kind: str, first: int, last: int) -> str:
    name = target(first_program())
    return format_share(
        median(run.measured["functions"][name][0] / run.measured["total"] for run in library(kind)[first:last])
    )


F = target(first_program())
BEFORE, AFTER = own("slower", 0, 8), own("slower", 8, 14)
SERIES = [
    ("slower", f"Since when is {F} slow?", (f"From `c08` (2026-01-09) on: the self time of `{F}` rose", BEFORE, AFTER)),
    ("slower", f"since which commit is {F} slower", ("From `c08`", BEFORE, AFTER)),
    ("slower", f"When did {F} get slower?", ("From `c08`", BEFORE, AFTER)),
    ("slower", f"which commit made `{F}` slower", ("From `c08`", AFTER)),
    ("slower", f"how did {F} develop?", ("From `c08`", BEFORE, AFTER)),
    ("slower", f"How did {F} develop over the last 10 runs?", ("From `c08`", own("slower", 4, 8), AFTER)),
    ("slower", f"how has {F} changed since release 1.1", ("From `c08`", own("slower", 4, 8), AFTER)),
    ("slower", f"{F} by release", ("From `2.0` on", AFTER)),
    ("slower", f"show the self time of {F} by release", ("From `2.0` on", AFTER)),
    ("slower", f"How has the share of {F} changed since release 1.0?", ("From `c08`", share("slower", 0, 8))),
    ("slower", f"over all my recordings, how did {F} change?", ("From `c08`", BEFORE)),
    ("slower", f"trend of {F} on branch main", ("From `c08`", BEFORE, AFTER)),
    ("same", f"Since when is {F} slow?", ("No change", own("same", 0, 14))),
    ("same", f"how did {F} develop over the last 8 recordings", ("No change", own("same", 6, 14))),
    ("one", f"Since when is {F} slow?", ("There is one recording", own("one", 0, 1))),
    (
        "units",
        f"Since when is {F} slow?",
        ("6 recordings measure count, a group apart", own("units", 0, 8), "The chart is of those in nanoseconds"),
    ),
    ("two programs", f"how did {F} develop?", (REFUSAL, "of 2 programs")),
    ("two programs", f"how did {F} develop in {first_program()}?", ("No change", own("two programs", 0, 4))),
    ("renamed", "Since when is price_of slow?", ("No change", "8 further recordings do not have it")),
    ("slower", f"since which release is {F} slow?", ("From `2.0` on", AFTER)),
    ("slower", f"did {F} get slower over the last 2 releases?", ("From `2.0` on", own("slower", 4, 8), AFTER)),
    ("slower", f"since when is {F} slower than settle?", ("I could not place `settle`",)),
    ("slower", f"since when does {F} take more than 300 ms?", ("I could not place `more than 300 ms`",)),
    ("slower", f"since when does {F} take more than 99%?", ("**No: none of the 14",)),
    ("slower", "since when is prise slow?", ("I do not know",)),
    ("slower", "since when is `prise` slow?", (REFUSAL, f"The nearest: `{F}`")),
]
RECURRENCE = [
    ("pauses", "Does the long GC pause come back?", ("**Yes", "`c08`", "3 of 14", "First seen in `c02`")),
    ("pauses", "how often is the collection pause in my runs?", ("3 of 14",)),
    ("pauses", "did the GC pause come back over the last 10 runs?", ("1 of 10", "not come back")),
    ("pauses", "in how many of my recordings is the collection pause", ("3 of 14",)),
    ("paused once", "Does the GC pause come back?", ("**No", "not come back since `c03`", "2 of 14")),
    ("always paused", "does the collection pause come back?", ("never went away", "all 14")),
    ("same", "Does the GC pause come back?", ("**No: none of the 14",)),
    ("slower", f"does {F} above 99% come back?", ("**No: none of the 14",)),
    ("one", "does the GC pause come back?", ("none of the 1 recordings",)),
    ("slower", f"does {F} above 1% come back?", ("never went away", "all 14")),
]
COMPARISON = [
    (
        "branches",
        f"feature-x against main for {F}",
        ("more in `branch:feature-x`", own("branches", 0, 6), own("branches", 6, 12)),
    ),
    ("branches", f"main against feature-x for {F}", ("less in `branch:main`", own("branches", 0, 6))),
    ("branches", "feature-x against main", ("`branch:feature-x`", all_of("branches", 0, 6), all_of("branches", 6, 12))),
    ("branches", f"compare main with feature-x for {F}", ("medians of 6 and 6",)),
    ("slower", f"compare release 2.0 with 1.0 for {F}", ("medians of 4 and 6", AFTER)),
    ("slower", f"release 1.1 vs 1.0 for {F}", ("No difference beyond chance in", own("slower", 0, 4))),
    ("same", f"main against feature-x for {F}", ("No difference beyond chance",)),
    (
        "branches",
        "what changed between main and feature-x?",
        (f"Beyond chance changed `{F}` from {own('branches', 0, 6)} to {own('branches', 6, 12)}",),
    ),
    ("branches", "which functions got slower in feature-x than in main", (f"Beyond chance changed `{F}`",)),
    ("branches", f"is {F} slower in feature-x than in main?", ("more in `branch:feature-x`", own("branches", 6, 12))),
    ("same", "what changed between main and feature-x?", ("No function changed beyond chance",)),
    ("slower", "what changed between 1.0 and 2.0?", ("largest changes:", own("slower", 0, 4), AFTER)),
    ("branches", "main against feature-y", ("I do not know",)),
    ("units", f"release 2.0 against 1.0 for {F}", ("It cannot be compared",)),
    ("renamed", f"release 2.0 against 1.0 for {F}", (REFUSAL,)),
]


DOCUMENTS = "redact-documents.viztracer.json.gz"
PATHS = [
    ("How many calls of redact_text reach looks_like_card, then luhn_sum?", ("243", "156", "64.2%")),
    ("how many calls of redact_text reach luhn_sum", ("Of 243 calls", "156 (64.2%)")),
    ("how often of calls to looks_like_card reach luhn_sum?", ("Of 243 calls", "156 (64.2%)")),
    ("Of calls of redact_text, how many reach looks_like_card?", ("Of 243 calls", "243 (100.0%)")),
    ("where are calls of redact_text lost before luhn_sum", ("87 are lost before `luhn_sum`",)),
    ("How many calls of main reach write, then dumps?", ("Of 1 calls", "1 (100.0%)")),
    ("how long from redact_text to luhn_sum?", ("From `redact_text` to `luhn_sum` it takes",)),
    ("the path from main to redact", ("Of 1 calls", "reaches `redact`")),
    ("how many calls of luhn_sum reach redact_text", ("Of 156 calls", "0 (0.0%)")),
    ("how many calls of luhn_summ reach redact_text", (REFUSAL, "luhn_sum")),
]


FIXTURES = Path(__file__).parents[2] / "fixtures"


@dataclass(frozen=True)
class Asked:
    """A case with what was said. `is_marked`: it is refused, or begins with what it could not place."""

    form: str
    prompt: str
    parts: tuple[str, ...]
    said: str

    @property
    def is_right(self) -> bool:
        return all(part in self.said for part in self.parts)

    @property
    def is_marked(self) -> bool:
        return self.said.startswith((REFUSAL, "I could not place"))


def of_path(prompt: str) -> str:
    """What is said of a path in the fixture."""
    asked = spoken_path(prompt, Runs(), UUID(int=1))
    assert asked is not None, prompt
    question_of(as_json(asked))
    figures = path_figures(parsed(FIXTURES / DOCUMENTS, Progress()), [(step.name, step.file) for step in asked.steps])
    try:
        answer = path_answer(asked, [PathRun("t", DOCUMENTS, START, figures)])
    except BadRequest as refused:
        return f"{REFUSAL} {refused}"
    return " ".join((answer.headline, *answer.notes))


async def every() -> list[Asked]:
    """All cases, asked."""
    found = []
    for form, cases in (("series", SERIES), ("recurrence", RECURRENCE), ("compare", COMPARISON)):
        for kind, prompt, parts in cases:
            said, _ = await answered(kind, prompt)
            found.append(Asked(form, prompt, parts, said))
    return [*found, *(Asked("path", prompt, parts, of_path(prompt)) for prompt, parts in PATHS)]


def printed(asked: Sequence[Asked]) -> str:
    """A table by form, and what was wrong."""
    lines = [
        "| over recordings | cases | right | right without a mark of doubt | wrong unmarked |",
        "|---|---|---|---|---|",
    ]
    for form in (*dict.fromkeys(one.form for one in asked), "all"):
        of = [one for one in asked if form in (one.form, "all")]
        right = [one for one in of if one.is_right]
        sure = sum(not one.is_marked for one in right)
        wrong = sum(not one.is_right and not one.is_marked for one in of)
        lines.append(f"| {form} | {len(of)} | {len(right) / len(of):.1%} | {sure / len(of):.1%} | {wrong} |")
    return "\n".join([*lines, *(f"WRONG {one.prompt}: {one.said}" for one in asked if not one.is_right)])


def main() -> int:
    """Ask, print, and end with 1 where one is wrong."""
    asked = asyncio.run(every())
    sys.stdout.write(printed(asked) + "\n")
    return int(not all(one.is_right for one in asked))


if __name__ == "__main__":
    sys.exit(main())
