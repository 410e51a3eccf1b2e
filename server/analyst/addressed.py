"""Whether an answer addresses what was asked, before any leaves: what can be read of the prompt (the kind of figure,
the things that it names, the time, thread or recording that it narrows to) is looked for in the answer's beginning.
Where that is another question's, a plain cannot stands in its place, with what can be asked; where a part is missing,
the answer begins by saying which.
"""

import re

from server.agent.memory.word_stem import stem
from server.agent.verification.references.figure_links import without_addresses
from server.analyst.asked_things import place_ranked
from server.analyst.evidence import Evidence
from server.analyst.exclusions import exclusion
from server.analyst.forms import expression, first_form, forms, word_list
from server.analyst.intent import Intent, intents
from server.analyst.kinds.spoken_names import NO_PART
from server.analyst.nearest_intent import asked_with, meaning
from server.analyst.question import Question
from server.analyst.sentence_forms import judges
from server.analyst.unread_words import MOST, admitted, is_of_asking, placed_words
from server.analyst.wording import coded, joined
from traces.insights.registry import DETECTORS
from traces.lazy_regex import lazy_regex

_FORMS = forms("addressed")
_KNOWN_FORMS = forms("known_forms")

_ASKED, _GIVEN = forms("figures_asked"), forms("figures_given")
_KINDS = {
    "compared": "one thing set against another",
    "share": "a share",
    "average": "an average",
    "least": "the least of them",
    "rate": "a number per second",
    "in_order": "one further down in the order",
    "middle": "a median or percentile of single calls or requests",
    "which_call": "a single call",
    "thread": "a thread",
    "argument": "what a call was given",
    "longest_call": "a single call",
    "moment": "a moment",
    "sum": "a sum",
    "device": "a device",
    "line": "a line of the source",
    "rest": "what is left",
    "without": "what it is without something",
}
"""What a figure is called, by the form that asks for it."""
_OF_TEXT = intents("abilities code draw smalltalk sql compare summarise usage")
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
_REPORT = lazy_regex(
    expression("addressed", "report").replace("TITLE", "|".join(re.escape(one.title) for one in DETECTORS))
)
"""How an opening begins that reports on all of the recording."""
_OF_TIMES = frozenset({Intent.WINDOW, Intent.COMPARE, Intent.CODE, Intent.USAGE, Intent.ABILITIES, Intent.SQL})
"""Intents that a time range narrows, or that have none."""
_OF_THREADS = frozenset({Intent.THREAD, Intent.PROFILES, Intent.PARALLEL, Intent.COMPARE, Intent.SQL, Intent.SUMMARISE})
_OF_RECORDINGS = intents("compare sql summarise")
_OF_CHANGES = intents("first_fix repeated parallel correction abilities smalltalk")
"""Intents that answer what would be, or say that nobody knows."""
_NARROWED = lazy_regex(r"\bcan(?:not|'t)\b|\bnothing (?:runs|ran|happens)\b|\bdoes not run\b|\bwhole recording\b")


def of_another_question(question: Question, evidence: Evidence, opening: str) -> str:
    """The answer in place of one that is another question's, by its opening; empty for one that is its own."""
    first = without_addresses(opening).partition("\n")[0]
    if what := not_recorded(question, first):
        return f"**The recording does not say that**: {coded(what)} is not in it.\n\n{_can(evidence)}"
    if question.intent in _OF_TEXT or _SAYS_SO.search(first) or first_form("recorded_time", question.text):
        return ""
    of_one = question.intent in _OF_NAMES | {Intent.HOW_OFTEN} or question.saves
    if of_one and evidence.openings and _is_of_nothing(question):
        unknown = "The answer before names none that I could go on about."
        return f"**Which function do you mean?** {unknown}\n\n{_can(evidence)}"
    ways = (_other_figure,) if _is_decided(question, first) else (_one_of_two, _other_figure, _all_unasked, _unknown)
    reason = next((said for way in ways if (said := way(question, evidence, first))), "")
    return f"**I cannot answer that**: {reason}.\n\n{_can(evidence)}" if reason else ""


def _is_decided(question: Question, first: str) -> bool:
    return question.is_yes_or_no and _DECIDES.match(first) is not None


def _other_figure(question: Question, evidence: Evidence, first: str) -> str:
    """The kind of figure that is asked for and not in the opening: an average is no answer to `which of the two`."""
    if question.saves and not _GIVEN.saved.search(first):
        return "it asks for what would be gained, and nothing I looked up has it"
    of_listed = evidence.spoken_of is not None and question.thread in evidence.spoken_of.threads
    # How much faster without it is said by what it takes, what is claimed of a function by its figures, and the worst
    # of the threads that were listed is no single call.
    answered = {"compared": question.saves, "in_order": bool(question.names), "longest_call": of_listed}
    for form, kind in _KINDS.items():
        if answered.get(form) or (form != "compared" and _is_decided(question, first)):
            continue
        if getattr(_ASKED, form).search(question.text) and not getattr(_GIVEN, form).search(first):
            return f"it asks for {kind}, and nothing I looked up has it"
    return ""


def _unknown(question: Question, evidence: Evidence, first: str) -> str:
    is_read = question.text.isascii() and not question.note
    missing = is_read and (_not_taken_up(question, first) or _base_left_out(question, first))
    return f"nothing here that I know is called {coded(missing)}" if missing else ""


def _all_unasked(question: Question, evidence: Evidence, first: str) -> str:
    """What is said of an opening that reports on all of the recording, where no word of the prompt asks for that or is
    in it. Who begins a conversation may describe a symptom: there a word must be left, and none be of that kind."""
    if not _REPORT.match(first) or question.names or question.handle:
        return ""
    placed, left = placed_words(question.text, first)
    left = [word for word in left if not _FORMS.of_all.search(word)]
    is_read = question.text.isascii() and not question.note
    is_asked = _FORMS.of_all.search(question.text) is not None
    if evidence.openings:
        is_asked = is_asked and not (left and is_read)
    else:
        known = any(question.intent in asked_with().get(word.casefold(), frozenset()) for word in left)
        is_asked = is_asked or known or not (left and is_read)
    if placed or is_asked:
        return ""
    what = joined([coded(word) for word in left[:MOST]])
    named = f"I have no place for {what}, and " if left and is_read else ""
    return f"{named}I could only take it as “{meaning(question.intent)}”, which is another question"


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


def _one_of_two(question: Question, evidence: Evidence, first: str) -> str:
    """What an opening lacks that is asked which of two it is (`reading the file or parsing it?`); empty where it has
    what is needed."""
    of_names, known = question.intent in _OF_NAMES, first.casefold()
    form = _ONE_OR_OTHER if of_names else _FORMS.doing_or_other
    found = form.search(question.text) if of_names or question.intent in _OF_ALL_WORK else None
    there = [stem(word.casefold()) in known for word in found.groups()] if found else []
    if of_names and sum(there) == 1:
        return "it asks for one of two, and I found one of them only"
    return "it asks which of two it is, and I found neither by name" if found and not (of_names or any(there)) else ""


def _can(evidence: Evidence) -> str:
    """Three questions that can be answered, about the functions that lead; a list, as they answer nothing."""
    names = [coded(row["name"]) for row in (evidence.lead.rows if evidence.lead else [])][:2]
    ways = ["what takes the most?", "which threads are there?", "what is waited for?"]
    if len(names) > 1:
        one, other = names
        ways = [f"how long does {one} take?", f"{one} vs {other}", f"who calls {other}?"]
    return "\n".join(["I can answer:", *(f"- “{way}”" for way in ways)])


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


def left_out(question: Question, evidence: Evidence, opening: str, text: str) -> str:
    """The sentence before an answer that leaves something of its question out; empty before any other."""
    first, asked, intent = without_addresses(opening).partition("\n")[0], question.text, question.intent
    if first_form("recorded_time", asked):
        return ""
    if words := admitted(question, text, is_first=not evidence.openings):
        return words
    if question.measured or _NARROWED.search(first):
        return ""
    thread, what, by = question.on_thread or "", exclusion(asked)[1], _FORMS.per.search(asked)
    is_there = evidence.profile(question.profile) or thread.casefold() in first.casefold()
    is_there = is_there or intent in _OF_THREADS or thread in (*question.names, *question.maybe)
    is_counted = question.excluded or question.saves or what.casefold() in first.casefold()
    per = by[1] if by and not (is_of_asking(by[1].casefold()) or place_ranked(asked)) else ""
    is_undivided = per and not (question.saves or intent is Intent.COMPARE)
    supposes = _FORMS.supposes.search(asked) and not (intent in _OF_CHANGES or question.saves)
    left = {
        "This is of the recording that is open, and not of the other one": intent not in _OF_RECORDINGS
        and _KNOWN_FORMS.other_recording.search(asked),
        "This is of the whole recording, and not of that time alone": question.time_ranges
        and not (intent in _OF_TIMES or question.saves),
        f"This is not of {coded(thread)} alone": thread and not is_there,
        f"I could not leave {coded(what)} out, so this counts it, too": what and not is_counted,
        f"Divided by {coded(per)} I cannot give it; undivided": is_undivided
        and not re.search(rf"\b(?:per|each|a) {per}", first),
        "What would be then, a recording cannot show; what is now": supposes,
        "Whether that is normal, one recording cannot say; what it shows": judges(asked)
        and intent is not Intent.FIRST_FIX,
    }
    return next((f"**{said}**: " for said, is_so in left.items() if is_so), "")
