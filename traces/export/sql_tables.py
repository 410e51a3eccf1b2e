"""The trace as SQL tables: what each column holds, and the columns it is made of. Read by the sandbox that answers
queries and by the tool that describes them; knows no database.

A table is a view over raw numpy columns (zero-copy where a trace has one profile). Handles are text (`f12`), times come
in nanoseconds and milliseconds on the trace's own clock, on which its earliest moment is 0.
"""

from collections.abc import Callable
from dataclasses import dataclass

from traces.export import sql_rows
from traces.export.sql_rows import Columns
from traces.model import Profile, Trace
from traces.values import Counts, ProfileKind, ThreadState, Unit

TIMED, MEASURED, COUNTED = "$timed", "$measured", "$counted"
"""Stand in expressions for "this row's profile has times", "measures time" and "has counts"; `view` replaces them."""
ENDED = f"{TIMED} AND unfinished = 0"
ARGUMENTS = "$arguments"
"""Stands in an expression for a span's arguments: `view` puts them there when they were read from the upload."""
RAW_ARGUMENTS = "_arguments"
"""The table of them: `id` of the span, `said` as the file has it."""
_MAP = "MAP(VARCHAR, VARCHAR)"
_READ_ARGUMENTS = (
    f"TRY_CAST(TRY_CAST((SELECT own.said FROM {RAW_ARGUMENTS} own WHERE own.id = _spans.id) AS JSON) AS {_MAP})"  # noqa: S608 - constants
)


@dataclass(frozen=True, slots=True)
class SqlColumn:
    """`expression` is over the table's raw columns, `meaning` for whoever writes a query."""

    name: str
    expression: str
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class SqlTable:
    """`raw` gives its rows as columns, `row_count` their number at no cost. `uses`: raw tables its expressions read."""

    name: str
    meaning: str
    columns: tuple[SqlColumn, ...]
    raw: Callable[[Trace], Columns]
    row_count: Callable[[Trace], int]
    uses: tuple[str, ...] = ()

    @property
    def column_names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)


def raw_name(table: str) -> str:
    """The name under which a table's raw columns stand: never one that a query may say."""
    return f"_{table}"


def view(table: SqlTable, trace: Trace, *, with_arguments: bool = False) -> str:
    """`SELECT ...` of the table over its raw columns; with the spans' arguments where these were read."""
    chosen = ", ".join(f'{column.expression} AS "{column.name}"' for column in table.columns)
    chosen = chosen.replace(ARGUMENTS, _READ_ARGUMENTS if with_arguments else f"NULL::{_MAP}")
    chosen = chosen.replace(TIMED, _where(trace, lambda profile: profile.has_times))
    chosen = chosen.replace(COUNTED, _where(trace, lambda profile: profile.counts is not Counts.NONE))
    chosen = chosen.replace(MEASURED, _where(trace, lambda profile: profile.unit is Unit.NANOSECONDS))
    return f"SELECT {chosen} FROM {raw_name(table.name)}"  # noqa: S608 - of constants of this file


def _where(trace: Trace, is_so: Callable[[Profile], bool]) -> str:
    those = [str(profile.index) for profile in trace.profiles if is_so(profile)]
    if len(those) == len(trace.profiles):
        return "TRUE"
    return f"profile IN ({', '.join(those)})" if those else "FALSE"


def _handle(letter: str, column: str) -> str:
    return f"CASE WHEN {column} >= 0 THEN '{letter}' || {column} END"


def _if(condition: str, column: str) -> str:
    return f"CASE WHEN {condition} THEN {column} END"


def _ms(column: str, condition: str) -> str:
    return f"CASE WHEN {condition} THEN {column} / 1e6 END"


def _named(frame: str = "frame") -> str:
    return f"(SELECT named.name FROM _frames named WHERE named.id = {frame})"  # noqa: S608 - a constant


PROFILE = SqlColumn("profile", _handle("p", "profile"), "p0; NULL: the whole trace")
IN_PROFILE = SqlColumn("profile", _handle("p", "profile"))
FRAME = SqlColumn("frame", _handle("f", "frame"))
NAME = SqlColumn("name", _named(), "the frame's name")
PLAIN_NAME = SqlColumn("name", "name::VARCHAR")


def _moment(prefix: str, column: str, meaning: str = "") -> tuple[SqlColumn, SqlColumn]:
    return SqlColumn(f"{prefix}_ns", column, meaning), SqlColumn(f"{prefix}_ms", f"{column} / 1e6")


def _line(column: str) -> str:
    return f"CASE WHEN {column} >= 0 THEN {column} END"


TABLES: dict[str, SqlTable] = {
    table.name: table
    for table in (
        SqlTable(
            "frames",
            "functions",
            (
                SqlColumn("frame", _handle("f", "id"), "f12"),
                PLAIN_NAME,
                SqlColumn("file", "file::VARCHAR"),
                SqlColumn("line", _line("line")),
                SqlColumn("col", _line("col")),
                SqlColumn("category", "category::VARCHAR"),
            ),
            sql_rows.frames,
            lambda trace: len(trace.frames),
        ),
        SqlTable(
            "profiles",
            "threads and tracks",
            (
                SqlColumn("profile", _handle("p", "profile"), "p0"),
                PLAIN_NAME,
                SqlColumn("pid", "pid", "text"),
                SqlColumn("tid", "tid", "text"),
                SqlColumn("kind", "kind", " or ".join(kind.value for kind in ProfileKind)),
                SqlColumn("unit", "unit", "of its values: " + ", ".join(unit.value for unit in Unit)),
                SqlColumn("start_ms", _ms("axis_start", TIMED), "subtract it from times to get a tool's window"),
                SqlColumn("dur_ms", _ms("(axis_end - axis_start)", TIMED)),
                *(
                    SqlColumn(f"{part}_ms", f"CASE WHEN {part} >= 0 THEN {part} / 1e6 END", meaning)
                    for part, meaning in (
                        ("busy", "busy + waiting + idle + unknown is the recording; NULL: no time is measured"),
                        ("waiting", ""),
                        ("idle", ""),
                        ("unknown", "the format cannot tell"),
                    )
                ),
                SqlColumn("has_times", "has_times", "false: sums per stack, without moments"),
                SqlColumn("counted", "counted", "calls, samples, or what events are called; NULL: no counts"),
                SqlColumn("role", "role", "of the thread: main, worker, gc and so on, or unknown"),
                SqlColumn("samples", "samples", "rows in samples"),
                SqlColumn("spans", "spans", "rows in spans"),
                SqlColumn("nodes", "nodes", "rows in nodes"),
            ),
            sql_rows.profiles,
            lambda trace: len(trace.profiles),
        ),
        SqlTable(
            "spans",
            "single timed calls, properly nested (evented profiles)",
            (
                SqlColumn("span", "'s' || id", "s12"),
                IN_PROFILE,
                FRAME,
                NAME,
                SqlColumn("node", _handle("n", "node")),
                SqlColumn("parent", _handle("s", "parent"), "the calling span; NULL: none"),
                SqlColumn("depth", "depth"),
                SqlColumn("start_ns", _if(TIMED, '"start"'), "NULL when the profile has no times"),
                SqlColumn("start_ms", _ms('"start"', TIMED)),
                SqlColumn("dur_ns", _if(ENDED, "dur"), "NULL when it never ended"),
                SqlColumn("dur_ms", _ms("dur", ENDED)),
                SqlColumn("self_ns", _if(TIMED, "self"), "without its children"),
                SqlColumn("self_ms", _ms("self", TIMED)),
                SqlColumn("unfinished", "unfinished = 1", "it has no end in the file"),
                SqlColumn(
                    "running_ns", _if("running >= 0", "running"), "on a processor; NULL when the file does not say"
                ),
                SqlColumn("running_ms", _ms("running", "running >= 0")),
                *(
                    SqlColumn(f"{state}_ns", _if(f"{state} >= 0", state), about)
                    for state, about in (
                        ("runnable", "it could run and waited for a processor"),
                        ("sleeping", "it waited: a lock, a timer, a message"),
                        ("blocked", "it waited and could not be interrupted: mostly a disk"),
                    )
                ),
                SqlColumn(
                    "args",
                    ARGUMENTS,
                    "map of its arguments, all text: args['url'], one inside another args['data'] ->> 'url', "
                    "a number args['n']::DOUBLE; map_keys(args) names them; NULL: none recorded",
                ),
            ),
            sql_rows.spans,
            lambda trace: sum(len(p.spans) for p in trace.profiles if p.spans),
            ("frames",),
        ),
        SqlTable(
            "samples",
            "recorded stacks (sampled profiles), in time order where they have times",
            (
                IN_PROFILE,
                SqlColumn("time_ns", _if(TIMED, '"time"'), "NULL when the profile has no times: sums"),
                SqlColumn("time_ms", _ms('"time"', TIMED)),
                SqlColumn("node", _handle("n", "node"), "its innermost call; NULL: idle"),
                FRAME,
                NAME,
                SqlColumn("weight", "weight", "in the profile's unit (ns for time)"),
                SqlColumn("weight_ms", _ms("weight", MEASURED)),
            ),
            sql_rows.samples,
            lambda trace: sum(len(p.samples) for p in trace.profiles if p.samples),
            ("frames",),
        ),
        SqlTable(
            "nodes",
            "call paths (the call tree): one row a path, added up",
            (
                SqlColumn("node", "'n' || id", "n12"),
                IN_PROFILE,
                FRAME,
                NAME,
                SqlColumn("parent", _handle("n", "parent"), "NULL: a root"),
                SqlColumn("depth", "depth"),
                SqlColumn("count", _if(COUNTED, "count"), "of what profiles.counted says; NULL without counts"),
                SqlColumn("self_value", "self_value", "in the profile's unit (ns for time)"),
                SqlColumn("total_value", "total_value", "with what it calls"),
                SqlColumn("self_ms", _ms("self_value", MEASURED)),
                SqlColumn("total_ms", _ms("total_value", MEASURED)),
                SqlColumn(
                    "outermost",
                    "outermost = 1",
                    "add up totals of these only: recursion counts once, calls that never ended do not",
                ),
            ),
            sql_rows.nodes,
            lambda trace: sum(len(p.tree) for p in trace.profiles),
            ("frames",),
        ),
        SqlTable(
            "edges",
            "who called whom, as the file sums it (cProfile, callgrind): exact where nodes are estimates",
            (
                IN_PROFILE,
                SqlColumn("caller", _handle("f", "caller")),
                SqlColumn("caller_name", _named("caller")),
                SqlColumn("callee", _handle("f", "callee")),
                SqlColumn("callee_name", _named("callee")),
                SqlColumn("calls", _if("calls >= 0", "calls"), "direct ones; NULL: not known"),
                SqlColumn(
                    "self_value", _if("self_value >= 0", "self_value"), "of the callee, called so; NULL: not known"
                ),
                SqlColumn("total_value", "total_value", "with what it calls; of a recursive callee they do not add up"),
                SqlColumn("total_ms", _ms("total_value", MEASURED)),
            ),
            sql_rows.edges,
            lambda trace: len(sql_rows.edges(trace)["caller"]) if len(trace.edges) else 0,
            ("frames",),
        ),
        SqlTable(
            "counters",
            "measured levels, one row a reading",
            (PLAIN_NAME, PROFILE, *_moment("time", '"time"'), SqlColumn("value", "value")),
            sql_rows.counters,
            lambda trace: len(trace.counters.time),
        ),
        SqlTable(
            "instants",
            "points in time",
            (PLAIN_NAME, PROFILE, *_moment("time", '"time"')),
            sql_rows.instants,
            lambda trace: len(trace.instants.time),
        ),
        SqlTable(
            "async_spans",
            "intervals that need not nest (requests, async tasks)",
            (
                PLAIN_NAME,
                SqlColumn("id", "ident::VARCHAR"),
                PROFILE,
                *_moment("start", '"start"'),
                *_moment("dur", "dur"),
            ),
            sql_rows.async_spans,
            lambda trace: len(trace.async_spans.start),
        ),
        SqlTable(
            "flows",
            "arrows from one point to another",
            (
                PLAIN_NAME,
                SqlColumn("from_profile", _handle("p", "from_profile")),
                *_moment("from", "from_time"),
                SqlColumn("to_profile", _handle("p", "to_profile")),
                *_moment("to", "to_time"),
            ),
            sql_rows.flows,
            lambda trace: len(trace.flows.from_time),
        ),
        SqlTable(
            "thread_states",
            "what the system did with threads (scheduling), one row a state",
            (
                PROFILE,
                *_moment("start", '"start"'),
                *_moment("dur", "dur"),
                SqlColumn("state", f"{[state.name.lower() for state in ThreadState]}[state + 1]"),
            ),
            sql_rows.thread_states,
            lambda trace: len(trace.thread_states),
        ),
        SqlTable(
            "requests",
            "what a page asked the network for (Chrome)",
            (
                SqlColumn("url", "url::VARCHAR", "without query"),
                SqlColumn("kind", "kind::VARCHAR", "Document, Stylesheet, Script and so on"),
                SqlColumn("priority", "priority::VARCHAR", "Chrome's: VeryHigh to VeryLow"),
                SqlColumn("blocking", "blocking::VARCHAR", "blocking: painting waits for it"),
                SqlColumn("found_in", "found_in::VARCHAR", "the address that asked for it"),
                PROFILE,
                *_moment("start", '"start"'),
                *_moment("dur", "dur"),
                SqlColumn("server_ms", "CASE WHEN server >= 0 THEN server / 1e6 END", "until the first bytes came"),
                SqlColumn("size_bytes", "CASE WHEN size >= 0 THEN size END", "received"),
            ),
            sql_rows.requests,
            lambda trace: len(trace.requests),
        ),
    )
}
