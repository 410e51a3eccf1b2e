"""A handful of first findings, computed, for the opening of a conversation."""

from dataclasses import dataclass

import numpy as np

from traces.analysis.functions import top_functions
from traces.analysis.summary import idle_share
from traces.analysis.units import format_share, format_value
from traces.analysis.window import whole
from traces.model import Profile, Trace

FEW_SAMPLES = 100
"""Below this a share of 10% has an error of about 3 points (binomial): say so."""
NOTABLE_SHARE = 0.02
MOSTLY_IDLE = 0.5
PATH_SHARE = 0.5
PATH_FLOOR = 0.1
"""The heaviest path is followed while one callee has at least half of its caller and a tenth of everything."""
NOT_CODE = frozenset({"(program)", "(garbage collector)", "(idle)"})
"""What V8 reports beside functions; none of it is a place in the program."""
LONG_TASK_NS = 50_000_000
"""Where browsers begin to call a task long (W3C Long Tasks API)."""


@dataclass(frozen=True, slots=True)
class Finding:
    """`title` says it in a few words, `detail` in a sentence with the numbers; `handles` are what it is about."""

    title: str
    detail: str
    handles: tuple[str, ...]


def first_findings(trace: Trace, *, profile: int | None = None) -> tuple[Finding, ...]:
    """What stands out in a profile (the default one), most telling first. Never empty for a profile with weight."""
    index = trace.default_profile if profile is None else profile
    chosen = trace.profiles[index]
    everything = whole(chosen.tree, chosen.tree.total_values[chosen.default_value])
    if everything <= 0:
        return (Finding("Nothing ran", f"{chosen.name} holds no weight at all.", (chosen.handle,)),)
    found = [
        *_hottest(trace, index),
        *_heaviest_path(trace, chosen, everything),
        *_longest_task(trace, chosen),
        *_garbage_collection(trace, index),
        *_native(trace, index),
        *_idle(chosen),
        *_few_samples(chosen),
    ]
    return tuple(found)


def _hottest(trace: Trace, index: int) -> list[Finding]:
    table = top_functions(trace, profile=index, limit=1 + len(NOT_CODE))
    row = next((row for row in table.rows if row.name not in NOT_CODE and row.self_value > 0), None)
    if row is None:
        return []
    own = f"{format_value(row.self_value, table.unit)} ({format_share(row.self_share)})"
    return [Finding(f"Hottest function: {row.name}", f"{row.name} itself accounts for {own}.", (row.handle,))]


def _heaviest_path(trace: Trace, profile: Profile, everything: float) -> list[Finding]:
    tree, total = profile.tree, profile.tree.total_values[profile.default_value]
    order = np.argsort(tree.parent, kind="stable")
    first = np.searchsorted(tree.parent[order], np.arange(-1, len(tree) + 1))
    path: list[int] = []
    candidates = order[first[0] : first[1]]
    needed = PATH_SHARE * everything
    while len(candidates):
        node = int(candidates[np.argmax(total[candidates])])
        if total[node] < needed:
            break
        path.append(node)
        needed = max(PATH_SHARE * total[node].item(), PATH_FLOOR * everything)
        candidates = order[first[node + 1] : first[node + 2]]
    if len(path) < 2:
        return []
    last = path[-1]
    names = [trace.frame_name(int(tree.frame[node])) for node in path]
    shown = names if len(names) <= 5 else [*names[:2], "…", *names[-2:]]
    value = f"{format_value(total[last].item(), profile.unit)} ({format_share(total[last].item() / everything)})"
    handles = (f"n{profile.node_base + last}", f"f{tree.frame[last]}")
    return [Finding(f"Heaviest path ends in {names[-1]}", f"{' > '.join(shown)} holds {value}.", handles)]


def _longest_task(trace: Trace, profile: Profile) -> list[Finding]:
    """The longest root span of the profile, or of the evented profile of the same thread."""
    for p in (profile, *trace.profiles):
        if p.spans is None or not p.axis.is_time or (p.pid, p.tid) != (profile.pid, profile.tid):
            continue
        roots = np.flatnonzero(p.spans.parent < 0)
        if len(roots) < 2:
            return []
        span = int(roots[np.argmax((p.spans.end - p.spans.start)[roots])])
        duration = int(p.spans.end[span] - p.spans.start[span])
        if duration < LONG_TASK_NS:
            return []
        name = trace.frame_name(int(p.tree.frame[p.spans.node[span]]))
        began = format_value(int(p.spans.start[span]) - p.axis_start, p.axis)
        detail = f"{name} ran for {format_value(duration, p.axis)} without a break, from {began} on."
        return [
            Finding(f"Longest task: {format_value(duration, p.axis)}", detail, (f"s{p.span_base + span}", p.handle))
        ]
    return []


def _native(trace: Trace, index: int) -> list[Finding]:
    table = top_functions(trace, profile=index, pattern="(program)")
    row = next((row for row in table.rows if row.name == "(program)" and row.self_share >= NOTABLE_SHARE), None)
    if row is None:
        return []
    share = format_share(row.self_share)
    detail = f"{format_value(row.self_value, table.unit)} ({share}) was native code or waiting, which V8 does not name."
    return [Finding(f"Outside JavaScript: {share}", detail, (row.handle,))]


def _garbage_collection(trace: Trace, index: int) -> list[Finding]:
    table = top_functions(trace, profile=index, limit=20, sort_by="total", pattern="garbage collector")
    rows = [row for row in table.rows if row.total_share >= NOTABLE_SHARE]
    if not rows:
        return []
    value = f"{format_value(rows[0].total_value, table.unit)} ({format_share(rows[0].total_share)})"
    return [Finding(f"Garbage collection: {format_share(rows[0].total_share)}", f"It took {value}.", (rows[0].handle,))]


def _idle(profile: Profile) -> list[Finding]:
    share = idle_share(profile)
    if share is None or share < MOSTLY_IDLE:
        return []
    detail = f"{profile.name} did nothing for {format_share(share)} of its time; shares leave that out."
    return [Finding(f"Mostly idle: {format_share(share)}", detail, (profile.handle,))]


def _few_samples(profile: Profile) -> list[Finding]:
    if profile.samples is None:
        return []
    count = int((profile.samples.leaf >= 0).sum())
    if count >= FEW_SAMPLES:
        return []
    detail = f"Only {count} samples: small shares are chance. Record for longer or sample more often."
    return [Finding("Few samples", detail, (profile.handle,))]
