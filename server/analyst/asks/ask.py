"""What a prompt asks for, as a value of slots. What it leaves out is taken from the ask before (`after`)."""

from dataclasses import dataclass, fields, replace

from server.analyst.moments import TimeRange

SINGLE = frozenset({"longest", "shortest", "median", "percentile", "limit"})
"""Measures that need single calls."""
MOMENTS = frozenset({"when", "first", "last", "end"})
IT = "it"
"""What was spoken of, where a name could stand."""
THEM = {f"them {number}": number for number in range(2, 6)}
"""As many as were spoken of last."""
WORST, FIRST, LAST = "worst", "first", "last"
"""The longest, the first and the last of the calls, where one is left out."""
CALLS_LEFT_OUT = {WORST: "longest", FIRST: "first", LAST: "last"}
NEXT = -1
"""The place in an order behind those that were given."""
OWN_THREAD = "thread"
"""What a share is of, where that is the thread that the function runs in."""
EVERYTHING = "everything"


@dataclass(frozen=True, slots=True)
class Limit:
    """A length that calls are over or under, in milliseconds, and as it was written; with `of` (`mean` or `median`)
    as many times as that."""

    ms: float
    written: str
    is_over: bool = True
    of: str = ""


@dataclass(frozen=True, slots=True)
class WhatIf:
    """What would be without something, or with it `times` as fast, in parallel or not. `asks` for what is `left` or for
    what is `saved`."""

    asks: str = "left"
    times: float | None = None
    is_parallel: bool = False


@dataclass(frozen=True, slots=True)
class Rank:
    """Places in an order: of `function` or `callee`, by `self`, `total` or `calls`, as many as `number` from `first` on
    (0 is the most)."""

    of: str = "function"
    by: str = ""
    first: int = 0
    number: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """`measures` in the order of the prompt; `of` the names that it is asked of, `IT` among them; `window`, `thread`,
    `within` (a thread or what calls it) and `without` narrow that; `by` is what it is divided by: `thread`, `caller` or
    a name; `base` is what a share is of. `how` has `sum` and `compare`. `then` is what is asked after an `and`, about
    the same."""

    measures: tuple[str, ...] = ()
    percent: float | None = None
    of: tuple[str, ...] = ()
    window: TimeRange | None = None
    same_window: bool = False
    thread: str = ""
    within: str = ""
    without: str = ""
    by: str = ""
    base: str = ""
    limit: Limit | None = None
    what_if: WhatIf | None = None
    rank: Rank | None = None
    how: frozenset[str] = frozenset()
    placed: bool = False
    """Whether what it is asked of stands after `in` or `on`: a thread is then a scope, and no subject."""
    clock: str = ""
    """The profile from whose start the window counts, where that is another's."""
    nouns: tuple[str, ...] = ()
    """What is called `that copy`: it has to be no other thing than what was spoken of."""
    is_strict: bool = False
    """Whether it has to be named as it is called, and no word may be passed over: yes or no answers it, or it points at
    what it names (`these fulls`)."""
    goes_on: bool = False
    then: "Ask | None" = None

    @property
    def is_composed(self) -> bool:
        """Whether it has more than measures and names, and a limit: of those, other kinds know more."""
        slots = (self.window, self.same_window, self.thread, self.within, self.without, self.by, self.then)
        of_average = self.limit is not None and self.limit.of
        return any((*slots, self.base, self.what_if, self.rank, of_average)) or bool(
            {*self.measures} & {"percentile", "last", "idle", "rate"}
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Every name in it."""
        others = self.then.names if self.then else ()
        found = (*self.of, self.thread, self.within, self.without, self.by, self.base, *others)
        return tuple(dict.fromkeys(one for one in found if one and one not in _NO_NAMES and one not in THEM))


_NO_NAMES = frozenset({IT, *CALLS_LEFT_OUT, OWN_THREAD, EVERYTHING, "caller"})
_SCOPE = ("window", "clock", "thread", "within", "limit")


def after(ask: Ask, before: Ask | None) -> Ask:
    """The ask with what it leaves out taken from the one before: the measure, the scope; the subject is what the
    answer before spoke of."""
    if ask.what_if or ask.rank or ask.base:
        return ask if ask.of or ask.without or ask.rank else replace(ask, of=(IT,))
    if before is None:
        return replace(ask, of=ask.of or (IT,))
    measures = ask.measures or before.measures
    if ask.measures and not ask.names and not ask.how and (len(before.of) > 1 or {*THEM} & {*before.of}):
        ask = replace(ask, of=before.of, how=before.how)  # `and inclusive?` of the two that were compared
    if not ask.measures and ask.how and len(ask.of) > 1 and "calls" in measures:
        measures = ()  # `flush vs emit`, after the number of calls of one
    if ask.limit is not None and not ask.measures:
        measures = ("limit",)
    kept = {}
    is_new = any(one != IT and one not in THEM for one in ask.of) and not ask.placed
    if ask.goes_on or not is_new:
        elsewhere = ("thread", "within") if ask.placed and ask.of else ()  # `and on press-2?`
        kept = {one: getattr(before, one) for one in _SCOPE if not getattr(ask, one) and one not in elsewhere}
        if is_new:
            kept = {one: value for one, value in kept.items() if one in ("window", "clock")}
        if ask.measures or ask.by:
            kept.pop("limit", None)
        if ask.window or ask.thread:  # another part of the recording in place of the one before
            kept = {one: value for one, value in kept.items() if one == "limit"}
    return replace(ask, measures=measures, percent=ask.percent or before.percent, of=ask.of or (IT,), **kept)


def of_a_place(ask: Ask) -> Ask:
    """The ask for the total of what is only named with a place: `climb in engine-1`."""
    is_plain = not (ask.measures or ask.by or ask.rank or ask.how or ask.what_if or ask.limit or ask.is_strict)
    is_placed = is_plain and ask.of and (ask.thread or ask.within)
    return replace(ask, measures=("total",), is_strict=True) if is_placed else ask


def is_bare(ask: Ask) -> bool:
    """Whether nothing is in it."""
    empty = Ask()
    return all(
        getattr(ask, one.name) == getattr(empty, one.name)
        for one in fields(ask)
        if one.name not in ("goes_on", "is_strict")
    )


def supposed_call(ask: Ask, before: Ask | None) -> Ask:
    """`without it` is without the longest call where that was spoken of; else it is what would be."""
    if ask.without != IT or ask.what_if or ask.rank:
        return ask
    if before and ("longest" in before.measures or before.without == WORST):
        return replace(ask, without=WORST)
    return replace(ask, what_if=WhatIf()) if {*ask.measures} <= {"total", "share"} else ask


def only_names(ask: Ask) -> bool:
    """Whether it has nothing but names, and none of what was spoken of."""
    is_new = bool(ask.of) and not {IT, *THEM} & {*ask.of} and not (ask.goes_on or ask.placed)
    return is_new and ask == replace(Ask(), of=ask.of, is_strict=ask.is_strict)


def further(ask: Ask, before: Ask | None) -> Ask | None:
    """Places of the order that was asked for before: what comes next, or the one that is named."""
    if ask.rank is None or before is None or before.rank is None or not before.rank.of:
        return None
    follows = before.rank.first + before.rank.number
    first = follows if ask.rank.first == NEXT else ask.rank.first
    return replace(before, rank=replace(before.rank, first=first, number=ask.rank.number))


def joined(ask: Ask) -> tuple[Ask, ...]:
    """What is asked after an `and`, of what stands before it."""
    if ask.then is None:
        return ()
    then = after(ask.then, ask)
    return (replace(then, of=ask.of if then.of == (IT,) else then.of),)
