"""The statements of an answer with what each speaks of: functions, threads and figures, at their places.

`template` is a statement in which each of these is one character, so that patterns of words can say who calls whom in
whatever way the names are written.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypedDict

from server.agent.verification.citations import CITATION
from server.agent.verification.claims import Claim, Claims

FUNCTION, THREAD, FIGURE, UNKNOWN = (chr(0xE000 + 0x400 * kind) for kind in range(4))
"""The first of 1,024 characters for each kind of thing; all are of Unicode's private use."""
KINDS = 0x400
FUNCTIONS = f"[{FUNCTION}-{chr(ord(FUNCTION) + KINDS - 1)}]"
THREADS = f"[{THREAD}-{chr(ord(THREAD) + KINDS - 1)}]"
FIGURES = f"[{FIGURE}-{chr(ord(FIGURE) + KINDS - 1)}]"
UNKNOWNS = f"[{UNKNOWN}-{chr(ord(UNKNOWN) + KINDS - 1)}]"
_PRIVATE = re.compile("[\ue000-\uefff]")
_RULE = re.compile(r"\s*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?\s*")
"""The row under a table's first one."""
SHOWN = 64
"""Things of one kind in one statement that get a character: no sentence says something of more."""
LONGEST = 4_000
"""Characters of a statement that are read: past it nothing is bound, so that no answer takes long."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A function (its frames) or a thread (its profiles) where a statement names it; `is_one_place` where its handle is
    of one call or one path, which has figures of its own."""

    text: str
    numbers: tuple[int, ...]
    start: int
    end: int
    is_one_place: bool = False


@dataclass(frozen=True)
class Sentence:
    """One statement: `start` to `end` of the answer. `unknown` are names that the trace does not have, `header` is the
    first row of the table whose row it is."""

    number: int
    start: int
    end: int
    text: str
    functions: tuple[Subject, ...]
    threads: tuple[Subject, ...]
    unknown: tuple[Subject, ...]
    figures: tuple[Claim, ...]
    header: str | None = None
    is_header: bool = False

    @cached_property
    def _pieces(self) -> tuple[str, list[int]]:
        named = [(one.start, one.end, FUNCTION, at) for at, one in enumerate(self.functions[:SHOWN])]
        named += [(one.start, one.end, THREAD, at) for at, one in enumerate(self.threads[:SHOWN])]
        named += [(one.start, one.end, UNKNOWN, at) for at, one in enumerate(self.unknown[:SHOWN])]
        named += [(one.start, one.end, FIGURE, at) for at, one in enumerate(self.figures[:SHOWN])]
        parts, places, at = [], [], self.start
        for start, end, kind, index in sorted(named):
            if start < at:
                continue
            parts += [_PRIVATE.sub(" ", self.text[at - self.start : start - self.start]), chr(ord(kind) + index)]
            places += [*range(at, start), start]
            at = end
        parts.append(_PRIVATE.sub(" ", self.text[at - self.start :]))
        places += range(at, self.end + 1)
        return "".join(parts), places

    @property
    def is_readable(self) -> bool:
        return self.end - self.start <= LONGEST

    @cached_property
    def window(self) -> tuple[float, float] | None:
        """The time range of which it speaks, in nanoseconds after the start; None for all."""
        found = [one for one in self.figures if one.kind == "window" and len(one.mentions) == 2]
        return (found[0].mentions[0].value, found[0].mentions[1].value) if found else None

    @property
    def template(self) -> str:
        return self._pieces[0]

    def place(self, at: int) -> int:
        """Where a character of the template begins in the answer."""
        places = self._pieces[1]
        return places[min(at, len(places) - 1)]

    def end_of(self, at: int) -> int:
        """Where the character of the template before `at` ends in the answer."""
        last = self.template[at - 1 : at]
        if last and FUNCTION <= last <= "\uefff":
            kind, index = divmod(ord(last) - ord(FUNCTION), KINDS)
            things: Sequence[Subject | Claim] = (self.functions, self.threads, self.figures, self.unknown)[kind]
            return things[index].end
        return self.place(at - 1) + 1

    def function(self, character: str) -> Subject:
        return self.functions[ord(character) - ord(FUNCTION)]

    def thread(self, character: str) -> Subject:
        return self.threads[ord(character) - ord(THREAD)]

    def figure(self, character: str) -> Claim:
        return self.figures[ord(character) - ord(FIGURE)]


def sentences_of(
    answer: str, claims: Claims, functions: Sequence[Subject], threads: Sequence[Subject], unknown: Sequence[Subject]
) -> tuple[Sentence, ...]:
    """Every statement of an answer, in order. Other code than names is left out of what is read."""
    known = {one.start for group in (functions, threads, unknown) for one in group}
    code = [(name.start - 1, name.end + 1) for name in claims.names if name.is_code and name.handle is None]
    pieces, at = [], 0
    for start, end in code:
        if start not in known and start >= at:
            pieces += [answer[at:start], " " * (end - start)]
            at = end
    shown = "".join([*pieces, answer[at:]])
    starts = [start for start, _ in claims.statements]
    groups: list[tuple[list[Subject], list[Subject], list[Subject], list[Claim]]]
    groups = [([], [], [], []) for _ in starts]
    for kind, subjects in enumerate((functions, threads, unknown)):
        for one in _without_overlaps(subjects):
            groups[_at(starts, one.start)][kind].append(one)  # type: ignore[arg-type]
    for claim in claims.numbers:
        of_names = groups[claim.statement][1]
        if not any(one.start <= claim.start < one.end for one in of_names):
            groups[claim.statement][3].append(claim)
    headers = _headers([shown[start:end] for start, end in claims.statements])
    return tuple(
        Sentence(number, start, end, shown[start:end], *(tuple(group) for group in groups[number]), **headers[number])  # type: ignore[arg-type]
        for number, (start, end) in enumerate(claims.statements)
    )


class _InTable(TypedDict):
    header: str | None
    is_header: bool


def _headers(texts: Sequence[str]) -> list[_InTable]:
    """For each statement the first row of its table (none for others, and for that row), and whether it is one."""
    found: list[_InTable] = []
    header: str | None = None
    for text, behind in zip(texts, [*texts[1:], ""], strict=True):
        is_row = text.lstrip().startswith("|")
        is_header = is_row and _RULE.fullmatch(behind) is not None
        header = text if is_header else header if is_row else None
        found.append({"header": None if is_header else header, "is_header": is_header})
    return found


def _at(starts: Sequence[int], place: int) -> int:
    return max(bisect_right(starts, place) - 1, 0)


def _without_overlaps(subjects: Sequence[Subject]) -> Iterator[Subject]:
    end = -1
    for one in sorted(subjects, key=lambda subject: (subject.start, -subject.end)):
        if one.start >= end:
            end = one.end
            yield one


def outer_places(answer: str) -> dict[int, tuple[int, int]]:
    """For the beginning of each citation's label, where the citation as a link begins and ends."""
    found = {}
    for match in CITATION.finditer(answer):
        if match["label"]:
            start = match.start("label") + (1 if match["label"].startswith("`") else 0)
            found[start] = (match.start(), match.end())
    return found
