"""A kind of question: its calls and its words."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from server.analyst.asked_things import would_help
from server.analyst.evidence import Evidence
from server.analyst.findings import claimed, of_causes, sentence_of
from server.analyst.forms import first_form, forms
from server.analyst.question import Intent, Question
from server.analyst.sentence_forms import asks_of_single_ones, place_asked_for
from server.analyst.wording import amount, cited, own, verb
from traces.insights.registry import DETECTORS
from traces.lazy_regex import lazy_regex

_FORMS = forms("kind")
_KNOWN_FORMS = forms("known_forms")
_SENTENCE_FORMS = forms("sentence_forms")

Call = tuple[str, dict[str, Any]]
Calls = Callable[[Question, Evidence], list[Call]]

SUMMARY: Call = ("get_trace_summary", {})
BY_SELF: Call = ("get_top_functions", {"sort_by": "self", "limit": 10})
OWN_CODE: Call = ("get_top_functions", {"sort_by": "self", "limit": 5, "my_code": True})
FINDINGS: Call = ("get_insights", {})


def nothing_more(question: Question, evidence: Evidence) -> list[Call]:
    """For kinds that one round answers."""
    return []


def always(*calls: Call) -> Calls:
    """For kinds whose first round is the same whatever is asked."""
    return lambda question, evidence: list(calls)


@dataclass(frozen=True, slots=True)
class Kind:
    """`first` are the calls of the first round, `then` of every later one until it has none (calls made already are
    left out), `write` the paragraphs of the answer."""

    first: Calls
    write: Callable[[Question, Evidence], list[str]]
    then: Calls = nothing_more


DOMINATES = 0.3
"""Self share from which one function dominates; it then takes about as much as the three next together."""
NONE_FOUND = "**No call was found to be repeated"
"""How an answer begins that is not for one with a finding of repeated calls."""
NO_MISSES = "**This trace cannot say which function"
"""How an answer begins that is for misses of the processor's caches, where none were recorded."""
WEIGHS = 0.15
"""Share from which a finding of the cause that is asked for is the answer, and not an aside."""


NAMES = {
    "n_plus_one": "query per row (N+1)",
    "lock_contention": "lock contention",
    "blocked_event_loop": "blocked event loop",
    "serial_waits": "waits one after the other",
    "regex_backtracking": "backtracking",
    "superlinear_growth": "growth with the square",
    "repeated_work": "repeated work",
    "gc_pressure": "pressure of garbage collection",
    "cold_start": "cold start",
    "outlier_call": "outlier",
    "exceptions_as_control_flow": "flow by exceptions",
    "logging": "much logging",
    "serialisation": "much serialisation",
    "oversubscription": "excess of threads",
    "cache_misses": "cache misses",
    "leak": "leak",
    "layout_thrashing": "layout thrashing",
    "main_thread_io": "files on the main thread",
}
"""What a cause is called in the sentence that denies it."""
_DECIDED = lazy_regex(
    r"^\W*(?:yes|no|not|nothing|none|partly|mostly|hardly|only|this trace cannot|how (?:often|long)|one recording|"
    r"by its calls)\b",
    re.IGNORECASE,
)


_ASKED_BY_WORD = {
    "lock_contention": _FORMS.of_locks,
    "cold_start": lazy_regex(
        r"\b(?:cold|start|boot|launch|init|warm|load|arranqu|inici|démarr|initial)|启动|起動|载|ロード", re.IGNORECASE
    ),
    "layout_thrashing": lazy_regex(r"layout|re-?flow|thrash", re.IGNORECASE),
    "oversubscription": lazy_regex(r"too many|oversubscri|zu viele|trop de|demasiad", re.IGNORECASE),
}
"""Causes that a kind is about among others: only these words ask for them."""


ONE_RECORDING = (
    "**Whether it leaks or grows, one recording alone cannot show**: take a second one later under the same load and "
    "compare."
)


_OUTSIDE = ("the database", "the network", "files and disk")
"""What is waited for outside of the program, and by no lock of it."""
_OF_FIGURES = ("**Who holds", "**Import", "**No import", "**In all ", "**Waits add up")
"""How answers begin that no cause comes before."""


def _not_that(question: Question, found: str, asked: str) -> str:
    """The no before what was found, where a lock, or what is outside of the program, is asked of and it is another
    cause; empty for any other."""
    is_lock = asked == "lock_contention" and _FORMS.of_locks.search(question.text) is not None
    if is_lock and found != asked and question.is_yes_or_no:
        return f"Not {NAMES[asked]}, as far as it was recorded."
    words = first_form("waited_for", question.text)
    if found == asked == "lock_contention" and words in _OUTSIDE:
        return f"Not {words} alone, by what was recorded: threads wait for a lock."
    return ""


def _is_of_the_work(question: Question, found: dict[str, Any], asked: str) -> bool:
    """Whether a finding is about the kind of work that is asked for: work done again is no JSON by that."""
    if question.intent is not Intent.SERIALISATION or found["cause"] == asked:
        return True
    return first_form("work", sentence_of(found)) == asked


def _is_affirmed(question: Question, found: dict[str, Any]) -> bool:
    """Whether yes or no is asked of what was found, and not of a function that is no part of it."""
    named = [name.casefold() for name in (*question.names, *question.placed)]
    about = " ".join(one["name"] for one in found["evidence"]).casefold()
    is_asked = question.understood and question.is_yes_or_no
    return is_asked and (not named or any(name in about for name in named))


def _is_of_others(question: Question, evidence: Evidence, found: dict[str, Any]) -> bool:
    """Whether the prompt names functions of the trace of which none is part of what was found."""
    spoken_of = evidence.first("get_callers_callees", frame=question.handle) if question.carried else None
    if spoken_of and question.intent is not Intent.FUNCTION:
        return spoken_of["frame"]["name"].casefold() not in sentence_of(found).casefold()
    known = [one for one in question.names if evidence.rows("find_frames", pattern=one)]
    about = sentence_of(found).casefold()
    return bool(known) and not any(name.casefold() in about for name in known)


def _denied(question: Question, evidence: Evidence, causes: tuple[str, ...], first: str) -> str:
    """The first paragraph after a plain no, where yes or no is asked of a cause that was looked for and not found."""
    listed = evidence.first("get_insights") or {}
    unknown = set(listed.get("not_applicable", ()))
    looked = [one.id for one in DETECTORS if one.cause == causes[0]]
    if any(row.get("cause") in causes for row in evidence.found()):
        return first
    asked = question.understood and question.is_yes_or_no
    of_locks = causes[0] == "lock_contention" and _FORMS.of_locks.search(question.text) is not None
    if of_locks and (asked or not _SENTENCE_FORMS.asks_what.search(question.text)):
        if _FORMS.of_locks.search(first) or not first.startswith("**Yes, it"):
            return first
        return f"**No: no {NAMES[causes[0]]} was found, only other waiting.** {first.replace('**Yes, it', '**It', 1)}"
    if (words := _ASKED_BY_WORD.get(causes[0])) and not words.search(question.text):
        return first
    if not asked or _DECIDED.match(first) or first.startswith(_OF_FIGURES) or not looked or set(looked) <= unknown:
        return first
    if causes[0] == "leak" or "leak" in causes:
        return f"{ONE_RECORDING} {first}"
    return f"**No: no {NAMES[causes[0]]} was found.** {first}"


def _outweighed(found: dict[str, Any], evidence: Evidence) -> str:
    """The function that takes more than a finding, and is no part of it, where it dominates; empty without one."""
    lead = evidence.lead
    outweighs = 0.0 if found["cause"] == "leak" else found["share"] or 0.0  # what is kept is what others made
    if lead is None or lead.row["self_share"] < max(DOMINATES, outweighs):
        return ""
    if lead.row["handle"] in [one["handle"] for one in found["evidence"]]:
        return ""
    spent = f"{own(lead.row, lead.unit)} of {amount(lead.total, lead.unit)}"
    return f"**{cited(lead.row)} takes the most**: {spent} is {verb(lead.unit)} in it itself."


def because(kind: Kind, *causes: str, of_all: bool = False) -> Kind:
    """The kind; its answer begins with the worst finding of these classes of cause, if that weighs. One that does not
    comes second. Where yes or no is asked and there is none, it begins with no. `of_all` says that the question is for
    what takes long, whatever it is: then a function that takes more than the finding comes before it."""

    def first(question: Question, evidence: Evidence) -> list[Call]:
        return [*kind.first(question, evidence), FINDINGS]

    def write(question: Question, evidence: Evidence) -> list[str]:
        found = [row for row in of_causes(evidence, causes) if _is_of_the_work(question, row, causes[0])]
        parts = kind.write(question, evidence)
        is_one_word = _FORMS.asks_if_it_computes.search(question.text) or _KNOWN_FORMS.gil.search(question.text)
        if is_one_word or would_help(question.text):
            is_new = found and sentence_of(found[0]) not in parts[0]
            return [parts[0], claimed(found[0]) if is_new else "", *parts[1:]]
        if not found:
            return [_denied(question, evidence, causes, parts[0]), *parts[1:]]
        share = found[0]["share"]
        weighs = found[0]["severity"] == "high" if share is None else share >= WEIGHS
        if weighs and (denied := _not_that(question, found[0]["cause"], causes[0])):
            return [f"**{denied}** {claimed(found[0])}", *parts]
        weighs = weighs and not _is_of_others(question, evidence, found[0])
        weighs = weighs and not (place_asked_for(question.text) or parts[0].startswith(_OF_FIGURES))
        of_figures = _FORMS.asks_a_figure.search(question.text) or asks_of_single_ones(question.text)
        weighs = weighs and not of_figures and not parts[0].startswith("**How often cannot")
        if (
            of_all
            and parts[0].startswith("**This trace cannot say")
            and _SENTENCE_FORMS.asks_what.search(question.text)
        ):
            return [parts[0], claimed(found[0]), *parts[1:]]
        if found[0]["cause"] == "leak" and question.is_yes_or_no:
            return [f"{ONE_RECORDING} {claimed(found[0])}", *parts]
        yes = "Yes: " if weighs and _is_affirmed(question, found[0]) else ""
        if (
            weighs
            and of_all
            and not yes
            and (question.intent is not Intent.MEMORY or _FORMS.who_has.search(question.text))
            and (most := _outweighed(found[0], evidence))
        ):
            return [f"{most} {claimed(found[0])}", *parts]
        if parts[0].startswith((NONE_FOUND, NO_MISSES)):  # what was found says otherwise
            return [claimed(found[0], yes), *parts[1:]]
        return [claimed(found[0], yes), *parts] if weighs else [parts[0], claimed(found[0]), *parts[1:]]

    return Kind(first, write, kind.then)
