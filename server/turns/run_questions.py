"""Questions over many recordings: understood, checked against what there is, and answered from what was measured."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar
from uuid import UUID

import anyio
import anyio.to_thread

from server.agent.questions.checks import checked, checked_names, names_in
from server.agent.questions.group_changes import changes_answer
from server.agent.questions.planner import PlanWriter, planned, understood
from server.agent.questions.question_schema import (
    CallPath,
    Comparison,
    Measure,
    OverRuns,
    Question,
    Runs,
    Series,
    SqlQuery,
    as_json,
    question_of,
)
from server.agent.questions.run_answers import RunsAnswer, comparison_answer, recurrence_answer, series_answer
from server.agent.questions.spoken_comparisons import spoken_comparison
from server.agent.questions.spoken_paths import spoken_path
from server.agent.questions.spoken_questions import spoken_question, spoken_runs
from server.agent.questions.typed_sql import typed_sql
from server.agent.questions.unplaced_words import doubt, unplaced_words
from server.agent.tools.contract.tool_progress import Progress
from server.errors import BadRequest, ServerError
from server.ports.history import MOST_COMPARED, MOST_RUNS, History, KnownRuns, Measured, RunFunctions, RunPoint
from server.ports.identity import Caller
from server.ports.run_labels import RunLabels
from server.ports.saved_questions import SavedQuestions
from server.ports.traces import TraceSearch
from server.turns.opened_questions import call_paths
from server.turns.sql_questions import answered_sql
from server.turns.trace_library import TraceLibrary
from traces.errors import TraceError
from traces.gate.run_history import TOTAL

T = TypeVar("T")

MEASURED_AT_ONCE = 20
"""Recordings from before measures were kept, the newest, that are measured for one question."""
MEASURE_S = 5.0
LONGEST_QUESTION = 10_000
_BETWEEN_WORDS = re.compile(r"[\s:=]+")
NOT_UNDERSTOOD = (
    "I do not know this as a question over your recordings. I know: since when is a function slow, over the last 20 "
    "runs, by release; does a finding come back, how often; one branch or release against another; how "
    "many calls of f reach g, then h."
)


class RunQuestions:
    """Answers from the history of the caller's accounts alone."""

    def __init__(self, history: History, library: TraceLibrary, saved: SavedQuestions | None = None) -> None:
        self._history = history
        self._library = library
        self._saved = saved

    async def ask(
        self,
        caller: Caller,
        asked: str,
        *,
        program: str | None = None,
        trace: UUID | None = None,
        plan: PlanWriter | None = None,
        progress: Progress | None = None,
    ) -> RunsAnswer:
        """Answer words, or a question as JSON. `program` is whose recordings are meant where none is named, `trace`
        the one that is meant where none is spoken of. `progress` follows where it stands. Raises BadRequest,
        saying what is missing or not there, and the nearest."""
        if len(asked) > LONGEST_QUESTION:
            raise BadRequest(f"A question has at most {LONGEST_QUESTION:,} characters.", field="question")
        if asked.lstrip().startswith("{"):
            try:
                question = question_of(json.loads(asked))
            except (ValueError, RecursionError):
                raise BadRequest("The question is no JSON that can be read.", field="question") from None
            return await self.run(caller, question, program=program, progress=progress)
        if (typed := typed_sql(asked, trace)) is not None:
            return await self.run(caller, typed, progress=progress)
        every = TraceSearch()
        await self._measure_missing(caller, every, progress or Progress(""))
        known = await self._history.known(caller, every, words=_words(asked))
        if not known.runs:
            raise BadRequest("There are no recordings to ask about.", field="question")
        named = program if program in known.programs else None
        if plan is not None:
            return await self._planned(caller, asked, known, named, plan, progress or Progress(""))
        if (path := spoken_path(asked, spoken_runs(asked, known, named), trace)) is not None:
            return await self.run(caller, path, progress=progress)
        spoken = spoken_comparison(asked, known, named) or spoken_question(asked, known, named)
        if spoken is None:
            raise BadRequest(NOT_UNDERSTOOD, field="question")
        answer = await self.run(caller, spoken, progress=progress)
        left = unplaced_words(asked, spoken)
        return replace(answer, headline=f"{doubt(left, spoken)} {answer.headline}") if left else answer

    async def _planned(
        self, caller: Caller, asked: str, known: KnownRuns, program: str | None, plan: PlanWriter, progress: Progress
    ) -> RunsAnswer:
        """The answer to what a model plans."""
        saved = () if self._saved is None else await self._saved.all(caller)
        exists = understood(asked, known, [(one.name, one.question) for one in saved])
        progress.at("Planning the question")

        async def run(question: Question) -> RunsAnswer:
            return await self.run(caller, question, program=program, progress=progress)

        return await planned(asked, exists, plan, run)

    async def run(
        self,
        caller: Caller,
        question: Question,
        *,
        program: str | None = None,
        progress: Progress | None = None,
    ) -> RunsAnswer:
        """Answer a question once all it names exists; what was answered ten minutes ago or less, of the same
        recordings, is not asked again. Raises BadRequest."""
        key = (caller.account_id, caller.user_id, program or "", json.dumps(as_json(question), sort_keys=True))
        state = await self._history.state(caller)
        return await self._library.run_answers.answer(
            key, state, lambda: self._run(caller, question, program, progress or Progress(""))
        )

    async def _run(self, caller: Caller, question: Question, program: str | None, progress: Progress) -> RunsAnswer:
        if isinstance(question, SqlQuery):
            if question.runs != Runs():
                await self._checked(caller, question, lambda known: checked_names(question.runs, known))
            progress.at("Querying the recordings")
            return await answered_sql(self._library, self._history, caller, question)
        named = question

        def check(known: KnownRuns) -> OverRuns:
            of = _of_program(named, program) if program in known.programs else named
            return checked(of, known)

        sure = await self._checked(caller, question, check)
        if isinstance(sure, CallPath):
            return await call_paths(self._library, caller, sure, progress)
        if isinstance(sure, Comparison):
            return await self._compared(caller, sure, progress)
        points = await self._points(caller, sure.measure, sure.runs, progress)
        gone = await self._gone(caller, sure.runs, points)
        if isinstance(sure, Series):
            answer = await anyio.to_thread.run_sync(series_answer, sure, points)
        else:
            answer = recurrence_answer(sure, points)
        return replace(answer, notes=(*answer.notes, *gone))

    async def _checked(self, caller: Caller, question: Question, check: Callable[[KnownRuns], T]) -> T:
        """What the check makes of it: by what the question names alone, or, where that is not there by its full name,
        by all that is known. Raises BadRequest."""
        names = names_in(question)
        there = await self._history.named(caller, names)
        try:
            return check(there)
        except BadRequest:
            words = {value for _, value in names.labels if value is not None}
            return check(await self._history.known(caller, TraceSearch(), name=names.function, words=words))

    async def _gone(self, caller: Caller, runs: Runs, points: Sequence[RunPoint]) -> Sequence[str]:
        """The note about runs that were deleted or have expired: of those since the first point where older ones are
        not asked for."""
        criteria = _criteria(runs)
        if runs.starting is not None or len(points) == (runs.last or MOST_RUNS):
            criteria = replace(criteria, since=points[0].created_at if points else runs.since)
        count = await self._history.removed(caller, criteria)
        if not count:
            return ()
        return (f"{count:,} further {'recording was' if count == 1 else 'recordings were'} deleted or expired.",)

    async def _compared(self, caller: Caller, question: Comparison, progress: Progress) -> RunsAnswer:
        groups = (question.before, question.after)
        if (measure := question.measure) is not None:
            before, after = [await self._points(caller, measure, runs, progress) for runs in groups]
            return await anyio.to_thread.run_sync(comparison_answer, question, measure, before, after)
        old, new = [await self._functions(caller, runs, progress) for runs in groups]
        return await anyio.to_thread.run_sync(changes_answer, question, old, new)

    async def _functions(self, caller: Caller, runs: Runs, progress: Progress) -> Sequence[RunFunctions]:
        criteria = _criteria(runs)
        await self._measure_missing(caller, criteria, progress)
        limit = min(runs.last or MOST_COMPARED, MOST_COMPARED)
        kept = await self._history.functions(caller, criteria, limit=limit)
        if runs.starting is None:
            return kept
        chosen = {
            one.trace_id for one in await self._points(caller, Measure(kind="figure", name=TOTAL), runs, progress)
        }
        return [one for one in kept if one.trace_id in chosen]

    async def _points(self, caller: Caller, measure: Measure, runs: Runs, progress: Progress) -> Sequence[RunPoint]:
        criteria = _criteria(runs)
        await self._measure_missing(caller, criteria, progress)
        asked = Measured(measure.kind, measure.name, measure.file)
        points = await self._history.points(caller, criteria, asked, limit=runs.last or MOST_RUNS)
        if runs.starting is None:
            return points
        key, _, value = runs.starting.partition(":")
        first = next((at for at, one in enumerate(points) if one.run.labels.get(key) == value), len(points))
        return points[first:]

    async def _measure_missing(self, caller: Caller, criteria: TraceSearch, progress: Progress) -> None:
        """Measure the newest that were stored before measures were kept, as far as there is time."""
        missing = await self._history.unmeasured(caller, criteria, limit=MEASURED_AT_ONCE)
        with anyio.move_on_after(MEASURE_S):
            for place, trace_id in enumerate(missing):
                progress.at("Measuring recordings that were not measured yet", place, len(missing))
                try:
                    _, opened = await self._library.open(caller, trace_id)
                except (ServerError, TraceError, OSError):
                    continue
                await self._library.measure(caller, trace_id, opened)


class AskedRuns:
    """Implements `RunsAsked` for one caller, about the program of one of their traces."""

    def __init__(self, questions: RunQuestions, caller: Caller, program: str | None, trace: UUID) -> None:
        self._questions = questions
        self._caller = caller
        self._program = program
        self._trace = trace

    async def ask(self, question: str, plan: PlanWriter | None = None, progress: Progress | None = None) -> RunsAnswer:
        """Raises BadRequest, ModelFailed."""
        return await self._questions.ask(
            self._caller, question, program=self._program, trace=self._trace, plan=plan, progress=progress
        )


async def runs_of(library: TraceLibrary, caller: Caller, trace_id: str) -> AskedRuns | None:
    """The recordings of a trace's program; None where it is the only one, or nothing is kept of them. Raises
    NotFound."""
    if library.history is None:
        return None
    program = (await library.row(caller, trace_id)).run.program
    found = await library.search(caller, TraceSearch(run=RunLabels(program=program)), limit=2)
    if len(found) < 2:
        return None
    questions = RunQuestions(library.history, library, library.saved_questions)
    return AskedRuns(questions, caller, program, UUID(trace_id))


def _words(text: str) -> frozenset[str]:
    """What may be the value of a label in words."""
    words = {one.strip("`?.,!;()\"'") for one in _BETWEEN_WORDS.split(text)}
    return frozenset(words | set(text.split()) - {""})


def _criteria(runs: Runs) -> TraceSearch:
    return TraceSearch(run=RunLabels(dict(runs.labels), runs.program), since=runs.since)


def _of_program(question: OverRuns, program: str | None) -> OverRuns:
    def named(runs: Runs) -> Runs:
        return runs if runs.program is not None else runs.model_copy(update={"program": program})

    if isinstance(question, Comparison):
        return question.model_copy(update={"before": named(question.before), "after": named(question.after)})
    return question.model_copy(update={"runs": named(question.runs)})
