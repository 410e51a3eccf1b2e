"""Where a program spends itself: hot functions and paths, flat profiles, bursts, small and uneven calls, recursion."""

import numpy as np
import numpy.typing as npt

from traces.analysis.durations import call_durations
from traces.analysis.filters import library_frames
from traces.analysis.selection import select
from traces.analysis.units import format_share, format_value
from traces.analysis.window import Window
from traces.equal_rows import numbered
from traces.insights.insight import (
    Confidence,
    Detector,
    Evidence,
    Kind,
    Severity,
    State,
    Verdict,
    not_applicable,
    passed,
)
from traces.insights.subject import HeavyTree, Subject
from traces.insights.thresholds import threshold
from traces.model import Int64
from traces.values import Counts, ProfileKind

PLACEHOLDERS = frozenset(
    {
        "(program)",
        "(garbage collector)",
        "(idle)",
        "(root)",
        "[root]",
        "root",
        "all",
        "(other places)",
        "runtime.asyncPreempt",
    }
)
"""What profilers report besides functions; none of it is a place in the program. Go's signal only interrupts one."""
FLAT = 10
"""Functions whose sum says whether a profile is flat."""
PATH_NAMES = 6
LEAST_WORK = 20
"""Fewer samples or calls show no burst."""
NO_CALLS = "samples do not know single calls"
NOTHING = "nothing was measured"


def graded(share: float, low: str, high: str, top: Severity = Severity.MEDIUM) -> Severity | None:
    """`top` from one threshold on, low from another, None below both."""
    return top if share >= threshold(high) else Severity.LOW if share >= threshold(low) else None


def _hot_function(subject: Subject) -> Verdict:
    own = subject.frames.self_value
    order = np.argsort(-own, kind="stable")[: FLAT + len(PLACEHOLDERS)].tolist()
    named = [f for f in order if own[f] > 0 and subject.trace.frame_name(f) not in PLACEHOLDERS]
    if not named:
        return not_applicable(NOTHING)
    first = subject.evidence(named[0], own)
    share = first.share or 0.0
    if share < threshold("hot-function.low"):
        return passed(f"the hottest function has {format_share(share)} itself", share=share)
    large = share >= threshold("hot-function.high")
    severity = Severity.HIGH if large else graded(share, "hot-function.low", "hot-function.medium")
    assert severity is not None
    return Verdict(
        State.FAIL,
        f"{{0}} itself accounts for {first.value} ({format_share(share)}).",
        severity,
        tuple(subject.evidence(frame, own) for frame in named[:3]),
        profile=subject.profile.handle,
        share=share,
        advice="Make it cheaper, or call it less often: its callers say where from.",
    )


def _heaviest_path(subject: Subject) -> Verdict:
    tree = subject.heavy
    if not len(tree):
        return not_applicable(NOTHING)
    path = _path(tree.parent, tree.total, subject.total)
    if len(path) < 2:
        return passed("no path holds most of what its caller has")
    shown = path if len(path) <= PATH_NAMES else [*path[:2], *path[-2:]]
    steps = tuple(subject.node_evidence(row) for row in shown)
    end = steps[-1]
    said = [f"{{{step}}}" for step in range(len(steps))]
    if len(path) > PATH_NAMES:
        said.insert(2, "…")
    share = end.share or 0.0
    return Verdict(
        State.FAIL,
        f"The heaviest path, {' > '.join(said)}, holds {end.value} ({format_share(share)}) where it forks or ends.",
        Severity.INFO,
        steps,
        profile=subject.profile.handle,
        share=share,
        advice="The last function of the path is where the work divides: look at what it calls.",
    )


def _path(parent: Int64, total: np.typing.NDArray[np.float64], root_value: float) -> list[int]:
    order = np.argsort(parent, kind="stable")
    first = np.searchsorted(parent[order], np.arange(-1, len(parent) + 1))
    path: list[int] = []
    candidates = order[first[0] : first[1]]
    needed = threshold("heaviest-path.follow") * root_value
    while len(candidates):
        row = int(candidates[np.argmax(total[candidates])])
        if total[row] < needed:
            break
        path.append(row)
        needed = max(
            threshold("heaviest-path.follow") * float(total[row]), threshold("heaviest-path.floor") * root_value
        )
        candidates = order[first[row + 1] : first[row + 2]]
    return path


def _flat_profile(subject: Subject) -> Verdict:
    own = np.sort(subject.frames.self_value)[::-1]
    if (own > 0).sum() <= 2 * FLAT:
        return not_applicable("too few functions to be flat")
    share = float(own[:FLAT].sum() / subject.total)
    if share >= threshold("flat-profile.share"):
        return passed(f"the ten hottest functions hold {format_share(share)}", share=share)
    return Verdict(
        State.FAIL,
        f"The ten hottest functions hold only {format_share(share)} by themselves: no single one is the cause.",
        Severity.INFO,
        share=share,
        profile=subject.profile.handle,
        advice="Look at totals and callers: a common caller, a repeated pass, an overhead spread over many functions.",
    )


def _own_code(subject: Subject) -> Verdict:
    library = library_frames(subject.trace)
    mine = subject.frames.self_value[~library]
    used = np.flatnonzero(subject.frames.total_value > 0)
    if not len(used) or library[used].all() or not library[used].any():
        return not_applicable("libraries and own code cannot be told apart")
    share = float(mine.sum() / subject.total)
    if share < threshold("own-code.least"):
        return not_applicable("nearly all of it is in installed packages: the program is one of them")
    if share >= threshold("own-code.medium"):
        return passed(f"{format_share(share)} is the program's own code by itself", share=share)
    tree = subject.heavy
    entering = np.flatnonzero((tree.parent >= 0) & library[tree.frame] & ~library[tree.frame[tree.parent]])
    if not len(entering):
        return not_applicable("libraries and own code do not call each other")
    caller = int(np.argmax(np.bincount(tree.frame[tree.parent[entering]], weights=tree.total[entering])))
    return Verdict(
        State.FAIL,
        f"Only {format_share(share)} is spent in the program's own code; the rest in libraries and the runtime, "
        "most of it called from {0}.",
        Severity.INFO,
        (subject.evidence(caller, subject.frames.total_value),),
        profile=subject.profile.handle,
        share=1 - share,
        advice="What can be changed is what the own code asks libraries to do: read the tree without libraries.",
        confidence=Confidence.MEDIUM,
    )


def _short_burst(subject: Subject) -> Verdict:
    profile = subject.profile
    size = subject.busy_samples if profile.spans is None else len(profile.spans)
    if not profile.has_times or profile.axis_end <= profile.axis_start:
        return not_applicable("the profile has no clock")
    if size < LEAST_WORK:
        return not_applicable("too little was recorded to show a burst")
    from traces.analysis.hottest_windows import hottest_windows  # noqa: PLC0415 - 3 ms that sums need not wait for

    found = hottest_windows(subject.trace, profile=profile.index, limit=1)
    if not found.rows or found.rows[0].share < threshold("short-burst.share"):
        return passed("work is spread over the recording")
    row = found.rows[0]
    begins, lasts = format_value(row.start - profile.axis_start, profile.axis), format_value(found.length, profile.axis)
    functions = tuple(
        Evidence(f.handle, f.name, format_value(f.self_value, found.unit), f.self_share) for f in row.functions
    )
    return Verdict(
        State.FAIL,
        f"{format_share(row.share)} of all work falls into {lasts} from {begins} on, where most is {{0}}.",
        Severity.LOW,
        functions,
        profile=profile.handle,
        window=Window(row.start, row.end),
        share=row.share,
        advice="Look at that window alone: averages over the recording hide it.",
    )


def _calls(subject: Subject) -> bool:
    return subject.profile.kind is ProfileKind.EVENTED and subject.unit.is_time


def _many_small_calls(subject: Subject) -> Verdict:
    if subject.profile.counts is not Counts.CALLS or not subject.unit.is_time:
        return not_applicable(NO_CALLS)
    own, count = subject.frames.self_value, subject.frames.count
    many = (count >= threshold("many-small-calls.calls")) & (own >= threshold("many-small-calls.share") * subject.total)
    many &= own < threshold("many-small-calls.mean") * count
    if not many.any():
        return passed("no function is called so often, so briefly, that the calls weigh")
    chosen = np.flatnonzero(many)
    worst = chosen[np.argsort(-own[chosen], kind="stable")][:3].tolist()
    first = worst[0]
    share = float(own[first] / subject.total)
    mean = subject.amount(float(own[first] / count[first]))
    return Verdict(
        State.FAIL,
        f"{{0}} was called {int(count[first]):,} times, {mean} each by itself, together {format_share(share)}: the "
        "number of calls is the cost, and recording them made each dearer.",
        Severity.MEDIUM,
        tuple(subject.evidence(frame, own) for frame in worst),
        profile=subject.profile.handle,
        share=float(own[chosen].sum() / subject.total),
        advice="Do the work in bulk, hoist it out of the loop, or cache it. Check with a sampling profiler.",
        confidence=Confidence.MEDIUM,
    )


def _uneven_calls(subject: Subject) -> Verdict:
    if not _calls(subject):
        return not_applicable(NO_CALLS)
    spans, tree = subject.profile.spans, subject.profile.tree
    assert spans is not None
    total, count = subject.frames.total_value, subject.frames.count
    looked = (count >= threshold("uneven-calls.calls")) & (total >= threshold("uneven-calls.share") * subject.total)
    frames = np.flatnonzero(looked)[np.argsort(-total[looked], kind="stable")][:20].tolist()
    if not frames:
        return not_applicable("no heavy function was called often enough")
    known = call_durations(select(subject.trace, subject.profile.index), frames)
    frame_of = tree.frame[spans.node]
    for frame in frames:
        calls = spans.ended(np.flatnonzero(frame_of == frame))
        lasted = spans.end[calls] - spans.start[calls]
        usual = float(np.quantile(lasted, 0.75, method="inverted_cdf"))
        slow = known[frame].p99
        if usual > 0 and slow > threshold("uneven-calls.ratio") * usual:
            share = float(total[frame] / subject.total)
            return Verdict(
                State.FAIL,
                f"Calls of {{0}} differ widely: three of four last up to {subject.amount(usual)}, the slowest "
                f"hundredth {subject.amount(slow)} and more, up to {subject.amount(known[frame].longest)}.",
                Severity.LOW,
                (subject.evidence(frame, total),),
                profile=subject.profile.handle,
                share=share,
                advice="Compare a slow call with a usual one: arguments, cache misses, waiting, collection.",
            )
    return passed("the heavy functions take about as long each time")


def _recursion(subject: Subject) -> Verdict:
    tree = subject.heavy
    if not len(tree):
        return not_applicable(NOTHING)
    # How often a node's frame stands at or above it: parents come first, so the nearest one of that frame knows.
    times = np.ones(len(tree), np.int64)
    parents, frames = tree.parent.tolist(), tree.frame.tolist()
    for row in np.flatnonzero(subject.profile.tree.outermost[tree.node] == 0).tolist():
        above = parents[row]
        while frames[above] != frames[row]:
            above = parents[above]
        times[row] = times[above] + 1
    # The one that recurs where most is: the heaviest node at which the depth is reached first.
    times[subject.matching("unsymbolised")[tree.frame]] = 1  # code of any functions under one name
    entries = np.flatnonzero(times == threshold("recursion.depth"))
    if not len(entries):
        return passed("little is spent in deep recursion", share=0.0)
    frame = int(tree.frame[entries[np.argmax(tree.total[entries])]])
    value = float(tree.own[_at_or_below(tree, (times >= threshold("recursion.depth")) & (tree.frame == frame))].sum())
    share = value / subject.total
    if share < threshold("recursion.share"):
        return passed("little is spent in deep recursion", share=share)
    deepest = int(times[tree.frame == frame].max())
    return Verdict(
        State.FAIL,
        f"{{0}} calls itself, up to {deepest:,} deep; {format_share(share)} ({subject.amount(value)}) lies in its "
        f"recursion of {int(threshold('recursion.depth'))} and more.",
        Severity.LOW,
        (subject.evidence(frame, subject.frames.total_value),),
        profile=subject.profile.handle,
        share=share,
        advice="If it is not the shape of the data, look for work done again at each depth: cache it or iterate.",
    )


def _at_or_below(tree: HeavyTree, marked: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """The marked nodes with all below them."""
    under = np.append(marked, np.False_)
    up = np.append(tree.parent, -1)
    while (up[:-1] >= 0).any():
        under |= under[up]
        up = up[up]
    return under[:-1]


def _several_ways(subject: Subject) -> Verdict:
    tree = subject.heavy
    called = np.flatnonzero((tree.parent >= 0) & (subject.profile.tree.outermost[tree.node] == 1))
    if not len(called):
        return not_applicable("no function calls another")
    callers = tree.frame[tree.parent[called]].astype(np.int64)
    keys, place = numbered(tree.frame[called].astype(np.int64) << 32 | callers)
    value = np.bincount(place, weights=tree.total[called])
    frame = keys >> 32
    total = subject.frames.total_value.astype(np.float64)[frame]
    # A function that does the work itself is a hot function, one that holds most of all is the program's own loop.
    passes_on = subject.frames.self_value * 2 < subject.frames.total_value
    weighty = (total >= threshold("several-ways.share") * subject.total) & passes_on[frame]
    weighty &= total <= threshold("several-ways.most") * subject.total
    weighty &= value >= threshold("several-ways.part") * total
    frames, which = numbered(frame[weighty])
    shared = frames[np.bincount(which, minlength=len(frames)) >= 2]
    if not len(shared):
        return passed("no heavy function with callees is shared by several heavy callers")
    worst = int(shared[np.argmax(subject.frames.total_value[shared])])
    from_here = np.flatnonzero(weighty & (frame == worst))
    from_here = from_here[np.argsort(-value[from_here], kind="stable")][:3]
    rows = tuple(
        Evidence(f"f{int(keys[k] & 0xFFFFFFFF)}", subject.trace.frame_name(int(keys[k] & 0xFFFFFFFF)),
                 subject.amount(float(value[k])), float(value[k] / subject.total))
        for k in from_here
    )  # fmt: skip
    first = subject.evidence(worst, subject.frames.total_value)
    listed = " and ".join(f"{{{k}}} ({row.value})" for k, row in enumerate(rows, 1))
    return Verdict(
        State.FAIL,
        f"{{0}} and what it calls take {first.value} ({format_share(first.share or 0)}) under several callers: "
        f"{listed}.",
        Severity.LOW,
        (first, *rows),
        profile=subject.profile.handle,
        share=first.share,
        advice="If the callers ask for the same thing, do it once and share the result.",
        confidence=Confidence.MEDIUM,
    )


SLOW = ("Why is this slow?", "Who calls the hottest function?")
DETECTORS = (
    Detector("hot-function", Kind.CODE, "Hot function", "the function with most value by itself", _hot_function,
             ("hot-function.low", "hot-function.medium", "hot-function.high"), SLOW),
    Detector("heaviest-path", Kind.CODE, "Heaviest path", "the heaviest branch of the tree, down to its fork",
             _heaviest_path, ("heaviest-path.follow", "heaviest-path.floor"), SLOW),
    Detector("flat-profile", Kind.CODE, "Flat profile", "profiles without a hot function", _flat_profile,
             ("flat-profile.share",), ("What are the top 10 functions by total?",)),
    Detector("own-code", Kind.CODE, "Little own code", "profiles that libraries dominate", _own_code,
             ("own-code.medium", "own-code.least"), ("What does my own code spend, without libraries?",)),
    Detector("short-burst", Kind.CODE, "Short burst", "much work within a twentieth of the recording", _short_burst,
             ("short-burst.share",), ("What happens in the hottest window?",)),
    Detector("many-small-calls", Kind.CODE, "Many small calls", "functions called very often, each very briefly",
             _many_small_calls, ("many-small-calls.calls", "many-small-calls.mean", "many-small-calls.share"), SLOW),
    Detector("uneven-calls", Kind.CODE, "Uneven calls", "functions some of whose calls take far longer", _uneven_calls,
             ("uneven-calls.ratio", "uneven-calls.calls", "uneven-calls.share"), ("Which single calls took longest?",)),
    Detector("recursion", Kind.CODE, "Deep recursion", "time in functions that call themselves", _recursion,
             ("recursion.share", "recursion.depth"), ("Which function calls itself?",)),
    Detector("several-ways", Kind.CODE, "Reached by several ways", "the same heavy subtree under several callers",
             _several_ways, ("several-ways.share", "several-ways.most", "several-ways.part"), ("Who calls it?",)),
)  # fmt: skip
