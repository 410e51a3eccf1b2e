"""Questions over recordings that are opened one after another: paths of calls."""

from collections.abc import Sequence
from itertools import dropwhile

from server.agent.questions.path_answers import PathRun, path_answer
from server.agent.questions.path_figures import path_figures
from server.agent.questions.question_schema import CallPath, Runs
from server.agent.questions.run_answers import RunsAnswer
from server.agent.tools.contract.tool_progress import Progress
from server.errors import BadRequest
from server.ports.identity import Caller
from server.ports.run_labels import RunLabels
from server.ports.traces import TraceRow, TraceSearch
from server.turns.trace_library import TraceLibrary

OPENED_AT_ONCE = 20
"""Recordings of one question, the newest: each is opened, and read again where it is not at hand."""


async def call_paths(library: TraceLibrary, caller: Caller, question: CallPath, progress: Progress) -> RunsAnswer:
    """The answer to a question whose names were checked. Raises BadRequest, NotFound."""
    if question.trace is None:
        rows = await chosen_rows(library, caller, question.runs)
    else:
        rows = [await library.row(caller, str(question.trace))]
    if not rows:
        raise BadRequest("There are no recordings with these labels.", field="runs")
    steps = [(one.name, one.file) for one in question.steps]
    runs = []
    for place, row in enumerate(rows):
        progress.at("Following calls through the recordings", place, len(rows))
        _, opened = await library.open(caller, row.trace_id)
        figures = await library.workers.ask(opened, path_figures, steps)
        runs.append(PathRun(row.trace_id, row.name, row.created_at, figures))
    return path_answer(question, runs)


async def chosen_rows(library: TraceLibrary, caller: Caller, runs: Runs) -> Sequence[TraceRow]:
    """The newest recordings that are meant, oldest first."""
    criteria = TraceSearch(run=RunLabels(dict(runs.labels), runs.program), since=runs.since)
    found = await library.search(caller, criteria, limit=min(runs.last or OPENED_AT_ONCE, OPENED_AT_ONCE))
    rows = list(reversed(found))
    if runs.starting is None:
        return rows
    key, _, value = runs.starting.partition(":")
    return list(dropwhile(lambda row: row.run.labels.get(key) != value, rows))
