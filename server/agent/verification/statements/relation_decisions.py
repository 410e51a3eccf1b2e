"""What the trace says of a relation that a sentence states: each answer with what is so instead."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from server.agent.verification.facts import Facts
from server.agent.verification.statements.measure_words import words
from server.agent.verification.statements.measures import Measures
from server.agent.verification.statements.sentence_parts import Sentence, Subject
from server.agent.verification.statements.shared_figures import scopes_of
from server.agent.verification.statements.stack_relations import StackRelations
from server.agent.verification.verdicts import UNCHECKED, Verification
from traces.analysis.thread_time import ThreadTime, busy_time, thread_time
from traces.lazy_regex import lazy_regex
from traces.values import Counts, ProfileKind, Unit

MOST = 0.5
NEARLY_ALL = 0.8
MIXED = 0.45
"""A part between this and MOST is neither most nor clearly not."""
BELOW_MOST = 0.1
"""So far below `nearly all` or `most` a share is neither."""
NEARLY_AS_BUSY = 0.02
"""Threads that differ by less are both the busiest: their profiles are of samples and of tasks."""

_DIRECTLY = lazy_regex(
    r"\b(?:directly|straight)\b|\bdirekt\b|\bdirectement\b|\bunmittelbar\b|\b(?:without|sans|ohne)\b[^.]{0,12}\b(?:between|inter\w+|Umweg)",
    re.IGNORECASE,
)
By = Literal["self", "total", "count"]
Answer = tuple[bool | None, str]


@dataclass(frozen=True, slots=True)
class Stated:
    """A relation as a sentence states it: `a` to `b`, on thread `t`, at place or in number `number`."""

    sentence: Sentence
    relation: str
    is_denied: bool
    a: Subject | None
    b: Subject | None
    t: Subject | None
    number: int | None
    is_most: bool


class RelationDecisions:
    """Answers about one trace. A relation whose function or thread the trace does not have stays open."""

    def __init__(self, measures: Measures, facts: Facts) -> None:
        self._measures = measures
        self._facts = facts
        self._stacks = StackRelations(measures)
        self._of_one: dict[str, Callable[[Stated, Subject], Answer]] = {
            "recursive": self._recursive,
            "leaf": self._leaf,
            "root": self._root,
            "callers": self._callers,
            "grows": lambda _, a: self._stacks.grows(a.numbers),
            "called times": self._called_times,
        }
        self._of_two: dict[str, Callable[[Stated, Subject, Subject], Answer]] = {
            "calls": self._calls,
            "only caller": self._only_caller,
            "only callee": self._only_callee,
            "above": self._above,
            "before": lambda _, a, b: self._stacks.begins_before(a.numbers, b.numbers),
            "as often": self._as_often,
        }
        self._by_value: dict[str, Callable[[Stated, Subject], Verification]] = {
            "most time": lambda stated, a: self._most(stated.sentence, a),
            "hottest": lambda stated, a: self.ranked(stated.sentence, a, 1),
            "rank": lambda stated, a: self.ranked(stated.sentence, a, stated.number),
            "most called": lambda stated, a: self._most_called(stated.sentence, a),
            "changed": lambda stated, a: self._changed(a, stated.sentence.template),
        }

    def decided(self, stated: Stated) -> Verification:
        """What becomes of it."""
        a, b, t, relation = stated.a, stated.b, stated.t, stated.relation
        if t is not None and relation in ("waits", "busy", "idle"):
            return self._thread_mostly(t, relation)
        if t is not None and relation == "busiest":
            return self._busiest(t)
        if relation == "absent":
            return self._closed(stated, (a is None or not self._stacks.occurs(a.numbers), "it is in the trace"))
        if a is None:
            return UNCHECKED
        if relation in self._by_value:
            return self._by_value[relation](stated, a)
        if b is not None and relation == "share below":
            return self._share_below(stated.sentence, a, b, MOST if stated.is_most else NEARLY_ALL)
        if b is not None and relation in self._of_two:
            return self._closed(stated, self._of_two[relation](stated, a, b))
        if b is not None and relation == "mostly called by":
            return self._mostly_called(stated.sentence, a, b)
        if t is not None and relation in ("on thread", "only on thread"):
            return self._closed(stated, self._on_thread(stated, a, t))
        return self._closed(stated, self._of_one[relation](stated, a)) if relation in self._of_one else UNCHECKED

    def _closed(self, stated: Stated, answer: Answer) -> Verification:
        is_so, actual = answer
        if is_so is None:
            return UNCHECKED
        if is_so is not stated.is_denied:
            return Verification("verified", how=actual if stated.is_denied or stated.relation == "callers" else None)
        return Verification("contradicted", actual=actual or None)

    def _recursive(self, _: Stated, a: Subject) -> Answer:
        is_so = self._stacks.is_recursive(a.numbers)
        return is_so, "it calls itself" if is_so else "it is never below itself"

    def _leaf(self, _: Stated, a: Subject) -> Answer:
        callees = self._stacks.callees(a.numbers)
        scope = self._measures.unnamed[0]
        if callees and not self._measures.flow(a.numbers, tuple(callees), scope):
            return None, ""  # Heap profiles have stacks of which nothing is left.
        return not callees, f"it calls {self._stacks.listed(callees)}"

    def _root(self, _: Stated, a: Subject) -> Answer:
        callers = self._stacks.callers(a.numbers) - set(a.numbers)
        return not callers, f"its callers are {self._stacks.listed(callers)}"

    def _callers(self, stated: Stated, a: Subject) -> Answer:
        count = len(self._stacks.callers(a.numbers) - set(a.numbers))
        return count == stated.number, f"{count}"

    def _called_times(self, stated: Stated, a: Subject) -> Answer:
        """By any of the profiles that the sentence may mean, where calls are counted."""
        found = [
            one for scope in scopes_of(self._measures, stated.sentence) for one in self._measures.of(a.numbers, scope)
        ]
        counts = [one for one in found if one.measure == "calls"]
        if not counts or stated.number is None or a.is_one_place:
            return None, ""
        return any(one.value == stated.number for one in counts), f"{counts[0].written} calls"

    def _only_caller(self, _: Stated, a: Subject, b: Subject) -> Answer:
        callers = self._stacks.callers(b.numbers) - set(b.numbers)
        return bool(callers) and callers <= set(a.numbers), f"its callers are {self._stacks.listed(callers)}"

    def _only_callee(self, _: Stated, a: Subject, b: Subject) -> Answer:
        callees = self._stacks.callees(a.numbers)
        return bool(callees) and callees <= set(b.numbers), f"it calls {self._stacks.listed(callees)}"

    def _above(self, _: Stated, a: Subject, b: Subject) -> Answer:
        is_turned = self._stacks.is_above(b.numbers, a.numbers)
        actual = f"{b.text} stands above {a.text}" if is_turned else "no stack has both so"
        return self._stacks.is_above(a.numbers, b.numbers), actual

    def _on_thread(self, stated: Stated, a: Subject, t: Subject) -> Answer:
        is_so = self._stacks.runs_on(a.numbers, t.numbers)
        if stated.relation == "only on thread":
            is_so = is_so and not self._stacks.runs_elsewhere(a.numbers, t.numbers)
        return is_so, f"it runs on {self._stacks.threads(a.numbers)}"

    def _calls(self, stated: Stated, a: Subject, b: Subject) -> Answer:
        stacks = self._stacks
        if stacks.calls(a.numbers, b.numbers):
            return True, f"{a.text} calls {b.text}"
        if stacks.is_above(a.numbers, b.numbers):
            is_open = stated.is_denied or stacks.calls(b.numbers, a.numbers)
            if _DIRECTLY.search(stated.sentence.template):
                return False, f"the callers of {b.text} are {stacks.listed(stacks.callers(b.numbers))}"
            return (None, "") if is_open else (True, "through others")
        if stacks.is_above(b.numbers, a.numbers):
            return False, f"{b.text} calls {a.text}"
        if self._may_lack_callers(a, b) and stacks.callers(a.numbers) & stacks.callers(b.numbers):
            return None, ""
        return False, f"the callers of {b.text} are {stacks.listed(stacks.callers(b.numbers))}"

    def _may_lack_callers(self, a: Subject, b: Subject) -> bool:
        """Whether both are sampled machine code without lines: its stacks are walked by frame pointers, and a function
        that has just been entered seems to be called by its caller's caller."""
        trace = self._measures.trace
        lines = trace.frames.line[[*a.numbers, *b.numbers]]
        return bool((lines < 0).all()) and all(one.kind is ProfileKind.SAMPLED for one in trace.profiles)

    def ranked(self, sentence: Sentence, a: Subject, place: int | None) -> Verification:
        """A function's place among all, by self unless the sentence says otherwise."""
        by = by_of(sentence.template)
        wrong = ""
        if place is None or words("QUALIFIED").search(sentence.template):
            return UNCHECKED
        for scope in scopes_of(self._measures, sentence):
            orders = {"self": scope.self_order, "total": scope.total_order, "count": scope.count_order}
            values = {
                "self": scope.by_frame.self_value,
                "total": scope.by_frame.total_value,
                "count": scope.by_frame.count,
            }
            order, value = orders[by[0]], values[by[0]]
            if place > len(order):
                continue
            there = {value[order[place - 1]]}
            functions = [frame for frame in order if not NO_FUNCTION.fullmatch(self._measures.trace.frame_name(frame))]
            there |= {value[frame] for frame in functions[place - 1 : place]}
            if any(value[frame] in there for frame in a.numbers):
                return Verification("verified", how=f"place {place} by {by[0]} in {scope.chosen.handle}")
            if len(by) > 1 and any(frame in scope.total_order[place - 1 : place] for frame in a.numbers):
                return UNCHECKED
            if sentence.window is not None and (
                scope.window is None
                or len(self._measures.trace.profiles) > 1
                or any(frame in order[: place + 1] for frame in a.numbers)
            ):
                return UNCHECKED
            name = self._measures.trace.frame_name(order[place - 1])
            wrong = wrong or f"place {place} by {by[0]} is {name[:60]}"
        return Verification("contradicted", actual=wrong) if wrong else UNCHECKED

    def _most_called(self, sentence: Sentence, a: Subject) -> Verification:
        """Only where calls are counted; `is the most called of its module` is open."""
        if words("QUALIFIED").search(sentence.template):
            return UNCHECKED
        scopes = [scope for scope in scopes_of(self._measures, sentence) if scope.chosen.counts is Counts.CALLS]
        for scope in scopes:
            if any(frame in scope.count_order[:1] for frame in a.numbers):
                return Verification("verified", how=f"{scope.by_frame.count[a.numbers[0]]:,} calls")
        if not scopes or not scopes[0].count_order:
            return UNCHECKED
        first = scopes[0].count_order[0]
        name = self._measures.trace.frame_name(first)
        return Verification("contradicted", actual=f"{name[:60]} has {scopes[0].by_frame.count[first]:,} calls")

    def _most(self, sentence: Sentence, a: Subject) -> Verification:
        scope = scopes_of(self._measures, sentence)[0]
        own, total = scope.under(None, a.numbers)
        share = max(own, total) / scope.total if scope.total else 0.0
        first = bool(scope.self_order) and scope.self_order[0] in a.numbers
        if share >= MOST or first:
            return Verification("verified", how=f"{100 * share:.1f}% with what it calls")
        return Verification("contradicted", actual=f"{100 * share:.1f}% with what it calls")

    def _share_below(self, sentence: Sentence, a: Subject, b: Subject, least: float) -> Verification:
        scope = scopes_of(self._measures, sentence)[0]
        total = scope.under(None, a.numbers)[1]
        if not total:
            return UNCHECKED
        share = scope.under(scope.mask(a.numbers), b.numbers)[1] / total
        shown = f"{b.text[:60]} is {100 * share:.1f}% of {a.text[:60]}"
        if share >= least:
            return Verification("derived", how=shown)
        return Verification("contradicted", actual=shown) if share < least - BELOW_MOST else UNCHECKED

    def _mostly_called(self, sentence: Sentence, caller: Subject, callee: Subject) -> Verification:
        """By what passes from the one to the other, as a part of all that the callee takes."""
        scope = scopes_of(self._measures, sentence)[0]
        total = scope.under(None, callee.numbers)[1]
        if not total:
            return UNCHECKED
        share = self._measures.flow(caller.numbers, callee.numbers, scope) / total
        shown = f"{100 * share:.1f}% of {callee.text[:60]} is called by {caller.text[:60]}"
        if share > MOST:
            return Verification("derived", how=shown)
        return UNCHECKED if share > MIXED else Verification("contradicted", actual=shown)

    def _thread_mostly(self, thread: Subject, what: str) -> Verification:
        trace = self._measures.trace
        found: list[ThreadTime] = [
            time
            for number in thread.numbers[:4]
            if (time := thread_time(trace, trace.profiles[number])) and time.length
        ]
        if not found:
            return UNCHECKED
        time = found[0]
        shares = {"busy": time.busy, "waiting": time.waiting, "idle": time.idle}
        part = shares["waiting" if what == "waits" else what] / time.length
        shown = ", ".join(f"{100 * value / time.length:.0f}% {name}" for name, value in shares.items())
        if part > MOST:
            return Verification("verified", how=shown)
        if part > MIXED or (what == "waits" and time.unknown + time.waiting > MIXED * time.length):
            return UNCHECKED
        return Verification("contradicted", actual=shown)

    def _busiest(self, thread: Subject) -> Verification:
        """By what threads are busy, all profiles of one thread as the longest of them."""
        trace = self._measures.trace
        busy = {profile.index: busy_time(trace, profile) for profile in trace.profiles}
        most = max(busy, key=lambda index: busy[index])
        if any(busy[number] >= busy[most] * (1 - NEARLY_AS_BUSY) for number in thread.numbers):
            return Verification("verified", how=f"{busy[thread.numbers[0]] / 1e6:,.3g} ms busy")
        is_known = trace.profiles[most].unit is Unit.NANOSECONDS and len(thread.numbers) == 1
        actual = f"{trace.profiles[most].name[:60]} is busier"
        return Verification("contradicted", actual=actual) if is_known else UNCHECKED

    def _as_often(self, _: Stated, a: Subject, b: Subject) -> Answer:
        scope = self._measures.unnamed[0]
        counts = [
            next((m for m in self._measures.of(one.numbers, scope) if m.measure == "calls"), None) for one in (a, b)
        ]
        if counts[0] is None or counts[1] is None:
            return None, ""
        return counts[0].value == counts[1].value, f"{counts[0].written} and {counts[1].written} calls"

    def _changed(self, a: Subject, text: str) -> Verification:
        """By the comparison that a tool made: a function that was not there before did not grow."""
        for compared in self._facts.comparisons:
            if not compared.is_related:
                return Verification("contradicted", actual="the recordings compared are not of one program")
            names = {self._measures.trace.frame_name(frame) for frame in a.numbers}
            for name, status, change in compared.rows:
                if name in names:
                    if status == "new":
                        return Verification("contradicted", actual="it is not in the recording before")
                    is_less = words("SMALLER").search(text) is not None
                    shown = f"changed by {change:+.6g} ({status})"
                    if change == 0 or status == "same":
                        return Verification("contradicted", actual="it did not change")
                    agrees = (change < 0) is is_less
                    return Verification("verified", how=shown) if agrees else Verification("contradicted", actual=shown)
        return UNCHECKED


_RELATIVE = lazy_regex(r"\b(?:that|which|who|what) (?:calls?|called|invokes?)\b", re.IGNORECASE)
"""`the code that calls it` ranks nothing by calls."""


NO_FUNCTION = lazy_regex(r"\((?!anonymous)[^()]*\)|\[root\]|root|all|<module>|Garbage Collection|RunTask")
"""What profilers write for time that is in no function: a function that only these come before is the first."""


def by_of(text: str) -> tuple[By, ...]:
    """By which value functions are ranked or compared, by the words of a sentence: self first where none says."""
    bare = _RELATIVE.sub(" ", words("BASE").sub(" ", text))
    own, total = words("SELF").search(bare), words("TOTAL").search(bare)
    if own and not total:
        return ("self",)
    if total and not own:
        return ("total",)
    return ("count",) if words("CALLS").search(bare) else ("self", "total")
