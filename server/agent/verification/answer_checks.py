"""An answer verified by what the turn's tools returned and by the trace.

A figure is compared with the function, measure, base, profile and window that its sentence names: it is verified,
derived by a formula (`how` says which), contradicted (`actual` is what the trace says) or unchecked, where the words do
not bind it. Figures of nothing in particular are compared with what tools returned. Statements without a figure are
decided by `relations`. A bare number of at most 12 ("the three heaviest") is a claim only when it is found.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from server.agent.verification.citations import resolve_citations
from server.agent.verification.claims import Claim, Claims, Name, claims_of
from server.agent.verification.facts import Facts
from server.agent.verification.number_checks import Named, NumberVerifier
from server.agent.verification.readings.open_statements import readers
from server.agent.verification.recompute import Recomputation, as_written, last_part
from server.agent.verification.statements.bound_figures import BoundFigures
from server.agent.verification.statements.measures import Measures
from server.agent.verification.statements.named_subjects import Subjects
from server.agent.verification.statements.relations import Related, Relations
from server.agent.verification.statements.sentence_parts import Sentence, sentences_of
from server.agent.verification.verdicts import LATE, NOT_FOUND, Verification
from server.agent.verification.working_time import working_clock
from server.protocol.wire_values import Check, Citation
from traces.lazy_regex import lazy_regex
from traces.model import Trace

_NAME_LIKE = lazy_regex(r"[A-Za-z_$<(~@\[][^\s]*(?:\([^)]*\))?")
_SETTING = lazy_regex(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?:=\S*)?|--?[\w-]+(?:=\S*)?")
_HANDLE = lazy_regex(r"#?[fpns]\d+")
_PLACE = lazy_regex(r"(?P<file>[^:\s]+\.\w+)(?::(?P<line>\d+))?")
_ADVISED = lazy_regex(
    r"\b(?:use|using|try|with|such as|like|via|adopt|import|switch to|instead of|set|run|pass|add|enable|install)"
    r"\s*(?:a |an |the )?$",
    re.IGNORECASE,
)
"""What stands before a name that an answer recommends rather than found."""
_REPLACED = lazy_regex(r"\b(?:replac\w+|switch\w*|instead|swap\w*|rewrit\w+|index|stor(?:e|ing))\b", re.IGNORECASE)
_IN_PLACE = lazy_regex(r"\b(?:by|with|to|in|into|as|of)\s*(?:a |an |the )?$", re.IGNORECASE)
"""What stands before such a name in a statement about replacing something."""

CHECK_SECONDS = 1.0
"""For the rules: references have the other second. What is not reached by then stays unchecked, the answer stays."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What an answer cites, as far as it exists, what became of its claims, in order of place, and the sentences that
    were read."""

    citations: tuple[Citation, ...]
    checks: tuple[Check, ...]
    sentences: tuple[Sentence, ...] = ()

    @property
    def not_found(self) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if check.status == "not_found")


def checked(
    trace: Trace,
    answer: str,
    facts: Facts,
    question: str,
    tool_names: Sequence[str],
    *,
    clock: Callable[[], float] | None = None,
) -> Checked:
    """Every claim of an answer. Numbers and names that the question itself brought are claims only when they are
    found. What is not reached within a second of `clock` (else of work) is unchecked: the answer stays."""
    now = clock or working_clock()
    until = now() + CHECK_SECONDS

    def is_late() -> bool:
        return now() > until

    cited: dict[str, Citation] = {}
    for one in resolve_citations(trace, answer):
        cited.setdefault(one.citation.handle, one.citation)
    claims = claims_of(answer)
    recomputed, measures = Recomputation(trace), Measures(trace)
    sentences = sentences_of(answer, claims, *Subjects(trace, recomputed).of(answer, claims))
    relations = Relations(measures, facts, readers(measures, facts))
    related = [one for sentence in sentences if not is_late() for one in relations.each(sentence)]
    absent = {(subject.start, subject.end) for one in related for subject in one.absent}
    taken = {start for one in related if not one.is_reading for start in _figures(sentences, one)}
    names = _Names(claims, facts, cited, question, frozenset(tool_names), recomputed)
    made: list[tuple[int, int, str, Verification]] = []
    for name in claims.names:
        verdict = LATE if is_late() else names.verify(name)
        if verdict and not any(start <= name.start < end for start, end in absent):
            made.append((name.start, name.end, "name", verdict))
    bound = BoundFigures(measures, facts)
    numbers = NumberVerifier(claims, facts, names.named, recomputed, question, sentences, bound, is_late)
    of_figures = {claim.start: (claim, verdict) for claim, verdict in numbers.each(answer, taken)}
    for stated in related:
        figures = _figures(sentences, stated) if stated.is_reading else []
        if not figures or not all(start in of_figures and of_figures[start][1].is_decided for start in figures):
            is_figure = len(figures) == 1 and stated.start == figures[0]
            kind = _claim_at(sentences, stated).kind if is_figure else "relation"
            made.append((stated.start, stated.end, kind, stated.verdict))
            for start in figures:
                of_figures.pop(start, None)
    made += [(claim.start, claim.end, claim.kind, verdict) for claim, verdict in of_figures.values()]
    made += [(start, end, "cause", verdict) for start, end, verdict in names.causes(is_late)]
    checks = [
        Check(
            claim=answer[start:end],
            kind=kind,
            status=verdict.status,
            how=verdict.how,
            actual=verdict.actual,
            tool_call_id=verdict.call,
            start=start,
            end=end,
        )
        for start, end, kind, verdict in sorted(made, key=lambda one: one[:2])
    ]
    return Checked(tuple(cited.values()), tuple(checks), sentences)


def _figures(sentences: Sequence[Sentence], related: Related) -> list[int]:
    """Where the figures begin that a relation is about."""
    sentence = sentences[max(bisect_right(sentences, related.start, key=lambda one: one.start) - 1, 0)]
    return [sentence.figures[at].start for at in sorted(related.figures)]


def _claim_at(sentences: Sequence[Sentence], related: Related) -> Claim:
    """The figure that a relation is about."""
    sentence = sentences[max(bisect_right(sentences, related.start, key=lambda one: one.start) - 1, 0)]
    return sentence.figures[min(related.figures)]


class _Names:
    """The names of one answer. `named` fills while they are verified: what each statement speaks of."""

    def __init__(
        self,
        claims: Claims,
        facts: Facts,
        cited: dict[str, Citation],
        question: str,
        tool_names: frozenset[str],
        trace: Recomputation,
    ) -> None:
        self.named: Named = {}
        self.trace = trace
        self._claims = claims
        self._facts = facts
        self._cited = cited
        self._question = question
        self._tool_names = tool_names

    def verify(self, name: Name) -> Verification | None:
        """What became of a name; None when it claims nothing."""
        if name.handle is not None:
            return self._citation(name)
        text = name.text
        if _HANDLE.fullmatch(text) or text in self._tool_names:
            return None
        if known := known_name(text, self._facts):
            if known[0] in self._facts.functions:
                self._stand(name, known[0])
            return Verification("verified", known[1])
        for profile, call in self._facts.profiles.items():
            if len(text) > 2 and re.search(rf"(?<![\w-]){re.escape(text)}(?![\w-])", profile):
                return Verification("verified", call)
        if self.trace.frames(text):
            self._stand(name, text)
            return Verification("verified", how="it is in the trace")
        return self._place(text) or self._unknown(name)

    def _unknown(self, name: Name) -> Verification | None:
        text = name.text
        if any(f"`{text}`" in warning.text or f'"{text}"' in warning.text for warning in self.trace.warnings):
            return Verification("verified", how="a warning about the trace names it")
        if text in self._question or _SETTING.fullmatch(text) or not _NAME_LIKE.fullmatch(text):
            return None
        before = self._claims.text[max(0, name.start - 40) : name.start - 1]
        statement = self._claims.text[slice(*self._claims.statements[self._claims.statement_of(name.start)])]
        if _ADVISED.search(before) or (_REPLACED.search(statement) and _IN_PLACE.search(before)):
            return None
        return NOT_FOUND

    def _place(self, text: str) -> Verification | None:
        """A file, with or without a line, that a tool returned."""
        if place := _PLACE.fullmatch(text):
            line = int(place["line"]) if place["line"] else None
            for (file, known_line), call in self._facts.places.items():
                if file.endswith(place["file"].lstrip("…")) and line in (None, known_line):
                    return Verification("verified", call)
        return None

    def _citation(self, name: Name) -> Verification | None:
        citation = self._cited.get(name.handle or "")
        if citation is None:
            return NOT_FOUND if name.text else None
        if not citation.handle.startswith("p"):
            self._stand(name, citation.name)
        if not name.text or name.text == name.handle:
            return None
        call = known_name(name.text, self._facts)
        if same_name(name.text, citation.name):
            return Verification("verified", call[1] if call else None)
        return NOT_FOUND if call or name.is_code else None

    def _stand(self, name: Name, full: str) -> None:
        """The statement speaks of this function."""
        frames = self.trace.frames(as_written(full))
        known = self.named.setdefault(self._claims.statement_of(name.start), {})
        known[full] = frames
        known.update((self.trace.name(frame), (frame,)) for frame in frames[:4])

    def causes(self, is_late: Callable[[], bool]) -> Iterator[tuple[int, int, Verification]]:
        """Causal words with a function on either side: one must call the other, directly or through others."""
        by_statement: dict[int, list[tuple[Name, tuple[int, ...]]]] = {}
        for name in self._claims.names if self._claims.causes else ():
            if frames := self._frames_of(name):
                by_statement.setdefault(self._claims.statement_of(name.start), []).append((name, frames))
        for cause in self._claims.causes:
            names = by_statement.get(cause.statement, [])
            before = [one for one in names if one[0].end <= cause.start]
            after = [one for one in names if one[0].start >= cause.end]
            if not before or not after or set(before[-1][1]) == set(after[0][1]):
                continue
            (left, above), (right, below) = before[-1], after[0]
            if is_late():
                yield cause.start, cause.end, LATE
            elif self.trace.on_a_path(above, below):
                how = f"{left.text} and {right.text} stand on one path; whether one is the cause is not in it"
                yield cause.start, cause.end, Verification("unchecked", how=how)
            else:
                actual = f"no stack has both {left.text} and {right.text}"
                yield cause.start, cause.end, Verification("contradicted", actual=actual)

    def _frames_of(self, name: Name) -> tuple[int, ...]:
        citation = self._cited.get(name.handle or "")
        if citation is not None:
            return () if citation.handle.startswith("p") else self.trace.frames(as_written(citation.name))
        return self.trace.frames(name.text) if name.text else ()


def known_name(text: str, facts: Facts) -> tuple[str, str | None] | None:
    """The returned name that `text` stands for, and the call that returned it."""
    if text in facts.names:
        return text, facts.names[text]
    for name, call in facts.names.items():
        if same_name(text, name):
            return name, call
    return None


def same_name(said: str, name: str) -> bool:
    """Whether `said` is a way to write `name`: in full, without its call brackets, clamped with an ellipsis, or its
    last part.
    """
    said, name = said.replace("\\|", "|").removesuffix("()"), as_written(name)
    if said == name:
        return True
    if "…" in said:
        head, _, tail = said.partition("…")
        return bool(head) and name.startswith(head) and name.endswith(tail)
    return len(said) >= 3 and said == last_part(name)
