"""How much of a function comes from another, or goes into one: `most of f is reached through g`, `h spends two thirds
of its time in f`, `f is always called directly from g`.

What the words say is compared with every plain reading: by time or by calls, directly or through others. It holds where
one of the readings holds that the words name; it is wrong where none does."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from server.agent.verification.claims import Claim
from server.agent.verification.readings.cue_words import Cue, cue
from server.agent.verification.statements.agreement import ABOUT, LITTLE_MORE, SLIPPED
from server.agent.verification.statements.measure_words import words
from server.agent.verification.statements.measures import Measures, Scope
from server.agent.verification.statements.relations import Reading
from server.agent.verification.statements.sentence_parts import FIGURE, FIGURES, FUNCTIONS, Sentence, Subject
from server.agent.verification.statements.shared_figures import scopes_of
from server.agent.verification.statements.stack_relations import StackRelations
from server.agent.verification.verdicts import UNCHECKED, Verification
from server.agent.verification.written_numbers import Dimension
from traces.analysis.recorded_edges import recorded_edges
from traces.lazy_regex import lazy_regex
from traces.values import Counts

_OF_CALLS = lazy_regex(
    r"[^.;:]{0,40}\b(?:calls?|invocations?|them|Aufrufe?n?|davon|appels|elles|llamadas|ellas)\b", re.IGNORECASE
)
_CALLED = lazy_regex(r"\b(?:called|invoked|aufgerufen|appelée?|llamad[oa])\b", re.IGNORECASE)
_AND = lazy_regex(r",? (?:and|und|et|y|while|whereas|with|mit|avec|con) |[;,] ")
_PIECE = lazy_regex(r"[.;:](?=\s|$)|\s[–—]\s")
_CALLS_OF_ITS = lazy_regex(
    rf"(?P<n>{FIGURES}) (?:of|von|de) (?:(?:its|the|their|all|seinen|ihren|ses|sus) )?{FIGURES} "
    r"(?:calls|invocations|Aufrufen|appels|llamadas)\b",
    re.IGNORECASE,
)
OPEN = 0.05
CLOSE, NEARLY_SO = 0.03, 0.15
"""So near a bound a share is neither on this side nor on that one."""


@dataclass(frozen=True, slots=True)
class Amount:
    """Between which shares what was said holds, and the place of the words."""

    low: float
    high: float
    start: int
    end: int
    figures: frozenset[int] = frozenset()
    slack: float = OPEN
    name: str = ""

    @property
    def middle(self) -> float:
        return (self.low + self.high) / 2 if self.high <= 1 else self.low

    def has(self, share: float) -> bool:
        return self.low <= share <= self.high

    def is_near(self, share: float) -> bool:
        return self.low - self.slack <= share <= self.high + self.slack


_NUMBER_BEHIND = lazy_regex(
    r"\W+(?:(?:about|around|roughly|some|nearly|etwa|rund|environ|unas?|unos) )?"
    rf"(?:{FIGURES}|\d|(?:once|twice|one|two|three|einmal|zweimal|une|deux|dos)\b)",
    re.IGNORECASE,
)
"""`Only 12 times`: of the number."""
_AMOUNTS: tuple[tuple[Cue, float, float], ...] = (
    ("NEARLY_ALL", 0.85, 1.01),
    ("HARDLY", -0.01, 0.1),
    ("ALL", 0.9995, 1.01),
    ("MOST", 0.5001, 1.01),
    ("NONE", -0.01, 1e-9),
)


@dataclass(frozen=True)
class Origins:
    """Reads the sentences of answers about one trace."""

    measures: Measures
    stacks: StackRelations

    def each(self, sentence: Sentence) -> Iterator[Reading]:
        """What a sentence says of what passes between two functions."""
        text = sentence.template
        if len({one.numbers for one in sentence.functions}) < 2 or words("HYPOTHETICAL").search(text):
            return
        yield from self._inside(sentence)
        taken = -1
        names: tuple[Cue, ...] = ("OF_IT", "FROM", "MAKES_UP", "INTO")
        for name in names:
            for match in cue(name).finditer(text):
                found = (
                    self._read(sentence, match, "FROM" if name == "OF_IT" else name) if match.start() > taken else None
                )
                if found is not None:
                    taken = match.end() if found.verdict != UNCHECKED else taken
                    yield found

    def _read(self, sentence: Sentence, match: re.Match[str], name: Cue) -> Reading | None:
        """One pair of functions with how much of the one is of the other; or which calls the other on a thread."""
        text, (start, end) = sentence.template, match.span()
        other = sentence.function(next(one for one in reversed(match[0]) if re.match(FUNCTIONS, one)))
        begin = max((piece.end() for piece in _PIECE.finditer(text, 0, start)), default=0)
        first, amount = _before(sentence, begin, start, other), amount_of(sentence, begin, end)
        if first is None or cue("ASIDE").search(text, 0, start):
            return None
        if amount is None:
            is_call = name == "FROM" and _CALLED.search(match[0]) is not None
            there = self._on_thread(sentence, other, first) if is_call else None
            return Reading(start, end, there) if there else None
        if name != "FROM" and amount.name in ("ALL", "NONE"):
            return None
        base, part = (other, first) if name == "MAKES_UP" else (first, other)
        if found := self._decided(sentence, name, base, part, amount, text[begin:end]):
            return Reading(start, end, found, amount.figures, ((amount.start, amount.end),))
        return None if amount.figures or base.numbers == part.numbers else Reading(start, end, UNCHECKED)

    def _inside(self, sentence: Sentence) -> Iterator[Reading]:
        """`Within f, g takes half and h a fifth`: each part by the function that stands first."""
        text = sentence.template
        lead = cue("LEAD").search(text)
        if lead is None:
            return
        base, start = sentence.function(lead["base"]), lead.end()
        for end in [*(one.start() for one in _AND.finditer(text, start)), len(text)]:
            named = {one.numbers: one for one in map(sentence.function, re.findall(FUNCTIONS, text[start:end]))}
            amount = amount_of(sentence, start, end)
            if len(named) == 1 and amount is not None and amount.name not in ("ALL", "NONE"):
                part = next(iter(named.values()))
                found = self._decided(sentence, "INTO", base, part, amount, text[start:end])
                if found and part.numbers != base.numbers:
                    yield Reading(amount.start, amount.end, found, amount.figures)
            start = end

    def _on_thread(self, sentence: Sentence, above: Subject, below: Subject) -> Verification | None:
        """Whether the one calls the other on the one thread that a sentence names."""
        if len(sentence.threads) != 1 or words("NEGATED").search(sentence.template):
            return None
        profiles = [self.measures.trace.profiles[number] for number in sentence.threads[0].numbers]
        is_above = False
        for profile in profiles:
            tree = profile.tree
            mine = np.isin(tree.frame, above.numbers)
            if bool((np.isin(tree.frame, below.numbers) & (tree.parent >= 0) & mine[tree.parent]).any()):
                return Verification("verified", how=f"{above.text[:50]} calls {below.text[:50]} there")
            is_above = is_above or bool((np.isin(tree.frame, below.numbers) & tree.levels.at_or_below(mine)).any())
        return None if is_above else Verification("contradicted", actual=f"{above.text[:50]} does not call it there")

    def _decided(
        self, sentence: Sentence, name: Cue, base: Subject, part: Subject, amount: Amount, said: str
    ) -> Verification | None:
        """`base` comes from `part` (FROM), or has `part` below it."""
        is_direct = cue("DIRECTLY").search(said) is not None
        by_calls = cue("BY_CALLS").search(said) is not None
        above, below = (part, base) if name == "FROM" else (base, part)
        shown = f"{below.text[:50]} below {above.text[:50]}"
        named, others = [], []
        for scope in scopes_of(self.measures, sentence)[:2]:
            of_calls = list(self._by_calls(scope, above, below, base)) if name == "FROM" else []
            direct, any_way = self._by_value(scope, above, below, base)
            of_values = direct if is_direct else direct + any_way
            named += of_calls if by_calls and of_calls else of_values
            others += [] if by_calls and of_calls else of_calls
        if not named:
            return None
        if amount.low > 0.99 and not is_direct and name == "FROM":
            callers = self.stacks.callers(below.numbers) - set(below.numbers)
            if callers and callers <= set(above.numbers):
                return Verification("verified", how=f"its callers are {self.stacks.listed(callers)}")
        if amount.low > 0.99 and is_direct:
            callers = self.stacks.callers(below.numbers) - set(below.numbers)
            is_so = bool(callers) and callers <= set(above.numbers)
            listed = f"the callers of {below.text[:50]} are {self.stacks.listed(callers)}"
            return Verification("verified", how=listed) if is_so else Verification("contradicted", actual=listed)
        right = next((one for one in named if amount.has(one)), None)
        actual = f"{shown}: " + " or ".join(dict.fromkeys(f"{100 * one:.1f}%" for one in named[:3]))
        if right is not None and by_calls and not all(amount.is_near(one) for one in named):
            return UNCHECKED  # so by one reading of the words, and not by another
        if right is not None:
            return Verification("derived", how=f"{shown}: {100 * right:.1f}%")
        if any(amount.is_near(one) for one in [*named, *others]):
            return None
        alike = [(one, other) for one in _each(base) for other in _each(part)]
        is_open = amount.figures or len(alike) > 1
        if is_open and any(self._is_otherwise(sentence, one, other, amount) for one, other in alike):
            return None
        return Verification("contradicted", actual=actual)

    def _is_otherwise(self, sentence: Sentence, base: Subject, part: Subject, amount: Amount) -> bool:
        """Whether the share is right of one of them by another base: of all, or of the other one."""
        for scope in scopes_of(self.measures, sentence)[:2]:
            for one in (base, part):
                own, total = scope.under(None, one.numbers)
                if scope.total and any(amount.is_near(value / scope.total) for value in (own, total)):
                    return True
            for a, b in ((base, part), (part, base)):
                total = scope.under(None, a.numbers)[1]
                inside = (*scope.under(scope.mask(a.numbers), b.numbers), scope.under(None, b.numbers)[1])
                if total and any(amount.is_near(value / total) for value in inside):
                    return True
        return False

    def _by_value(self, scope: Scope, above: Subject, below: Subject, base: Subject) -> tuple[list[float], list[float]]:
        """What part of the base lies below the other: called directly, and in any way."""
        own, total = scope.under(None, base.numbers)
        if total <= 0:
            return [], []
        direct = [self.measures.flow(above.numbers, below.numbers, scope) / total]
        if edges := recorded_edges(scope.chosen, scope.window):
            from_above = np.isin(edges.caller, above.numbers) & np.isin(edges.callee, below.numbers)
            direct = [min(float(edges.value[from_above].sum()) / total, 1.0)]
        inside = scope.under(scope.mask(above.numbers), below.numbers)
        any_way = [inside[1] / total]
        if base is below and own > 0:
            any_way.append(inside[0] / own)
        return direct, any_way

    def _by_calls(self, scope: Scope, above: Subject, below: Subject, base: Subject) -> Iterator[float]:
        if scope.chosen.counts is not Counts.CALLS:
            return
        count = float(sum(scope.by_frame.count[frame] for frame in base.numbers))
        if not count:
            return
        if edges := recorded_edges(scope.chosen, scope.window):
            if (between := edges.calls_between(above.numbers, below.numbers)) is not None:
                yield between / count
                itself = edges.calls_between(below.numbers, below.numbers)
                if itself and count > itself:
                    yield min(between / (count - itself), 1.0)
            return
        inside = scope.mask(below.numbers) & scope.tree.levels.at_or_below(scope.mask(above.numbers))
        parent = scope.tree.parent
        direct = scope.mask(below.numbers) & (parent >= 0) & scope.mask(above.numbers)[parent]
        yield float(scope.by_node.count[direct].sum()) / count
        yield float(scope.by_node.count[inside].sum()) / count


@dataclass(frozen=True)
class Recursion:
    """Reads what part of a function's calls it makes itself: `nine in ten of the calls of f are recursive`."""

    measures: Measures

    def each(self, sentence: Sentence) -> Iterator[Reading]:
        text = sentence.template
        found = cue("ITSELF").search(text)
        if found is None or len({one.numbers for one in sentence.functions}) != 1 or words("HYPOTHETICAL").search(text):
            return
        begin = max((end.end() for end in _PIECE.finditer(text, 0, found.start())), default=0)
        if counted := _CALLS_OF_ITS.search(text, begin, found.end()):
            yield from self._counted(sentence, counted)
            return
        amount = amount_of(sentence, begin, found.end())
        if amount is None or amount.name == "NONE" or not _OF_CALLS.match(text[amount.end : found.end()]):
            return
        yield from self._share(sentence, found, amount)

    def _share(self, sentence: Sentence, found: re.Match[str], amount: "Amount") -> Iterator[Reading]:
        """A share of all its calls, by any reading of which calls those are."""
        frames, shares = sentence.functions[0].numbers, []
        for scope in scopes_of(self.measures, sentence)[:2]:
            count = float(sum(scope.by_frame.count[frame] for frame in frames))
            if scope.chosen.counts is not Counts.CALLS or not count:
                continue
            if edges := recorded_edges(scope.chosen, scope.window):
                if (itself := edges.calls_between(frames, frames)) is not None:
                    shares.append(itself / count)
                inner = float(edges.primitive[np.isin(edges.function, frames)].sum())
                shares += [1 - inner / count] if inner > 0 else []
            else:
                mine = scope.mask(frames)
                shares.append(float(scope.by_node.count[mine & (scope.tree.outermost == 0)].sum()) / count)
        if not shares:
            return
        shown = f"{' or '.join(dict.fromkeys(f'{100 * one:.1f}%' for one in shares))} of its calls are its own"
        where = (found.start(), found.end())
        if any(amount.has(one) for one in shares):
            yield Reading(
                *where, Verification("derived", how=shown), amount.figures, ((amount.start, amount.end),), is_first=True
            )
        elif not any(amount.is_near(one) for one in shares):
            wrong = Verification("contradicted", actual=shown)
            yield Reading(*where, wrong, amount.figures, ((amount.start, amount.end),), is_first=True)

    def _counted(self, sentence: Sentence, said: re.Match[str]) -> Iterator[Reading]:
        """`7,140 of its 8,330 calls come from itself`: the first number, where calls were counted."""
        at = ord(said["n"]) - ord(FIGURE)
        value, frames = sentence.figures[at].mentions[0].value, sentence.functions[0].numbers
        counts = [
            float(
                scope.by_node.count[
                    scope.mask(frames) & (scope.tree.parent >= 0) & scope.mask(frames)[scope.tree.parent]
                ].sum()
            )
            for scope in scopes_of(self.measures, sentence)[:3]
            if scope.chosen.counts is Counts.CALLS and not recorded_edges(scope.chosen, scope.window)
        ]
        if not counts:
            return
        shown = f"{max(counts):,.0f} of its calls are its own"
        verdict = Verification("verified", how=shown) if value in counts else Verification("contradicted", actual=shown)
        yield Reading(*said.span("n"), verdict, frozenset({at}), is_first=True)


def _each(subject: Subject) -> list[Subject]:
    """A name's functions together, and a few of them alone."""
    alone = [replace(subject, numbers=(one,)) for one in subject.numbers[:3]]
    return [subject, *alone] if len(alone) > 1 else [subject]


def _before(sentence: Sentence, begin: int, end: int, other: Subject) -> Subject | None:
    """The one function of a piece of a sentence that stands before its verb, or the one of what stands before that."""
    text = sentence.template
    for start, stop in ((begin, end), (0, begin)):
        named = [sentence.function(one) for one in re.findall(FUNCTIONS, text[start:stop])]
        several = {one.numbers: one for one in named if one.numbers != other.numbers}
        if len(several) == 1:
            return next(iter(several.values()))
        if several:
            return None
    return None


def amount_of(sentence: Sentence, begin: int, end: int) -> Amount | None:
    """How much a piece of a sentence says: one share in figures, or a word."""
    text = sentence.template
    shares = [
        (match.start(), claim)
        for match in re.finditer(FIGURES, text)
        if begin <= match.start() < end and _share(claim := sentence.figure(match[0])) is not None
    ]
    words_first = sorted(shares, key=lambda one: one[1].kind == "percentage")
    if len(shares) == 2 and [one.kind for _, one in words_first] == ["ratio", "percentage"]:
        (_, in_words), (place, claim) = words_first
        both = _of_figure(claim, place, ord(text[place]) - ord(FIGURE))
        if abs((_share(in_words) or 0.0) - (_share(claim) or 0.0)) <= ABOUT * (_share(claim) or 0.0):
            return replace(both, figures=frozenset(ord(text[at]) - ord(FIGURE) for at, _ in shares))
    if len(shares) > 1:
        return None
    if shares:
        place, claim = shares[0]
        return _of_figure(claim, place, ord(text[place]) - ord(FIGURE))
    for name, low, high in _AMOUNTS:
        for found in cue(name).finditer(text, begin, end):
            if not _NUMBER_BEHIND.match(text, found.end()):
                slack = CLOSE if name == "MOST" else OPEN
                return Amount(low, high, found.start(), found.end(), slack=slack, name=name)
    return None


def _of_figure(claim: Claim, place: int, at: int) -> Amount:
    """`over a third`, `about 40%`, `two thirds`."""
    value = _share(claim) or 0.0
    half = claim.mentions[0].half_digit / (1 if claim.kind == "ratio" else 100)
    end, figures = place + 1, frozenset({at})
    if claim.bound == "over":
        return Amount(value, 1.01, place, end, figures)
    if claim.bound == "just over":
        return Amount(value * (1 - SLIPPED), min(value * (1 + LITTLE_MORE), 1.01), place, end, figures, CLOSE)
    if claim.bound == "just under":
        return Amount(value * (1 - LITTLE_MORE), value * (1 + SLIPPED), place, end, figures, CLOSE)
    if claim.bound == "under":
        return Amount(0.0, value, place, end, figures)
    about = max(half, ABOUT * value) if claim.bound == "about" else half
    return Amount(value - about, value + about, place, end, figures, max(CLOSE, NEARLY_SO * value - about))


def _share(claim: Claim) -> float | None:
    mention = claim.mentions[0]
    if claim.kind == "percentage" and mention.dimension is Dimension.SHARE:
        return mention.value / 100
    return mention.value if claim.kind == "ratio" and mention.value < 1 else None
