"""Questions that are SQL: over one trace, or over what the recordings of an account measured."""

import tempfile
from contextlib import AsyncExitStack
from pathlib import Path

import anyio

from server.agent.questions.question_schema import SqlQuery
from server.agent.questions.run_answers import RunsAnswer
from server.agent.questions.run_tables import LIBRARY, SCHEMA, described_tables, tables_named
from server.agent.questions.sql_answers import sql_answer
from server.agent.tools.query_trace import READS_ARGUMENTS, refusal
from server.errors import BadRequest
from server.ports.history import History
from server.ports.identity import Caller
from server.ports.run_labels import RunLabels
from server.ports.traces import SqlRefused, SqlRows, TraceSearch
from server.turns.trace_library import TraceLibrary

TAKEN_OUT_S = 10.0
"""Until the tables have left the database."""


async def answered_sql(library: TraceLibrary, history: History, caller: Caller, question: SqlQuery) -> RunsAnswer:
    """Raises BadRequest for a query that is not answered, saying why; NotFound for a trace that is not the caller's."""
    if question.trace is not None:
        return sql_answer(question, await _of_trace(library, caller, question))
    criteria = TraceSearch(run=RunLabels(dict(question.runs.labels), question.runs.program), since=question.runs.since)
    with tempfile.TemporaryDirectory(prefix="flamechat-", dir=library.scratch) as folder:
        try:
            with anyio.fail_after(TAKEN_OUT_S):
                written = await history.write_library(
                    caller, criteria, tables_named(question.sql), Path(folder), functions=question.functions
                )
        except TimeoutError:
            raise BadRequest(
                "The recordings are too many for one query: narrow them by label, time or function.", field="runs"
            ) from None
        try:
            found = await library.workers.query_library(
                {str(name): one for name, one in written.files.items()}, question.sql
            )
        except SqlRefused as refused:
            raise BadRequest(_why(refused), field="sql") from None
    notes = [f"Over {written.runs:,} recordings."]
    if written.left_out:
        notes.append(
            f"{written.left_out:,} older recordings have too many rows and are left out: narrow by label or time."
        )
    return sql_answer(question, found, tuple(notes))


async def _of_trace(library: TraceLibrary, caller: Caller, question: SqlQuery) -> SqlRows:
    row, opened = await library.open(caller, str(question.trace))
    try:
        async with AsyncExitStack() as stack:
            upload = None
            if READS_ARGUMENTS in question.sql.casefold():
                upload = await stack.enter_async_context(library.upload(caller, row.trace_id))
            return await library.workers.query(opened, question.sql, upload=upload)
    except SqlRefused as refused:
        raise BadRequest(refusal(refused), field="sql") from None


def _why(refused: SqlRefused) -> str:
    if refused.kind != "syntax":
        return refused.text
    listed = [
        f"{SCHEMA}.{name} has {', '.join(LIBRARY[name].column_names)}" for name in refused.tables if name in LIBRARY
    ]
    return ". ".join([f"The query could not be read: {refused.text}", *(listed or [described_tables()])])
