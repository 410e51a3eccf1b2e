"""`flamechat windows` and `flamechat spans`: when it was hot, and which single calls took long."""

from pathlib import Path

from server.edges.cli.printing import Opened, amounts, asking, open_trace, print_json, print_table, where
from server.edges.cli.scope import Scope
from server.quoting import plain
from traces.analysis.units import format_share, format_value

NS_PER_MS = 1_000_000


def windows(
    source: Path, scope: Scope, *, length_ms: float | None, frame: str | None, limit: int, as_json: bool
) -> None:
    """Print the hottest windows with their heaviest functions."""
    from traces.analysis.hottest_windows import hottest_windows

    with asking():
        opened = open_trace(source, scope)
        found = hottest_windows(
            opened.trace,
            **opened.question,
            length=length_ms and length_ms * (NS_PER_MS if opened.chosen.axis.is_time else 1),
            limit=limit,
            frame=None if frame is None else opened.frame(frame),
            window=opened.window,
            frame_filter=opened.frame_filter,
        )
    if as_json:
        print_json(found)
        return
    rows = [
        [
            opened.moment(row.start),
            opened.moment(row.end),
            *amounts(found.unit)(row.value, row.share),
            ", ".join(f"{plain(f.name, 40)} {format_share(f.self_share)}" for f in row.functions),
        ]
        for row in found.rows
    ]
    length, average = format_value(found.length, found.axis), format_value(found.average, found.unit)
    head = f"{found.profile} {plain(opened.chosen.name, 60)}: windows of {length}, {average} on average"
    head += _zero(opened)
    print_table(head, ["from", "to", "value", "share", "heaviest by self"], rows)


def spans(source: Path, scope: Scope, *, pattern: str | None, outermost: bool, limit: int, as_json: bool) -> None:
    """Print the longest single calls."""
    from traces.analysis.longest import longest_spans
    from traces.analysis.time_axis import from_starts

    with asking():
        opened = open_trace(source, scope)
        found = longest_spans(
            opened.trace,
            profile=opened.profile,
            limit=limit,
            window=opened.window,
            pattern=pattern,
            outermost=outermost,
            frame_filter=opened.frame_filter,
        )
    if as_json:
        print_json(found)
        return
    states = [
        (title, name)
        for title, name in (("on CPU", "running"), *((name, name) for name in ("runnable", "sleeping", "blocked")))
        if any(getattr(row, name) is not None for row in found.rows)
    ]
    starts = [from_starts(opened.chosen.profiles, row.profile, row.start) for row in found.rows]
    differs = any(clock is not None for _, clock in starts)
    rows = [
        [
            row.handle,
            format_value(row.duration, found.unit),
            "" if row.self_value is None else format_value(row.self_value, found.unit),
            *("" if (spent := getattr(row, name)) is None else format_value(spent, found.unit) for _, name in states),
            format_value(start, opened.chosen.axis),
            *([] if not differs else ["" if clock is None else format_value(clock, opened.chosen.axis)]),
            str(row.depth),
            row.profile,
            where(row.name, row.file, row.line),
        ]
        for row, (start, clock) in zip(found.rows, starts, strict=True)
    ]
    what = "calls" if found.exact else "stretches of samples (one may be several calls)"
    head = f"{found.profile} {plain(opened.chosen.name, 60)}: the longest {what} of {found.total_rows:,}"
    head += "; from: of the profile; at: of the recording, as in `query`" if differs else ""
    columns = ["handle", "duration", "self", *(title for title, _ in states), "from", *(["at"] if differs else [])]
    columns += ["depth", "in", "function"]
    print_table(head, columns, rows)


def _zero(opened: Opened) -> str:
    """Where the profile's clock has its zero on the trace's, which `query` uses, if it is another."""
    start = opened.chosen.axis_start
    if not opened.chosen.axis.is_time or not start:
        return ""
    return f"; times from the profile's start, which is {format_value(start, opened.chosen.axis)} in `query`"
