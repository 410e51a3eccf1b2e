"""Figures that a sentence says of the recording or of a thread, not of a function: lengths, totals, how many."""

import re
from collections.abc import Iterator
from dataclasses import replace

from server.agent.verification.claims import Claim
from server.agent.verification.facts import OF_UNIT
from server.agent.verification.statements.agreement import Agreement, agreement
from server.agent.verification.statements.figure_binding import of_its_thread
from server.agent.verification.statements.measure_words import words
from server.agent.verification.statements.measures import Measures
from server.agent.verification.statements.sentence_parts import FIGURE, FIGURES, Sentence, Subject
from server.agent.verification.verdicts import UNCHECKED, Verification
from server.agent.verification.written_numbers import Dimension
from traces.analysis.thread_time import thread_time
from traces.analysis.units import format_value
from traces.lazy_regex import lazy_regex
from traces.values import Counts, Unit

_THINGS = {
    "threads": r"threads?|profiles?|fils? d'exécution|hilos?",
    "samples": r"samples?|Stichproben?|échantillons?|muestras?",
    "functions": r"(?:different )?(?:functions?|frames?)|Funktionen|fonctions?|funciones",
    "calls": r"calls?|Aufrufe?|appels?|llamadas?",
}
_COUNTED = {name: lazy_regex(rf"{FIGURES}\s(?:{thing})\b", re.IGNORECASE) for name, thing in _THINGS.items()}
STATES = {
    "busy": lazy_regex(
        r"\bbusy\b|\bworks?\b|\bsaturated\b|\bfully (?:loaded|utili[sz]ed)\b|\bbeschäftigt\b|\barbeitet\b|"
        r"\bausgelastet\b|\boccupé\w*|\bsaturé\w*|\bocupad[oa]\b|\bsaturad[oa]\b",
        re.IGNORECASE,
    ),
    "waiting": lazy_regex(
        r"\bwait(?:s|ing|ed)?\b|\bblocked\b|\bwart(?:et|end|ete|en)\b|\battend(?:ait|ent)?\b|\bespera\w*", re.IGNORECASE
    ),
    "idle": lazy_regex(r"\bidle\b|\buntätig\b|\binacti\w+|\binactiv\w+", re.IGNORECASE),
}


SOME_THREAD = lazy_regex(
    r"\b(?:threads?|process(?:es)?|workers?|fils?|processus|prozess\w*|hilos?|procesos?)\b", re.IGNORECASE
)
"""A thread that is described, and not named: whose figures these are nobody knows."""
OF_NO_THREAD = replace(UNCHECKED, how="it does not say of which thread")
OF_ANOTHER_THREAD = replace(UNCHECKED, how="it is so of another thread")
MANY = 300
"""Profiles that are looked at."""


def judged(measures: Measures, sentence: Sentence, at: int, claim: Claim) -> Verification | None:
    """What becomes of a figure in a sentence that names no function; None when it is of nothing known here."""
    if claim.kind in ("ratio", "window") or words("HYPOTHETICAL").search(sentence.template):
        return None
    is_alone = len(measures.trace.profiles) == 1 and any(way.search(sentence.template) for way in STATES.values())
    if is_alone and not sentence.threads:
        own = Subject("the thread", (0,), sentence.start, sentence.start)
        found = _of_thread(measures, replace(sentence, threads=(own,)), at, claim)
        if found is not None and found.is_proven:
            return found
    if sentence.threads:
        return _of_thread(measures, sentence, at, claim)
    if _is_of_some_thread(measures, sentence, claim):
        return OF_NO_THREAD
    return _of_things(measures, sentence, at, claim) or _of_all(measures, sentence, claim)


def _is_of_some_thread(measures: Measures, sentence: Sentence, claim: Claim) -> bool:
    """Whether it is how long a thread is busy, waits or idles, of a recording of several, and nobody says which."""
    if claim.mentions[0].dimension not in (Dimension.SHARE, Dimension.TIME) or words("RECORDING").search(
        sentence.template
    ):
        return False
    says = any(pattern.search(sentence.template) for pattern in (*STATES.values(), SOME_THREAD))
    return says and sum(thread_time(measures.trace, one) is not None for one in measures.trace.profiles[:MANY]) > 1


def _of_thread(measures: Measures, sentence: Sentence, at: int, claim: Claim) -> Verification | None:
    its_own = of_its_thread(sentence, at)
    is_alone = len(sentence.figures) == 1 or len(its_own.threads) < len(sentence.threads)
    sentence = its_own
    states = [name for name, pattern in STATES.items() if pattern.search(sentence.template)]
    times = [
        time
        for one in sentence.threads
        for number in one.numbers[:4]
        if (time := thread_time(measures.trace, measures.trace.profiles[number])) and time.length
    ]
    mention, shown, found = claim.mentions[0], "", []
    for time in times:
        for state in ("busy", "waiting", "idle"):
            value: int = getattr(time, state)
            share = 100 * value / time.length
            if state in states or not states:
                if mention.dimension is Dimension.SHARE:
                    found.append(agreement(share, mention, claim.bound))
                elif mention.dimension is Dimension.TIME:
                    found.append(agreement(value, mention, claim.bound))
            shown += f"{', ' if shown else ''}{format_value(value, Unit.NANOSECONDS)} ({share:.1f}%) {state}"
    if Agreement.RIGHT in found:
        return Verification("verified", how=shown)
    if len(states) == 1 and found and Agreement.NEARLY not in found and len(times) == 1 and is_alone:
        return Verification("contradicted", actual=shown)
    return OF_ANOTHER_THREAD if _is_of_another(measures, sentence, claim) else None


def _is_of_another(measures: Measures, sentence: Sentence, claim: Claim) -> bool:
    """Whether a time is how long a thread is busy that the sentence does not name for it."""
    if claim.mentions[0].dimension is not Dimension.TIME:
        return False
    named = {number for one in sentence.threads for number in one.numbers}
    for profile in measures.trace.profiles[:MANY]:
        time = thread_time(measures.trace, profile) if profile.index not in named else None
        if time is not None and agreement(time.busy, claim.mentions[0], claim.bound) is Agreement.RIGHT:
            return True
    return False


def _of_things(measures: Measures, sentence: Sentence, at: int, claim: Claim) -> Verification | None:
    text = sentence.template
    mention = claim.mentions[0]
    place = text.find(chr(ord(FIGURE) + at))
    if mention.dimension is not Dimension.COUNT:
        return None
    for name, pattern in _COUNTED.items():
        if pattern.match(text, place):
            known = set(_numbers(measures, name))
            if any(agreement(value, mention, claim.bound) is Agreement.RIGHT for value in known):
                return Verification("verified", how=f"{name} of the trace")
            of_all = words("RECORDING").search(text) and (words("THERE").search(text) or name == "threads")
            if known and of_all and claim.bound is None:
                return Verification("contradicted", actual=" or ".join(f"{value:,}" for value in sorted(known)))
    return None


def _numbers(measures: Measures, name: str) -> Iterator[int]:
    trace = measures.trace
    if name == "threads":
        yield len(trace.profiles)
        yield len({(profile.pid, profile.tid) for profile in trace.profiles if profile.tid})
    elif name == "functions":
        yield len(trace.frames)
        yield len(measures.unnamed[0].total_order)
    else:
        kind = Counts.CALLS if name == "calls" else Counts.SAMPLES
        for profile in trace.profiles:
            if profile.counts is kind:
                yield int(profile.tree.count.sum())
                if profile.samples is not None:
                    yield len(profile.samples)
        yield sum(int(profile.tree.count.sum()) for profile in trace.profiles if profile.counts is kind)


def _of_all(measures: Measures, sentence: Sentence, claim: Claim) -> Verification | None:
    text, mention, trace = sentence.template, claim.mentions[0], measures.trace
    if not (words("RECORDING").search(text) and words("LONG").search(text)):
        return None
    found = [(scope.total, scope.dimension, scope.written(scope.total)) for scope in measures.unnamed]
    lengths = [trace.duration_ns or 0, trace.recorded_for_ns or 0]
    lengths += [int(p.axis_end - p.axis_start) for p in trace.profiles if p.has_times]
    found += [(float(one), Dimension.TIME, format_value(one, Unit.NANOSECONDS)) for one in lengths if one]
    for profile in trace.profiles:
        value = profile.values[profile.default_value]
        total = float(profile.tree.total_values[profile.default_value][profile.tree.parent < 0].sum())
        found.append((total, OF_UNIT[value.unit], format_value(total, value.unit)))
    alike = [
        (agreement(value, mention, claim.bound), shown) for value, unit, shown in found if unit is mention.dimension
    ]
    if any(agrees is Agreement.RIGHT for agrees, _ in alike):
        return Verification("verified", how="the recording's")
    if not alike or any(agrees is Agreement.NEARLY for agrees, _ in alike):
        return replace(UNCHECKED)
    return Verification("contradicted", actual=alike[0][1]) if len(sentence.figures) == 1 else None
