"""What kind of figure a prompt asks for, and whether the answer's first paragraph has one: an average is no answer to
`which of the two`, and a length none to `how many`. Where it has none, the answer says so, and what can be asked.
"""

import re

from server.agent.memory.word_stem import stem
from server.agent.verification.references.figure_links import without_addresses
from server.analyst.evidence import Evidence
from server.analyst.forms import forms, word_list
from server.analyst.intent import Intent, intents
from server.analyst.kinds.spoken_names import NO_PART
from server.analyst.nearest_intent import asked_with
from server.analyst.question import Question
from server.analyst.unread_words import is_of_asking
from server.analyst.wording import coded
from traces.lazy_regex import lazy_regex

_FORMS = forms("asked_figures")

_ASKED, _GIVEN = forms("figures_asked"), forms("figures_given")
_KINDS = {
    "compared": "one thing set against another",
    "share": "a share",
    "average": "an average",
    "least": "the least of them",
    "in_order": "one further down in the order",
    "middle": "what is in the middle",
    "which_call": "a single call",
    "thread": "a thread",
    "argument": "what a call was given",
    "longest_call": "a single call",
    "moment": "a moment",
    "sum": "a sum",
    "device": "a device",
}
"""What a figure is called, by the form that asks for it."""
_OF_TEXT = intents("abilities code correction draw smalltalk sql compare summarise usage")
"""Intents whose answers are no figures of one trace."""
_OF_NAMES = frozenset({Intent.CALLERS, Intent.CALLEES, Intent.FUNCTION, Intent.GROUP})
_OF_ANY = frozenset({Intent.OVERVIEW, Intent.WHY, Intent.TOP, Intent.CALLS_OF, Intent.HOW_OFTEN, Intent.STARTUP})
"""Intents of which a name next to measures is no part."""
_OF_EVERYTHING = word_list("of_everything")
_ONE_OR_OTHER = lazy_regex(
    r"\b([A-Za-z]{4,}) or (?!what\b|else\b|something\b|elsewhere\b)(?:the |by )?([A-Za-z]{4,})\W*$"
)
_OF_ALL_WORK = frozenset({Intent.OVERVIEW, Intent.WHY})
_SAYS_SO = lazy_regex(
    r"\bcannot\b|\bNo frame in this trace\b|\bcan't\b|\bno function that matches\b|\bneeds a language model\b|"
    r"\bnot recorded\b"
)
_DECIDES = lazy_regex(r"\W*(?:No|Yes)\b")


def without_its_figure(question: Question, evidence: Evidence, opening: str) -> str:
    """The answer instead of one whose opening has no figure of the kind that is asked for; empty where it has one."""
    first = without_addresses(opening).partition("\n")[0]
    if what := not_recorded(question, first):
        return f"**The recording does not say that**: {coded(what)} is not in it. {_can(evidence)}"
    if (
        question.intent in _OF_TEXT
        or _is_of_listed(question, evidence)
        or _SAYS_SO.search(first)
        or (question.is_yes_or_no and _DECIDES.match(first))
    ):
        return ""
    of_one = question.intent in _OF_NAMES | {Intent.HOW_OFTEN} or question.saves
    if of_one and evidence.openings and _is_of_nothing(question):
        return (
            f"**Which function do you mean?** The answer before names none that I could go on about. {_can(evidence)}"
        )
    if one_of_two := _one_of_two(question, first):
        return f"**I cannot answer that**: {one_of_two}. {_can(evidence)}"
    for form, kind in _KINDS.items():
        if form == "compared" and question.saves:  # how much faster without it is said by what it takes
            continue
        if form == "in_order" and question.names:  # it is claimed of a function, whose figures are the answer
            continue
        if getattr(_ASKED, form).search(question.text) and not getattr(_GIVEN, form).search(first):
            return f"**I cannot answer that**: it asks for {kind}, and nothing I looked up has it. {_can(evidence)}"
    is_read = question.text.isascii() and not question.note
    if is_read and (missing := _not_taken_up(question, first) or _base_left_out(question, first)):
        return f"**I cannot answer that**: nothing here that I know is called {coded(missing)}. {_can(evidence)}"
    return ""


def _is_of_listed(question: Question, evidence: Evidence) -> bool:
    """Whether it is for one of the threads that were listed: the worst of them is no single call."""
    return evidence.spoken_of is not None and question.thread in evidence.spoken_of.threads


def _not_taken_up(question: Question, first: str) -> str:
    """The name next to measures that the trace has not, and the opening has no word of; empty without one."""
    opening = first.casefold()
    if question.refers or question.carried:  # then a pronoun is what it is asked of
        return ""
    for run in (one for one in question.unfound if one in question.text):
        words = [word for word in re.findall(r"[^\W\d_]{4,}", run.casefold()) if not is_of_asking(word)]
        known = question.intent not in _OF_NAMES | _OF_ANY and all(
            question.intent in asked_with().get(word, frozenset()) for word in words
        )
        of_no_part = set(run.casefold().split()) <= NO_PART
        if words and not (known or of_no_part) and not any(stem(word) in opening for word in words):
            return run
    return ""


def _base_left_out(question: Question, first: str) -> str:
    """The noun that a share is asked of (`what fraction of all kernel time`), where the opening has it not."""
    found = _FORMS.base.search(question.text) if not question.names else None
    base = found[1] if found else ""
    words = [word for word in re.findall(r"[a-z]{4,}", base.casefold()) if word not in _OF_EVERYTHING]
    return " ".join(words) if words and not any(stem(word) in first.casefold() for word in words) else ""


def _is_of_nothing(question: Question) -> bool:
    """Whether it asks something of what was spoken of, and nothing was."""
    subject = question.names or question.maybe or question.handle or question.thread or question.stems
    return question.refers and not (subject or question.handles or question.time_ranges)


def _one_of_two(question: Question, first: str) -> str:
    """What an opening lacks that is asked which of two it is; empty where it has what is needed."""
    if question.intent in _OF_NAMES and _leaves_one_out(question.text, first):
        return "it asks for one of two, and I found one of them only"
    if question.intent in _OF_ALL_WORK and _takes_up_neither(question.text, first):
        return "it asks which of two it is, and I found neither by name"
    return ""


def _leaves_one_out(text: str, first: str) -> bool:
    """Whether of the two words around `or` the opening has just one."""
    found = _ONE_OR_OTHER.search(text)
    return found is not None and sum(stem(word) in first.casefold() for word in map(str.casefold, found.groups())) == 1


def _takes_up_neither(text: str, first: str) -> bool:
    """Whether it asks which of two doings it is (`reading the file or parsing it?`), and the opening has neither."""
    found = _FORMS.doing_or_other.search(text)
    return found is not None and not any(stem(word) in first.casefold() for word in map(str.casefold, found.groups()))


def _can(evidence: Evidence) -> str:
    """Three questions that can be answered, about the functions that lead."""
    names = [coded(row["name"]) for row in (evidence.lead.rows if evidence.lead else [])][:2]
    if len(names) < 2:
        return "I can answer “what takes the most?”, “which threads are there?” and “what is waited for?”."
    one, other = names
    return f"I can answer “how long does {one} take?”, “{one} vs {other}” and “who calls {other}?”."


_NOT_RECORDED = forms("not_recorded")

_OF_TALK = frozenset({Intent.CODE, Intent.SQL, Intent.SMALLTALK, Intent.SUMMARISE, Intent.DRAW})


def not_recorded(question: Question, opening: str) -> str:
    """What is asked for and never recorded; empty where the answer names it, or a function is named so."""
    found = _NOT_RECORDED.never.search(question.text)
    if found is None or question.intent in _OF_TALK:
        return ""
    word = found[0].split()[-1].casefold().rstrip("s")
    named = " ".join(question.names).casefold()
    return "" if word in named or word in opening.casefold() else found[0]
