"""True and false facts of a trace, by kind: what the phrasings are filled with. A false one takes the figure of another
function, measure, base or profile, or turns a relation around."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from evals.claims.known_facts import ABSENT, KnownFacts
from traces.analysis.functions import FunctionRow
from traces.values import Counts, Unit

NEAR = 0.12
"""False figures lie at least this far off every right one, as a part of it."""


@dataclass(frozen=True, slots=True)
class Figure:
    """`unit` is a Unit, `share` (a part of one), `factor` or `number`."""

    value: float
    unit: str


@dataclass(frozen=True, slots=True)
class MadeFact:
    """What a phrasing of `kind` says when its places are filled: names as they are, figures unwritten. `claimed` is the
    address of what it says that its figure is, `source` that of what the figure is: one and the same where it is true.
    """

    kind: str
    is_true: bool
    places: dict[str, str | Figure]
    claimed: str | None = None
    source: str | None = None


def made_facts(known: KnownFacts) -> Iterator[MadeFact]:
    """Facts of one trace, true and false in turn."""
    for maker in (_figures, _durations, _two_functions, _totals, _threads, _relations, _order):
        yield from maker(known)


def _differs(value: float, *others: float) -> bool:
    return all(abs(value - other) > NEAR * max(abs(other), abs(value)) for other in others)


Addressed = tuple[float, str]
"""A value with its address."""


def _pair(kind: str, a: str, right: Addressed, wrong: list[Addressed], unit: str) -> Iterator[MadeFact]:
    """A right figure, and of the wrong ones the first that is none of the right ones."""
    yield MadeFact(kind, True, {"a": a, "x": Figure(right[0], unit)}, right[1], right[1])
    for value, address in wrong:
        coarse = unit == "share" and abs(value - right[0]) < (0.002 if min(value, right[0]) < 0.1 else 0.012)
        if value > 0 and _differs(value, right[0]) and not coarse:
            yield MadeFact(kind, False, {"a": a, "x": Figure(value, unit)}, right[1], address)
            return


def _own(row: FunctionRow) -> Addressed:
    return row.self_value, f"f{row.frame}.self"


def _total(row: FunctionRow) -> Addressed:
    return row.total_value, f"f{row.frame}.total"


def _own_share(row: FunctionRow, known: KnownFacts) -> Addressed:
    return row.self_share, f"f{row.frame}.self/{known.main.handle}"


def _total_share(row: FunctionRow, known: KnownFacts) -> Addressed:
    return row.total_share, f"f{row.frame}.total/{known.main.handle}"


def _count(row: FunctionRow, measure: str) -> Addressed:
    return row.count or 0, f"f{row.frame}.{measure}"


def _figures(known: KnownFacts) -> Iterator[MadeFact]:
    rows, unit = known.rows, known.main.unit.value
    for at, row in enumerate(rows[:6]):
        other = rows[at + 1] if at % 2 else rows[at - 1]
        if at % 2:
            yield from _pair("self", row.name, _own(row), [_total(row), _own(other)], unit)
        else:
            wrong = [_own_share(other, known), _total_share(row, known)]
            yield from _pair("self_share", row.name, _own_share(row, known), wrong, "share")
    wide = sorted(known.ranked, key=lambda row: row.total_value - row.self_value, reverse=True)
    names = [row.name for row in rows]
    for at, row in enumerate([row for row in wide if row.name in names and row.self_value > 0][:4]):
        other = rows[(names.index(row.name) + 1) % len(rows)]
        if at % 2:
            wrong = [_own_share(row, known), _total_share(other, known)]
            yield from _pair("total_share", row.name, _total_share(row, known), wrong, "share")
        else:
            yield from _pair("total", row.name, _total(row), [_own(row), _total(other)], unit)
    counted = {Counts.CALLS: "calls", Counts.SAMPLES: "samples"}.get(known.main.counts)
    for row, other in pairwise(rows[1:5]) if counted else ():
        if row.count and counted:
            wrong = [_count(other, counted), _count(rows[0], counted)]
            yield from _pair(counted, row.name, _count(row, counted), wrong, "number")


def _durations(known: KnownFacts) -> Iterator[MadeFact]:
    unit = known.main.unit.value
    if known.main.counts is not Counts.CALLS or known.main.unit is not Unit.NANOSECONDS:
        return
    for row in known.rows[:3]:
        if row.count and row.durations is None:
            yield from _pair("mean", row.name, _mean(row), [_mean(known.rows[3])], unit)
    for row in [row for row in known.rows if row.durations is not None and row.durations.calls > 20][:3]:
        lasts = row.durations
        assert lasts is not None
        median, p99, longest = (
            (value, f"f{row.frame}.{measure}")
            for value, measure in ((lasts.median, "p50"), (lasts.p99, "p99"), (lasts.longest, "max"))
        )
        yield from _pair("mean", row.name, _mean(row), [p99, longest], unit)
        yield from _pair("median", row.name, median, [p99, _mean(row)], unit)
        yield from _pair("p99", row.name, p99, [median], unit)
        yield from _pair("longest", row.name, longest, [p99, median], unit)


def _mean(row: FunctionRow) -> Addressed:
    return row.total_value / (row.count or 1), f"f{row.frame}.mean"


def _two_functions(known: KnownFacts) -> Iterator[MadeFact]:
    rows, unit = known.rows, known.main.unit.value
    for a, b in ((rows[0], rows[1]), (rows[1], rows[3])):
        factor = a.self_value / b.self_value
        names: dict[str, str | Figure] = {"a": a.name, "b": b.name}
        both = names | {"x": Figure(a.self_value + b.self_value, unit)}
        own, other = _own(a)[1], _own(b)[1]
        if factor > 1.3:
            right, turned = f"{own}/{other}", f"{other}/{own}"
            yield MadeFact("ratio", True, names | {"x": Figure(factor, "factor")}, right, right)
            yield MadeFact("ratio", False, {"a": b.name, "b": a.name, "x": Figure(factor, "factor")}, turned, right)
        sum_of_both = f"{own}+{other}"
        yield MadeFact("together_self", True, both, sum_of_both, sum_of_both)
        if _differs(a.total_value + b.self_value, a.self_value + b.self_value):
            wrong = Figure(a.total_value + b.self_value, unit)
            yield MadeFact("together_self", False, names | {"x": wrong}, sum_of_both, f"{_total(a)[1]}+{other}")
    for outer, inner in _nested(known)[:2]:
        part = next(one.value for one in known.around(outer.frame).callees if one.frame == inner.frame)
        names = {"a": inner.name, "b": outer.name}
        above, below = _total(outer)[1], _total(inner)[1]
        right = f"{below}/{above}"
        if abs(part - inner.total_value) < 1e-6 * part:
            yield MadeFact("share_of", True, names | {"x": Figure(part / outer.total_value, "share")}, right, right)
            of_all = part / known.total
            if _differs(of_all, part / outer.total_value, inner.self_value / outer.total_value):
                base = f"{below}/{known.main.handle}"
                yield MadeFact("share_of", False, names | {"x": Figure(of_all, "share")}, right, base)
        both = names | {"x": Figure(max(outer.total_value, inner.total_value), unit)}
        yield MadeFact("together_total", True, both, above, above)
        wrong = Figure(outer.total_value + inner.total_value, unit)
        yield MadeFact("together_total", False, names | {"x": wrong}, above, f"{above}+{below}")


def _nested(known: KnownFacts) -> list[tuple[FunctionRow, FunctionRow]]:
    """A function and one that only it calls, both of weight."""
    by_frame = {row.frame: row for row in known.ranked}
    found = []
    for inner in known.rows:
        callers = known.around(inner.frame).callers
        if len(callers) == 1 and callers[0].frame in by_frame:
            outer = by_frame[callers[0].frame]
            if outer.name.isprintable() and _differs(outer.total_value, inner.total_value) and " " not in outer.name:
                found.append((outer, inner))
    return found


def _totals(known: KnownFacts) -> Iterator[MadeFact]:
    unit, count = known.main.unit.value, len(known.trace.profiles)
    if count == 1:
        right, (value, source) = f"{known.main.handle}.total", _own(known.rows[0])
        yield MadeFact("everything", True, {"x": Figure(known.total, unit)}, right, right)
        yield MadeFact("everything", False, {"x": Figure(value, unit)}, right, source)
    elif "Thread" in known.main.name:
        yield MadeFact("threads", True, {"x": Figure(count, "number")}, "t.threads", "t.threads")
        yield MadeFact("threads", False, {"x": Figure(count + 3, "number")}, "t.threads")


def _threads(known: KnownFacts) -> Iterator[MadeFact]:
    if len(known.trace.profiles) < 2 or "Thread" not in known.main.name:
        return
    measured = [p for p in known.trace.profiles if p.unit is known.main.unit]
    of = {p.index: {r.name: known.self_on(p, r.frame) for r in known.ranked} for p in measured}
    for p in measured:
        for q in measured:
            mine = [name for name, value in of[p.index].items() if value > 0]
            shared = [n for n in mine if of[q.index][n] > 0 and _differs(of[q.index][n], of[p.index][n])]
            if p is not q and shared:
                places: dict[str, str | Figure] = {"t": _thread_name(p.name), "a": shared[0]}
                right, wrong = (Figure(of[one.index][shared[0]], p.unit.value) for one in (p, q))
                frame = next(row.frame for row in known.ranked if row.name == shared[0])
                here, there = (f"{one.handle}.f{frame}.self" for one in (p, q))
                yield MadeFact("on_thread", True, places | {"x": right}, here, here)
                yield MadeFact("on_thread", False, places | {"x": wrong}, here, there)
            alone = [n for n in mine if not _runs_on(known, q, n)]
            if p is not q and alone:
                yield MadeFact("rel_thread", True, {"a": alone[0], "t": _thread_name(p.name)})
                yield MadeFact("rel_thread", False, {"a": alone[0], "t": _thread_name(q.name)})
        share = known.waiting_share(p)
        if share is not None and not 0.25 < share < 0.75:
            yield MadeFact("rel_waits", share > 0.5, {"t": _thread_name(p.name)})


def _runs_on(known: KnownFacts, profile: object, name: str) -> bool:
    tree = profile.tree  # type: ignore[attr-defined]
    return any(known.trace.frame_name(int(frame)) == name for frame in set(tree.frame.tolist()))


def _thread_name(name: str) -> str:
    """`http-4` of `Thread 19448 "http-4"`."""
    return name.split('"')[1] if name.count('"') == 2 else name


def _relations(known: KnownFacts) -> Iterator[MadeFact]:
    yield from _of_calls(known)
    yield from _of_ranks(known)


def _of_calls(known: KnownFacts) -> Iterator[MadeFact]:
    rows, edges, paths = known.rows, known.edges, known.paths
    name = known.trace.frame_name
    lone = {row.frame for row in known.ranked if " " not in row.name}
    direct = [(a, b) for a, b in sorted(edges) if {a, b} <= lone and a != b and (b, a) not in paths][:3]
    for a, b in direct:
        yield MadeFact("rel_calls", True, {"a": name(a), "b": name(b)})
        yield MadeFact("rel_calls", False, {"a": name(b), "b": name(a)})
        yield MadeFact("rel_never_calls", False, {"a": name(a), "b": name(b)})
        yield MadeFact("rel_never_calls", True, {"a": name(b), "b": name(a)})
    far = [(a, b) for a, b in sorted(paths - edges) if {a, b} <= lone and (b, a) not in paths]
    for a, b in far[:2]:
        yield MadeFact("rel_path", True, {"a": name(a), "b": name(b)})
        yield MadeFact("rel_path", False, {"a": name(b), "b": name(a)})
    for row in rows[:4]:
        callers = [a for a, b in edges if b == row.frame and a != row.frame]
        if len(callers) == 1 and callers[0] in lone:
            yield MadeFact("rel_only_caller", True, {"a": name(callers[0]), "b": row.name})
        elif len(callers) > 1 and callers[0] in lone:
            yield MadeFact("rel_only_caller", False, {"a": name(callers[0]), "b": row.name})
        yield MadeFact("rel_callers", True, {"a": row.name, "x": Figure(len(callers), "number")})
        yield MadeFact("rel_callers", False, {"a": row.name, "x": Figure(len(callers) + 2, "number")})
        leaf = not any(a == row.frame and b != row.frame for a, b in edges)
        yield MadeFact("rel_leaf", leaf, {"a": row.name})
        itself = any(a == b == row.frame for a, b in edges) or (row.frame, row.frame) in paths
        yield MadeFact("rel_recursive", itself, {"a": row.name})
        yield MadeFact("rel_not_recursive", not itself, {"a": row.name})


def _of_ranks(known: KnownFacts) -> Iterator[MadeFact]:
    rows = known.rows
    yield MadeFact("rel_hottest", True, {"a": known.ranked[0].name})
    yield MadeFact("rel_hottest", False, {"a": rows[1].name})
    for place, right in ((2, True), (3, True), (2, False), (3, False)):
        row = known.ranked[place - 1 if right else place]
        gap = _differs(row.self_value, *(one.self_value for one in known.ranked[:6] if one is not row))
        if gap and " " not in row.name:
            words = {2: "second", 3: "third"}[place]
            yield MadeFact("rel_rank", right, {"a": row.name, "n": words, "c": str(place)})
    for more, less in ((rows[0], rows[2]), (rows[1], rows[4])):
        if _differs(more.self_value, less.self_value):
            yield MadeFact("rel_more", True, {"a": more.name, "b": less.name})
            yield MadeFact("rel_more", False, {"a": less.name, "b": more.name})
    absents = [name for name in ABSENT[len(rows) % 3 :] if name not in known.trace.frame_names]
    for absent, present in zip(absents[:2], rows, strict=False):
        yield MadeFact("rel_absent", True, {"a": absent})
        yield MadeFact("rel_absent", False, {"a": present.name})


def _order(known: KnownFacts) -> Iterator[MadeFact]:
    starts = [(row.name, known.first_start(row.frame)) for row in known.rows]
    timed = sorted((start, name) for name, start in starts if start is not None)
    for (first, a), (then, b) in zip(timed[:2], timed[-2:], strict=False):
        if then - first > 0:
            yield MadeFact("rel_before", True, {"a": a, "b": b})
            yield MadeFact("rel_before", False, {"a": b, "b": a})
