"""An answer verified: figures that are links by their addresses, everything else by the rules for sentences."""

import re
from collections.abc import Iterator, Sequence

from server.agent.verification.answer_checks import Checked, checked
from server.agent.verification.claims import HEDGED_BY, Bound, hedge, hedge_behind
from server.agent.verification.facts import Facts
from server.agent.verification.references.addresses import Address
from server.agent.verification.references.figure_checks import FigureVerdict, figure_verdicts
from server.agent.verification.references.figure_links import FigureLink, ShownText, figures_of_prose, shown_text
from server.agent.verification.references.figure_subjects import FigureSubjects
from server.agent.verification.references.figure_values import FigureValues
from server.agent.verification.references.tool_results import Conversation
from server.agent.verification.statements.sentence_parts import SHOWN, Sentence
from server.agent.verification.verdicts import AMBIGUOUS
from server.protocol.wire_values import Check, FigurePlace, Window
from traces.model import Trace

NO_RESULTS = Conversation()
_DIGIT = re.compile(r"\d")


def checked_answer(
    trace: Trace,
    answer: str,
    facts: Facts,
    question: str,
    tool_names: Sequence[str],
    conversation: Conversation = NO_RESULTS,
) -> Checked:
    """Every claim of an answer, in order of place. The rules read what people read: labels without addresses. A figure
    that is right of its address is contradicted where its sentence claims it of something else.
    """
    shown = shown_text(answer)
    by_rules = checked(trace, shown.text, facts, question, tool_names)
    links = list(figures_of_prose(answer))
    if not links:
        return by_rules
    bounds = [_bound(answer, link) for link in links]
    verdicts = list(figure_verdicts(FigureValues(trace, conversation), answer, links, bounds))
    taken = [(link.opens, link.closes) for link in links]
    moved = [_moved(one, shown) for one in by_rules.checks]
    kept = [check for check in moved if _overlapped(taken, check) is None]
    wrong = {
        _overlapped(taken, check): check
        for check in moved
        if check.status == "contradicted" or (check.status, check.how) == (AMBIGUOUS.status, AMBIGUOUS.how)
    }
    subjects = FigureSubjects(trace, by_rules.sentences, question)
    places = dict(_places(by_rules.sentences, shown, taken))
    every = [
        *kept,
        *(
            _decided(verdict, wrong.get(number), _why(subjects, places.get(number), verdict))
            for number, verdict in enumerate(verdicts)
        ),
    ]
    return Checked(by_rules.citations, tuple(sorted(every, key=lambda check: check.start)), by_rules.sentences)


def _places(
    sentences: Sequence[Sentence], shown: ShownText, taken: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, tuple[int, int]]]:
    """For each link its sentence, and which figure of it it is."""
    for at, sentence in enumerate(sentences):
        for place, claim in enumerate(sentence.figures[:SHOWN]):
            link = _link_at(taken, shown.place(claim.start), shown.place(claim.end, is_end=True))
            if link is not None:
                yield link, (at, place)


def _why(subjects: FigureSubjects, place: tuple[int, int] | None, verdict: FigureVerdict) -> str | None:
    """Why what is right of its address does not show that its sentence is true."""
    address = verdict.link.address
    if place is None or verdict.value is None:
        return None
    if not verdict.value.frames:
        is_of_thread = isinstance(address, Address) and address.other is None and address.figure.subject[0] == "p"
        if not is_of_thread or not isinstance(address, Address):
            return None
        return subjects.why_not_of_thread(place[0], int(address.figure.subject[1:]), address.figure.measure)
    measure = address.figure.measure if isinstance(address, Address) and address.other is None else ""
    return subjects.why_unchecked(*place, verdict.value.frames, measure)


def _moved(check: Check, shown: ShownText) -> Check:
    places = {"start": shown.place(check.start), "end": shown.place(check.end, is_end=True)}
    return check.model_copy(update=places)


def _overlapped(taken: Sequence[tuple[int, int]], check: Check) -> int | None:
    """Which figure's link has a claim of the same place."""
    if check.kind not in ("number", "percentage", "ratio", "count", "window"):
        return None
    return _link_at(taken, check.start, check.end)


def _link_at(taken: Sequence[tuple[int, int]], start: int, end: int) -> int | None:
    """The link in which a place of the answer lies; links come in order."""
    low, high = 0, len(taken)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if taken[middle][1] <= start else (low, middle)
    return low if low < len(taken) and taken[low][0] < end else None


def _decided(verdict: FigureVerdict, by_rules: Check | None, why: str | None) -> Check:
    """A figure's check. What is of one function by its address is contradicted where its sentence claims it of another,
    and unchecked where `why` says so; the rules know less than the address of one path, of what a tool returned, and of
    sums.
    """
    check, address = _check(verdict), verdict.link.address
    if check.status not in ("verified", "derived") or not isinstance(address, Address):
        return check
    if by_rules is not None and _is_for_rules(address):
        return check.model_copy(update={"status": by_rules.status, "how": by_rules.how, "actual": by_rules.actual})
    if why is not None:
        return check.model_copy(update={"status": "unchecked", "how": f"{verdict.how}; {why}"})
    return check


def _is_for_rules(address: Address) -> bool:
    """Of one function, or how many times as much it is as another."""
    if address.other is None:
        return address.figure.subject[0] == "f"
    one, other = address.figure, address.other
    is_of_two = one.subject != other.subject and one.subject[0] == other.subject[0] == "f"
    return address.operator == "/" and is_of_two and one.measure == other.measure


def _bound(answer: str, link: FigureLink) -> Bound | None:
    """Whether a figure is hedged, before its link, behind it or in its label."""
    before = answer[max(0, link.opens - HEDGED_BY) : link.opens]
    return hedge(before + _DIGIT.split(link.label, maxsplit=1)[0]) or hedge_behind(
        answer[link.closes : link.closes + HEDGED_BY]
    )


def _check(verdict: FigureVerdict) -> Check:
    link = verdict.link
    return Check(
        claim=link.label,
        kind=verdict.kind,
        status=verdict.status,
        how=verdict.how,
        actual=verdict.actual,
        tool_call_id=verdict.call,
        address=str(link.address) if verdict.value is not None else None,
        place=_place(verdict),
        start=link.start,
        end=link.end,
    )


def _place(verdict: FigureVerdict) -> FigurePlace | None:
    found = verdict.value.place if verdict.value is not None else None
    if found is None:
        return None
    window = None if found.window is None else Window(start=found.window[0], end=found.window[1])
    return FigurePlace(handle=found.handle, profile=found.profile, window=window)
