"""From words to profiles, frames and windows, with the nearest valid ones in every refusal: for tools, and for commands
that ask the same.
"""

import re

import numpy as np

from server.agent.tools.contract.tool_errors import ToolRetry
from server.quoting import quoted
from traces.analysis.filters import FrameFilter
from traces.analysis.functions import top_functions
from traces.analysis.selection import Selection, select
from traces.analysis.time_axis import need_times
from traces.analysis.window import IN_A_WINDOW, Window
from traces.errors import TraceError
from traces.handles import ALL, ProfileChoice, frame_behind, parse_handle, resolve
from traces.model import Profile, Trace, Values

OWN_CODE = FrameFilter(hide_libraries=True)
NS_PER_MS = 1_000_000
NEAREST = 5
"""How many valid alternatives a refusal names."""

COMPARED_NAMES = 4_000
"""Names compared letter by letter when one is unknown: more would take seconds on a trace with 200,000 frames."""


def chosen_profile(trace: Trace, argument: str | None) -> Profile:
    """The profile of a handle or an exact name; the default without one. Raises ToolRetry naming the valid ones."""
    if argument is None:
        return trace.profiles[trace.default_profile]
    for profile in trace.profiles:
        if argument in (profile.handle, profile.name):
            return profile
    listed = ", ".join(f"{p.handle} {quoted(p.name, 40)}" for p in trace.profiles[:NEAREST])
    more = len(trace.profiles) - NEAREST
    raise ToolRetry(
        f"no profile {quoted(argument, 60)}; there are {listed}"
        + (f" and {more} more (list_profiles)" if more > 0 else "")
    )


def chosen_selection(trace: Trace, argument: str | None, *, my_code: bool = False) -> Selection:
    """One profile, or all of them for `all`, with or without libraries. Raises ToolRetry naming the valid ones."""
    index = ALL if argument == ALL else chosen_profile(trace, argument).index
    return select(trace, index, frame_filter=OWN_CODE if my_code else None)


def profile_choice(chosen: Selection) -> ProfileChoice:
    """The selection as questions take it."""
    return ALL if chosen.handle == ALL else chosen.profiles[0].index


def chosen_window(profile: Profile | Selection, start_ms: float | None, end_ms: float | None) -> Window | None:
    """A window in axis units from milliseconds after the profile's start. Raises ToolRetry for an empty or outside one,
    NoTimes for a recording without times.
    """
    if start_ms is None and end_ms is None:
        return None
    need_times((profile,) if isinstance(profile, Profile) else profile.profiles, IN_A_WINDOW)
    start = profile.axis_start + (start_ms or 0) * NS_PER_MS
    end = profile.axis_end if end_ms is None else min(profile.axis_start + end_ms * NS_PER_MS, profile.axis_end)
    if start >= end:
        length = (profile.axis_end - profile.axis_start) / NS_PER_MS
        raise ToolRetry(f"that window holds nothing: {profile.handle} runs from 0 to {length:.6g} ms")
    return Window(start, end)


def chosen_frame(trace: Trace, argument: str, profile: Profile | Selection) -> tuple[int, str | None]:
    """A frame by handle or exact name, and a remark when several share the name (the heaviest is taken).

    Raises ToolRetry that names the nearest valid frames.
    """
    text = argument.strip()
    try:
        parse_handle(text)
    except TraceError:
        return _frame_by_name(trace, text, profile)
    return frame_behind(trace, resolve(trace, text, "frame", "node", "span")), None


def where_it_runs(trace: Trace, frame: int, chosen: Selection) -> tuple[Selection, str | None]:
    """The profile that was meant where none was named: the chosen one, or where it does not have the function, the one
    in which that takes most, with a remark. The units of the two may differ."""
    if any(bool((one.tree.frame == frame).any()) for one in chosen.profiles):
        return chosen, None
    there = [one for one in trace.profiles if bool((one.tree.frame == frame).any())]
    if not there:
        return chosen, None
    most = max(
        there,
        key=lambda one: (
            one.unit is chosen.unit,
            float(one.tree.total_values[one.default_value][one.tree.frame == frame].max()),
        ),
    )
    found = select(trace, most.index, frame_filter=chosen.frame_filter)
    return (
        found,
        f"it does not run in {chosen.handle}: this is {most.handle} {quoted(most.name, 60)}, where it takes most",
    )


def _only_name_that_ends_so(trace: Trace, name: str) -> str:
    """`runtime.memmove` for `memmove`; empty where no name ends so after a dot, colon, `#`, `/` or `->`, or several."""
    after = re.compile(rf"(?:[.:#/]|->){re.escape(name)}(?:\(.*\))?$")
    found = {known for known in trace.frame_names if name in known and after.search(known)}
    return found.pop() if len(found) == 1 else ""


def _frame_by_name(trace: Trace, name: str, profile: Profile | Selection) -> tuple[int, str | None]:
    same = [index for index, known in enumerate(trace.frame_names) if known == name]
    if not same and (full := _only_name_that_ends_so(trace, name)):
        frame, remark = _frame_by_name(trace, full, profile)
        taken = f"{quoted(name)} was taken for {quoted(full, 80)}, the only name that ends so"
        return frame, f"{taken}; {remark}" if remark else taken
    if not same:
        near = "; ".join(f"f{index} {quoted(trace.frame_name(index), 80)}" for index in nearest_frames(trace, name))
        raise ToolRetry(
            f"no frame is named {quoted(name)}"
            + (f". Nearest: {near}" if near else "")
            + ". find_frames searches by part of a name"
        )
    if len(same) == 1:
        return same[0], None
    first = profile if isinstance(profile, Profile) else profile.profiles[0]
    every = [first, *(one for one in trace.profiles if one is not first)]
    totals = next(
        (found for one in every if (found := frame_totals(trace, one))[same].any()), frame_totals(trace, first)
    )
    heaviest = max(same, key=lambda index: (totals[index], -index))
    others = ", ".join(f"f{index}" for index in same if index != heaviest)[:200]
    return heaviest, f"{len(same)} frames share this name; this is the heaviest, the others are {others}"


def nearest_frames(trace: Trace, text: str) -> list[int]:
    """Up to five frames whose names resemble `text`: those that contain it first, then the closest spellings among the
    heaviest.
    """
    folded = text.casefold()
    names = trace.frame_names
    inside = [index for index, name in enumerate(names) if folded in name.casefold()][:NEAREST]
    if inside:
        return inside
    import difflib  # noqa: PLC0415 - 2 ms that names which are found need not wait for

    rows = top_functions(trace, sort_by="total", limit=COMPARED_NAMES).rows
    spelled = {row.name.casefold(): row.frame for row in reversed(rows)}
    close = difflib.get_close_matches(folded, list(spelled), n=NEAREST, cutoff=0.5)
    if not close:
        last = {name.replace("::", ".").rsplit(".", 1)[-1]: frame for name, frame in spelled.items()}
        return [last[name] for name in difflib.get_close_matches(folded, list(last), n=NEAREST, cutoff=0.6)]
    return [spelled[name] for name in close]


def frame_totals(trace: Trace, profile: Profile) -> Values:
    """Self values summed by frame: a cheap order of weight among frames of one name."""
    tree = profile.tree
    return np.bincount(
        tree.frame,
        weights=np.asarray(tree.self_values[profile.default_value], dtype=np.float64),
        minlength=len(trace.frames),
    )
