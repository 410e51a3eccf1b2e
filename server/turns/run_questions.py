"""Questions over many recordings: understood, checked against what there is, and answered from what was measured."""

import json
from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

import anyio
import anyio.to_thread

from server.agent.questions.checks import checked, checked_names
from server.agent.questions.group_changes import changes_answer
from server.agent.questions.planner import PlanWriter, planned, understood
from server.agent.questions.question_schema import (
    CallPath,
    Comparison,
    Measure,
    Question,
    Recurrence,
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
from server.errors import BadRequest, ServerError
from server.ports.history import MOST_COMPARED, MOST_RUNS, History, Measured, RunFunctions, RunPoint
from server.ports.identity import Caller
from server.ports.run_labels import RunLabels
from server.ports.saved_questions import SavedQuestions
from server.ports.traces import TraceSearch
from server.turns.opened_questions import call_paths
from server.turns.sql_questions import answered_sql
from server.turns.trace_library import TraceLibrary
from traces.errors import TraceError
from traces.gate.run_history import TOTAL

MEASURED_AT_ONCE = 20
"""Recordings from before measures were kept, the newest, that are measured for one question."""
MEASURE_S = 5.0
LONGEST_QUESTION = 10_000
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
    ) -> RunsAnswer:
        """Answer words, or a question as JSON. `program` is whose recordings are meant where none is named, `trace`
        the one that is meant where none is spoken of. Raises BadRequest, saying what is missing or not there, and the
        nearest."""
        if len(asked) > LONGEST_QUESTION:
            raise BadRequest(f"A question has at most {LONGEST_QUESTION:,} characters.", field="question")
        if asked.lstrip().startswith("{"):
            try:
                return await self.run(caller, question_of(json.loads(asked)), program=program)
            except (ValueError, RecursionError):
                raise BadRequest("The question is no JSON that can be read.", field="question") from None
        if (typed := typed_sql(asked, trace)) is not None:
            return await self.run(caller, typed)
        every = TraceSearch()
        await self._measure_missing(caller, every)
        known = await self._history.known(caller, every)
        if not known.runs:
            raise BadRequest("There are no recordings to ask about.", field="question")
        named = program if program in known.programs else None
        if plan is not None:
            saved = () if self._saved is None else await self._saved.all(caller)
            exists = understood(asked, known, [(one.name, one.question) for one in saved])
            return await planned(asked, exists, plan, lambda question: self.run(caller, question, program=named))
        if (path := spoken_path(asked, spoken_runs(asked, known, named), trace)) is not None:
            return await self.run(caller, path)
        spoken = spoken_comparison(asked, known, named) or spoken_question(asked, known, named)
        if spoken is None:
            raise BadRequest(NOT_UNDERSTOOD, field="question")
        answer = await self.run(caller, spoken)
        left = unplaced_words(asked, spoken)
        return replace(answer, headline=f"{doubt(left, spoken)} {answer.headline}") if left else answer

    async def run(self, caller: Caller, question: Question, *, program: str | None = None) -> RunsAnswer:
        """Answer a question once all it names exists; what was answered ten minutes ago or less, of the same
        recordings, is not asked again. Raises BadRequest."""
        key = (caller.account_id, caller.user_id, program or "", json.dumps(as_json(question), sort_keys=True))
        state = await self._history.state(caller)
        return await self._library.run_answers.answer(key, state, lambda: self._run(caller, question, program))

    async def _run(self, caller: Caller, question: Question, program: str | None) -> RunsAnswer:
        if isinstance(question, SqlQuery):
            if question.runs != Runs():
                checked_names(question.runs, await self._history.known(caller, TraceSearch()))
            return await answered_sql(self._library, self._history, caller, question)
        name = None if isinstance(question, CallPath) or question.measure is None else question.measure.name
        known = await self._history.known(caller, TraceSearch(), name=name)
        if program in known.programs:
            question = _of_program(question, program)
        if isinstance(question, CallPath):
            return await call_paths(self._library, caller, question, known)
        sure = checked(question, known)
        if isinstance(sure, Comparison):
            return await self._compared(caller, sure)
        points = await self._points(caller, sure.measure, sure.runs)
        gone = await self._gone(caller, sure.runs, points)
        if isinstance(sure, Series):
            answer = await anyio.to_thread.run_sync(series_answer, sure, points)
        else:
            answer = recurrence_answer(sure, points)
        return replace(answer, notes=(*answer.notes, *gone))

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

    async def _compared(self, caller: Caller, question: Comparison) -> RunsAnswer:
        groups = (question.before, question.after)
        if (measure := question.measure) is not None:
            before, after = [await self._points(caller, measure, runs) for runs in groups]
            return await anyio.to_thread.run_sync(comparison_answer, question, measure, before, after)
        old, new = [await self._functions(caller, runs) for runs in groups]
        return await anyio.to_thread.run_sync(changes_answer, question, old, new)

    async def _functions(self, caller: Caller, runs: Runs) -> Sequence[RunFunctions]:
        criteria = _criteria(runs)
        await self._measure_missing(caller, criteria)
        limit = min(runs.last or MOST_COMPARED, MOST_COMPARED)
        kept = await self._history.functions(caller, criteria, limit=limit)
        if runs.starting is None:
            return kept
        chosen = {one.trace_id for one in await self._points(caller, Measure(kind="figure", name=TOTAL), runs)}
        return [one for one in kept if one.trace_id in chosen]

    async def _points(self, caller: Caller, measure: Measure, runs: Runs) -> Sequence[RunPoint]:
        criteria = _criteria(runs)
        await self._measure_missing(caller, criteria)
        asked = Measured(measure.kind, measure.name, measure.file)
        points = await self._history.points(caller, criteria, asked, limit=runs.last or MOST_RUNS)
        if runs.starting is None:
            return points
        key, _, value = runs.starting.partition(":")
        first = next((at for at, one in enumerate(points) if one.run.labels.get(key) == value), len(points))
        return points[first:]

    async def _measure_missing(self, caller: Caller, criteria: TraceSearch) -> None:
        """Measure the newest that were stored before measures were kept, as far as there is time."""
        missing = await self._history.unmeasured(caller, criteria, limit=MEASURED_AT_ONCE)
        with anyio.move_on_after(MEASURE_S):
            for trace_id in missing:
                try:
                    _, opened = await self._library.open(caller, trace_id)
                except (ServerError, TraceError, OSError):
                    continue
                await self._library.measure(caller, trace_id, opened)


OverRuns = Series | Recurrence | Comparison | CallPath


class AskedRuns:
    """Implements `RunsAsked` for one caller, about the program of one of their traces."""

    def __init__(self, questions: RunQuestions, caller: Caller, program: str | None, trace: UUID) -> None:
        self._questions = questions
        self._caller = caller
        self._program = program
        self._trace = trace

    async def ask(self, question: str, plan: PlanWriter | None = None) -> RunsAnswer:
        """Raises BadRequest, ModelFailed."""
        return await self._questions.ask(self._caller, question, program=self._program, trace=self._trace, plan=plan)


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


def _criteria(runs: Runs) -> TraceSearch:
    return TraceSearch(run=RunLabels(dict(runs.labels), runs.program), since=runs.since)


def _of_program(question: OverRuns, program: str | None) -> OverRuns:
    def named(runs: Runs) -> Runs:
        return runs if runs.program is not None else runs.model_copy(update={"program": program})

    if isinstance(question, Comparison):
        return question.model_copy(update={"before": named(question.before), "after": named(question.after)})
    return question.model_copy(update={"runs": named(question.runs)})
