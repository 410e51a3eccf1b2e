"""compare_traces: what got slower, appeared and vanished since another trace, another profile, or several runs."""

import difflib
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field

from rendering.errors import InvalidOption
from server.agent.tools.contract.arguments import MyCodeArgument, ProfilesArgument, Windowed
from server.agent.tools.contract.resolving import OWN_CODE, chosen_selection, chosen_window, profile_choice
from server.agent.tools.contract.tool import Outcome, Tool
from server.agent.tools.contract.tool_context import Asking, KnownTrace
from server.agent.tools.contract.tool_errors import ToolRetry
from server.ports.traces import OpenTrace
from server.protocol.wire_values import Table
from server.quoting import place, plain, quoted
from traces.analysis.compare import ComparedFunction, Comparison, compare_traces
from traces.analysis.functions import function_values
from traces.analysis.runs import Change, RunComparison, compare_runs
from traces.analysis.selection import Selection, select
from traces.analysis.units import format_share, format_value
from traces.analysis.window import Window
from traces.errors import TraceError
from traces.handles import parse_handle
from traces.model import Trace
from traces.values import Unit

MOST_RUNS = 10
GROUPS = (("grew", "slower or larger"), ("new", "appeared"), ("vanished", "vanished"), ("shrank", "faster or smaller"))

Named = Annotated[str, Field(min_length=1, max_length=200)]


class CompareTraces(Windowed):
    others: Annotated[
        list[Named],
        Field(
            min_length=1, max_length=MOST_RUNS, description="what was before: name or id of a trace, or a profile p1"
        ),
    ]
    runs: Annotated[list[Named], Field(max_length=MOST_RUNS, description="further runs like this one")] = []  # noqa: RUF012
    sort_by: Literal["self", "total"] = "self"
    limit: Annotated[int, Field(ge=1, le=500)] = 12
    profile: ProfilesArgument = None
    absolute: Annotated[bool, Field(description="values, not shares")] = False
    my_code: MyCodeArgument = False


async def ask_comparison(asking: Asking, arguments: CompareTraces) -> Outcome:
    if len(arguments.others) == 1 and not arguments.runs:
        named = arguments.others[0].strip().lstrip("#")
        if _is_profile(named):
            return await asking.workers.ask(asking.trace, compare_profiles, arguments, named)
        known = await named_trace(asking, named)
        two: Callable[..., Outcome] = compare_two
        return await asking.workers.ask(
            asking.trace, two, arguments, await opened(asking, known), trace_id=known.trace_id
        )
    before = [await opened(asking, await named_trace(asking, name)) for name in arguments.others]
    after = [await opened(asking, await named_trace(asking, name)) for name in arguments.runs]
    many: Callable[..., Outcome] = compare_many
    return await asking.workers.ask(asking.trace, many, arguments, len(before), *before, *after)


def _is_profile(named: str) -> bool:
    try:
        return parse_handle(named).kind == "profile"
    except TraceError:
        return False


async def named_trace(asking: Asking, named: str) -> KnownTrace:
    """Another trace of the person's by its id or name (of several of one name the newest). Raises ToolRetry naming the
    nearest, or what else can be compared."""
    others = [] if asking.tool_context is None else await asking.tool_context.traces()
    key = named.strip().casefold()
    exact = [one for one in others if one.trace_id == key] or [one for one in others if one.name.casefold() == key]
    if exact:
        return exact[0]
    inside = [known for known in others if key in known.name.casefold()]
    if len(inside) == 1:
        return inside[0]
    names = {known.name.casefold(): known for known in reversed(others)}
    near = inside[:5] or [names[name] for name in difflib.get_close_matches(key, names, n=5, cutoff=0.3)] or others[:5]
    listed = ", ".join(f"{quoted(known.name, 60)} ({known.created}, {known.trace_id})" for known in near)
    raise ToolRetry(
        f"no other trace is named {quoted(named, 60)}"
        + (f"; there are {listed}" if near else "; there is none to compare with: name a profile such as p1")
    )


async def opened(asking: Asking, known: KnownTrace) -> OpenTrace:
    assert asking.tool_context is not None
    return await asking.tool_context.open(known.trace_id)


def compare_two(trace: Trace, arguments: CompareTraces, other: Trace, trace_id: str | None = None) -> Outcome:
    """This trace as the one after."""
    return _two(trace, other, arguments, before_profile=None, trace_id=trace_id)


def compare_profiles(trace: Trace, arguments: CompareTraces, named: str) -> Outcome:
    """One profile of this trace as before, another as after."""
    return _two(trace, trace, arguments, before_profile=named, trace_id=None)


def _two(
    trace: Trace, other: Trace, arguments: CompareTraces, *, before_profile: str | None, trace_id: str | None
) -> Outcome:
    old, new = chosen_selection(other, before_profile), chosen_selection(trace, arguments.profile)
    found = compare_traces(
        other,
        trace,
        profile_before=profile_choice(old),
        profile_after=profile_choice(new),
        sort_by=arguments.sort_by,
        limit=arguments.limit,
        normalise=not arguments.absolute,
        window_before=_window(old, arguments),
        window_after=_window(new, arguments),
        frame_filter=OWN_CODE if arguments.my_code else None,
    )
    outcome = Outcome(
        text="\n".join(_lines(found, trace, other)),
        data=_data(found, _Recorded(old, _window(old, arguments)), _Recorded(new, _window(new, arguments))),
        table=_table(found),
        warning=bool(found.notes),
    )
    if not found.is_related:
        return outcome
    if arguments.start_time_ms is not None or arguments.end_time_ms is not None:
        return replace(outcome, text=f"{outcome.text}\neach in that window, counted from its own start")
    from rendering.diff import render_diff  # noqa: PLC0415 - drawing takes 0.1 s to load, and few turns draw
    from rendering.options import DiffOptions  # noqa: PLC0415 - as above

    try:
        picture = render_diff(
            other,
            trace,
            DiffOptions(
                before_profile=old.profiles[0].index,
                profile=new.profiles[0].index,
                compare="values" if arguments.absolute else "shares",
                handles=True,
            ),
        )
    except InvalidOption as error:
        raise ToolRetry(str(error)) from None
    shown = {"view": "diff", "trace_id": trace_id, "profile": found.profile_after} | picture.shown
    text = f"{outcome.text}\na picture of the difference follows"
    return replace(outcome, text=text, ui=shown, picture=picture.png)


def _window(chosen: Selection, arguments: CompareTraces) -> Window | None:
    """The time range asked about, from each recording's own start. Raises ToolRetry that names the recording."""
    try:
        return chosen_window(chosen, arguments.start_time_ms, arguments.end_time_ms)
    except ToolRetry as refusal:
        raise ToolRetry(f"{quoted(chosen.trace.name, 60)}: {refusal}") from None


def _lines(found: Comparison, trace: Trace, other: Trace) -> list[str]:
    unit = found.unit
    lines = [
        f"before: {quoted(other.name, 80)} {found.profile_before} {format_value(found.scope_total_before, unit)}; "
        f"after: {quoted(trace.name, 80)} {found.profile_after} {format_value(found.scope_total_after, unit)}"
        + ("; changes are as if both had the first's whole" if found.normalised else "")
    ]
    lines += [f"note: {note}" for note in found.notes]
    if not found.is_related:
        return lines
    for status, title in GROUPS:
        rows = [row for row in found.rows if row.status == status]
        if rows:
            lines += [f"{title}:", *(f"  {_row(row, unit)}" for row in rows)]
    if all(row.status == "same" for row in found.rows):
        lines.append("no function changed")
    if (left := found.total_rows - len(found.rows)) > 0:
        lines.append(f"… {left} more that changed less: use a higher limit")
    lines.append("handles are of the trace after")
    return lines


def _row(row: ComparedFunction, unit: Unit) -> str:
    return (
        f"{row.after or '-'} {quoted(row.name)}{place(row.file, None)} self "
        f"{format_share(row.self_share_before)} → {format_share(row.self_share_after)} "
        f"({signed(row.self_change, unit)}), "
        f"total {format_share(row.total_share_before)} → {format_share(row.total_share_after)} "
        f"({signed(row.total_change, unit)})"
    )


def signed(change: float, unit: Unit) -> str:
    return f"+{format_value(change, unit)}" if change > 0 else format_value(change, unit)


class _Recorded:
    """What a recording itself has of a function: how often it was called, and its total where the file has that."""

    def __init__(self, chosen: Selection, window: Window | None) -> None:
        self._counts_calls = chosen.count_name == "calls"
        self._values = function_values(chosen, chosen.values(window), window)
        trace = chosen.trace
        self._frames: dict[tuple[str, str | None], list[int]] = {}
        for frame, name in enumerate(trace.frame_names):
            self._frames.setdefault((name, trace.frame_file(frame)), []).append(frame)
        self._trace = trace

    def of(self, handle: str | None) -> dict[str, Any]:
        """Nothing where it has none; of several frames that are one function, and may run in each other, calls."""
        frame = int(handle[1:]) if handle else -1
        if frame < 0:
            return {}
        alike = self._frames[self._trace.frame_names[frame], self._trace.frame_file(frame)]
        calls = {"count": int(self._values.count[alike].sum())} if self._counts_calls else {}
        return calls if len(alike) > 1 else calls | {"recorded_total": float(self._values.total_value[frame])}


def _data(found: Comparison, old: _Recorded, new: _Recorded) -> dict[str, Any]:
    return {
        "unit": found.unit.value,
        "profile": found.profile_after,
        "profile_before": found.profile_before,
        "before": {"whole": float(found.scope_total_before)},
        "after": {"whole": float(found.scope_total_after)},
        "normalised": found.normalised,
        "notes": list(found.notes),
        "overlap": round(found.overlap, 4),
        "related": found.is_related,
        "total_rows": found.total_rows,
        "rows": [
            {
                "handle": row.after,
                "name": row.name,
                "file": row.file,
                "status": row.status,
                "before": _side(row.self_before, row.total_before, row.self_share_before, row.total_share_before)
                | old.of(row.before),
                "after": _side(row.self_after, row.total_after, row.self_share_after, row.total_share_after)
                | new.of(row.after),
                "change": {"self_value": float(row.self_change), "total_value": float(row.total_change)},
                "ratio": row.total_ratio,
            }
            for row in found.rows
        ],
    }


def _side(own: float, total: float, own_share: float, total_share: float) -> dict[str, float]:
    return {
        "self_value": float(own),
        "total_value": float(total),
        "self_share": float(own_share),
        "total_share": float(total_share),
    }


def _table(found: Comparison) -> Table | None:
    if not found.is_related:
        return None
    return Table(
        columns=["handle", "name", "change", "self before", "self after", "self change"],
        rows=[
            [
                row.after,
                plain(row.name),
                row.status,
                format_share(row.self_share_before),
                format_share(row.self_share_after),
                signed(row.self_change, found.unit),
            ]
            for row in found.rows
        ],
    )


def compare_many(trace: Trace, arguments: CompareTraces, before_count: int, *others: Trace) -> Outcome:
    """Several runs before, and this one with its further runs after."""
    before, after = others[:before_count], [trace, *others[before_count:]]
    choice = profile_choice(chosen_selection(trace, arguments.profile))
    chosen = [*(select(run) for run in before), *(select(run, choice) for run in after)]
    found = compare_runs(
        before,
        after,
        profile_after=choice,
        sort_by=arguments.sort_by,
        limit=arguments.limit,
        normalise=not arguments.absolute,
        windows=[_window(run, arguments) for run in chosen],
        frame_filter=OWN_CODE if arguments.my_code else None,
    )
    overall = found.scope_total
    medians = _medians(overall, found, overall=True)
    what = f"{arguments.sort_by} {'share' if found.normalised else 'value'}"
    lines = [
        f"{len(before)} runs before, {len(after)} after (this one first); whole: {medians}",
        *(f"note: {note}" for note in found.notes),
        f"by change of the median {what}; delta is Cliff's (-1 to 1), p Mann-Whitney's, adjusted for many functions:",
    ]
    lines += [
        f"{row.handle or '-'} {quoted(row.name or '')}{place(row.file, None)} {_medians(row, found)}"
        for row in found.rows
    ]
    if found.is_related and (left := found.total_rows - len(found.rows)) > 0:
        lines.append(f"… {left} more that changed less")
    return Outcome(text="\n".join(lines), data=_runs_data(found), warning=bool(found.notes))


def _medians(row: Change, found: RunComparison, *, overall: bool = False) -> str:
    as_share = found.normalised and not overall
    old, new = (
        format_share(value) if as_share else format_value(value, found.unit)
        for value in (row.median_before, row.median_after)
    )
    tested = "" if row.adjusted_p is None else f", p {row.adjusted_p:.2g}"
    return f"{old} → {new}, delta {row.delta:+.2f} ({row.size}){tested}"


def _runs_data(found: RunComparison) -> dict[str, Any]:
    def data(row: Change, key: str) -> dict[str, Any]:
        return {
            "handle": row.handle,
            "name": row.name,
            "file": row.file,
            "before": {key: row.median_before},
            "after": {key: row.median_after},
            "delta": row.delta,
            "size": row.size,
            "p": row.p,
            "adjusted_p": row.adjusted_p,
        }

    return {
        "unit": found.unit.value,
        "normalised": found.normalised,
        "notes": list(found.notes),
        "total_rows": found.total_rows,
        "whole_of_runs": data(found.scope_total, "value"),
        "rows": [data(row, "share" if found.normalised else "value") for row in found.rows],
    }


COMPARE_TRACES = Tool(
    name="compare_traces",
    description="For what changed since another trace (or profile): what got slower, appeared or vanished, a diff "
    "picture; with several others and runs a statistical test.",
    arguments=CompareTraces,
    ask=ask_comparison,
    doing=lambda a: f"Comparing with {plain(a.others[0], 60)}",
    fields=frozenset(
        {
            "unit",
            "profile",
            "profile_before",
            "before",
            "after",
            "whole",
            "normalised",
            "notes",
            "overlap",
            "related",
            "rows",
        }
    )
    | {"total_rows", "handle", "name", "file", "status", "self_value", "total_value", "self_share", "total_share"}
    | {
        "count",
        "recorded_total",
        "change",
        "ratio",
        "whole_of_runs",
        "value",
        "share",
        "delta",
        "size",
        "p",
        "adjusted_p",
    },
    narrow="use a smaller limit",
    guidance="this trace is the one after. Two single runs also differ by chance: say so unless runs were tested.",
)
