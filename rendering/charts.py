"""Charts other than flamegraphs: activity over time, how long single calls took, where the time is spent itself.

PNG bytes come back, the same for the same trace.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from rendering.chart_figure import drawn_figure, hex_of, new_figure, short_title, style
from rendering.errors import InvalidOption
from rendering.options import SheetOptions
from rendering.palette import PALETTES
from rendering.picture import Picture
from rendering.profiles import chosen_profile, profile_title, trace_title
from traces.analysis.functions import top_functions
from traces.analysis.thread_time import busy_intervals
from traces.analysis.time_axis import what_it_is
from traces.analysis.units import format_share, format_value
from traces.model import Profile, Trace
from traces.values import Clock

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TIME_BINS = 240
"""Steps of the activity chart: about five pixels each at the default width."""
DURATION_BINS = 40
MAX_PROFILES = 12
"""Profiles that one activity chart shows, the busiest: more rows cannot be read."""
MAX_BARS = 25
DEFAULT_BARS = 15


@dataclass(frozen=True, slots=True)
class Activity:
    """How busy a profile was: `busy` from 0 to 1 in each of equal steps from `start` to `end`."""

    profile: Profile
    busy: npt.NDArray[np.float64]


def activity(trace: Trace, *, bins: int = TIME_BINS) -> tuple[list[Activity], float, float]:
    """The busiest profiles on the trace's clock in the trace's order, and the span of time they share; where each has
    a clock of its own, the default one alone. Empty where no profile has times."""
    timed = [p for p in trace.profiles if p.has_times and p.clock is Clock.TRACE and p.axis_end > p.axis_start]
    timed = timed or [p for p in trace.profiles if p.index == trace.default_profile and p.has_times]
    if not timed:
        return [], 0.0, 0.0
    start, end = min(float(p.axis_start) for p in timed), max(float(p.axis_end) for p in timed)
    all_of_them = [Activity(p, _busy(trace, p, start, end, bins)) for p in timed]
    shown = sorted(all_of_them, key=lambda a: (-float(a.busy.sum()), a.profile.index))[:MAX_PROFILES]
    return sorted(shown, key=lambda a: a.profile.index), start, end


def durations(trace: Trace, frame: int, profile: Profile) -> npt.NDArray[np.int64]:
    """How long each call of a function took, in order. Raises InvalidOption where single calls are not recorded."""
    if profile.spans is None:
        raise InvalidOption("profile", f"{profile.handle} is sampled: it does not tell how long single calls took")
    if not 0 <= frame < len(trace.frames):
        raise InvalidOption("frame", f"there is no f{frame}; this trace has f0 to f{len(trace.frames) - 1}")
    spans = profile.spans
    mine = spans.ended(np.flatnonzero(profile.tree.frame[spans.node] == frame))
    if not len(mine):
        raise InvalidOption("frame", f"f{frame} never returns in profile {profile.handle}; choose another profile")
    return np.asarray(spans.end[mine] - spans.start[mine], np.int64)


def render_activity(trace: Trace, options: SheetOptions) -> Picture:
    """Activity over time, one line a profile. Raises InvalidOption where the trace has no time axis."""
    lines, start, end = activity(trace)
    if not lines:
        main = trace.profiles[trace.default_profile]
        raise InvalidOption("profile", f"no profile of this trace has times: {main.handle} is {what_it_is(main)}")
    figure, palette = new_figure(options), PALETTES[options.theme]
    rows = figure.subplots(len(lines), 1, sharex=True, squeeze=False)[:, 0]
    edges = (np.linspace(start, end, len(lines[0].busy) + 1) - start) / _time_scale(end - start)[0]
    for axes, line in zip(rows, lines, strict=True):
        axes.stairs(line.busy * 100, edges, fill=True, color=hex_of(palette.highlight))
        axes.set_ylim(0, 100)
        axes.set_yticks([0, 100], ["0", "100%"])
        axes.set_title(
            short_title(profile_title(trace, line.profile)),
            loc="left",
            fontsize=8,
            color=hex_of(palette.ink),
            parse_math=False,
        )
        style(axes, palette)
    rows[-1].set_xlabel(f"{_time_scale(end - start)[1]} from the start", color=hex_of(palette.muted), fontsize=8)
    rows[-1].set_xlim(edges[0], edges[-1])
    left_out = sum(p.has_times for p in trace.profiles) - len(lines)
    notes = (f"showing the {len(lines)} busiest of {len(lines) + left_out} profiles",) if left_out else ()
    busiest = max(lines, key=lambda line: float(line.busy.sum()))
    share = format_share(float(busiest.busy.mean()))
    description = (
        f"Activity over time of {trace_title(trace)}; busiest is {profile_title(trace, busiest.profile)}, {share} busy."
    )
    return drawn_figure(
        figure, options, options.title or f"Activity over time · {trace_title(trace)}", notes, description
    )


def render_durations(trace: Trace, frame: int, options: SheetOptions) -> Picture:
    """A histogram of how long a function's calls took, over decades where they differ that much. Raises
    InvalidOption."""
    profile = chosen_profile(trace, options.profile)
    took = durations(trace, frame, profile)
    figure, palette = new_figure(options), PALETTES[options.theme]
    axes: Axes = figure.subplots()
    longest, shortest = float(took.max()), float(took[took > 0].min(initial=1))
    over_decades = longest > 100 * shortest
    scale, unit = _time_scale(longest) if profile.axis.is_time else (1.0, profile.axis.value)
    bins = (
        np.geomspace(shortest, longest * (1 + 1e-9), DURATION_BINS + 1) / scale
        if over_decades
        else np.linspace(float(took.min()), longest + 1, DURATION_BINS + 1) / scale
    )
    axes.hist(np.maximum(took, shortest if over_decades else 0) / scale, bins.tolist(), color=hex_of(palette.highlight))
    axes.set_xscale("log" if over_decades else "linear")
    median = float(np.median(took))
    axes.axvline(median / scale, color=hex_of(palette.ink), linewidth=1)
    axes.set_xlabel(f"{unit} a call; the line is the median", color=hex_of(palette.muted), fontsize=8)
    axes.set_ylabel("calls", color=hex_of(palette.muted), fontsize=8)
    style(axes, palette)
    name = short_title(trace.frame_name(frame))
    numbers = ", ".join(
        f"{label} {format_value(value, profile.axis)}"
        for label, value in (("median", median), ("95th", float(np.percentile(took, 95))), ("longest", longest))
    )
    description = f"{len(took):,} calls of {name} [f{frame}]: {numbers}."
    return drawn_figure(figure, options, options.title or f"{name} · {len(took):,} calls · {numbers}", (), description)


def render_self_time(trace: Trace, options: SheetOptions, *, bars: int = DEFAULT_BARS) -> Picture:
    """The functions that spend most themselves, as bars. Raises InvalidOption."""
    if not 1 <= bars <= MAX_BARS:
        raise InvalidOption("bars", f"{bars} is outside 1 to {MAX_BARS}")
    profile = chosen_profile(trace, options.profile)
    table = top_functions(trace, profile=profile.index, sort_by="self", limit=bars)
    rows = [row for row in table.rows if row.self_value > 0]
    figure, palette = new_figure(options), PALETTES[options.theme]
    axes: Axes = figure.subplots()
    axes.barh(range(len(rows)), [row.self_share * 100 for row in rows], color=hex_of(palette.highlight))
    axes.set_yticks(range(len(rows)), [f"{short_title(row.name)} [{row.handle}]" for row in rows], parse_math=False)
    axes.invert_yaxis()
    for index, row in enumerate(rows):
        text = f" {format_share(row.self_share)}  {format_value(row.self_value, profile.unit)}"
        axes.text(row.self_share * 100, index, text, va="center", fontsize=8, color=hex_of(palette.ink))
    axes.set_xlim(0, max((row.self_share * 125 for row in rows), default=1))
    axes.set_xlabel("% of the profile, in the function itself", color=hex_of(palette.muted), fontsize=8)
    style(axes, palette)
    more = table.total_rows - len(rows)
    notes = (f"showing {len(rows)} of {table.total_rows:,} functions",) if more > 0 else ()
    description = "Most in the function itself: " + ", ".join(
        f"{short_title(r.name)} [{r.handle}] {format_share(r.self_share)}" for r in rows
    )
    title = options.title or f"Self time · {trace_title(trace)} · {profile_title(trace, profile)}"
    return drawn_figure(figure, options, title, notes, description + ".")


def counter_names(trace: Trace) -> list[str]:
    """The trace's counters, in order of first reading."""
    return [trace.strings[index] for index in dict.fromkeys(trace.counters.name.tolist())]


def render_counter(trace: Trace, name: str, options: SheetOptions) -> Picture:
    """One counter's level over time, a line for each profile that has it. Raises InvalidOption for a name that the
    trace does not have."""
    counters = trace.counters
    named = [index for index in dict.fromkeys(counters.name.tolist()) if trace.strings[index] == name]
    if not named:
        raise InvalidOption("counter", f"this trace has no counter of that name; it has {len(counter_names(trace))}")
    mine = np.flatnonzero(np.isin(counters.name, named))
    start, end = float(counters.time[mine].min()), float(counters.time[mine].max())
    scale, unit = _time_scale(end - start)
    figure, palette = new_figure(options), PALETTES[options.theme]
    axes: Axes = figure.subplots()
    series = np.unique(counters.profile[mine]).tolist()[:MAX_PROFILES]
    for profile in series:
        rows = mine[counters.profile[mine] == profile]
        axes.step((counters.time[rows] - start) / scale, counters.value[rows], where="post", linewidth=1)
    axes.set_xlabel(f"{unit} from its first reading", color=hex_of(palette.muted), fontsize=8)
    style(axes, palette)
    values = counters.value[mine]
    least, most, last = (f"{value:,.6g}" for value in (values.min(), values.max(), values[-1]))
    description = f"{len(mine):,} readings of {short_title(name)}: from {least} to {most}, {last} at the end."
    title = options.title or f"{short_title(name)} · {trace.name}"
    return drawn_figure(figure, options, title, (), description)


def _busy(trace: Trace, profile: Profile, start: float, end: float, bins: int) -> npt.NDArray[np.float64]:
    """The part of each step in which something ran."""
    begins, ends = busy_intervals(trace, profile)
    left, right = ((at - start) * (bins / (end - start)) for at in (begins, ends))
    # The integral of what ran up to each border; a step's part is the difference over it.
    borders = np.arange(bins + 1.0)
    sums = np.concatenate(([0.0], np.cumsum(right - left)))
    reached = np.searchsorted(left, borders, "right")
    last = np.maximum(reached - 1, 0)
    beyond = np.where(reached > 0, np.maximum(right[last] - borders, 0), 0) if len(left) else np.zeros(bins + 1)
    return np.asarray(np.diff(sums[reached] - beyond).clip(0, 1))


def _time_scale(length: float) -> tuple[float, str]:
    return next((scale for scale in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")) if length >= scale[0]), (1.0, "ns"))
