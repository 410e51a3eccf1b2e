"""The analyst's answer: sentences by rule around the tools' own figures, the answer first."""

import re

from server.agent.verification.references.figure_links import without_addresses
from server.analyst.addressed import left_out, of_another_question
from server.analyst.evidence import Evidence
from server.analyst.findings import with_losses
from server.analyst.forms import first_form, forms
from server.analyst.intent import intents
from server.analyst.kinds.all_kinds import kind_of
from server.analyst.kinds.marked_moments import counted_events, said_of_marks
from server.analyst.kinds.measures_of import TOGETHER
from server.analyst.kinds.one_function import leading
from server.analyst.kinds.premises import false_total
from server.analyst.nearest_intent import meaning
from server.analyst.question import Intent, Question
from server.analyst.settled_question import settled
from server.analyst.unplaced import about_the_word, word_left
from server.analyst.wording import cited_profile
from traces.insights.registry import DETECTORS
from traces.lazy_regex import lazy_regex

_FORMS = forms("report")
_SENTENCE_FORMS = forms("sentence_forms")

OPTIONAL = frozenset({"search_findings", "get_usage", "get_hottest_windows"})
"""Tools whose refusal changes nothing in the answer."""

_TIMELESS = intents("code usage abilities compare page profiles memory growth")

MOST_CHARACTERS = 900
"""Of an answer as it is read, unless it is a list that was asked for."""
MOST_OF_A_LIST = 3_000
LISTS = intents("top profiles parallel libraries recording abilities anything_wrong compare sql summarise")
_YES = lazy_regex(r"\*\*(?:(?:Yes|Partly|Only partly)[:,]|No:(?=[^*\n]*\d)) (?=[\w\[])")
_TITLE = lazy_regex(rf"\*\*(?:{'|'.join(re.escape(one.title) for one in DETECTORS)})\*\*: ")
_LITTLE = lazy_regex(r"\*\*No, [^*\n]{3,60} is little of it\.\*\* (?=\S)")
"""A no before what is asked for."""
_GIVES_TIME = lazy_regex(r"\d\s?(?:ns|µs|ms|s|min|h)\b")
_ADDRESS = lazy_regex(r"\]\(#[^)\s]*\)")


def report(question: Question, evidence: Evidence) -> str:
    """The full answer in Markdown: what was asked first, then what supports it, as far as there is room. Where it has
    no place for a word that a function has in its name, it is about that function."""
    return with_losses(_reported(question, evidence), evidence)


def _reported(question: Question, evidence: Evidence) -> str:
    text = written(settled(question, evidence), evidence)
    about = about_the_word(settled(question, evidence), word_left(question, text), evidence)
    if about is None:
        return text
    better = written(about[0], evidence)
    return text if word_left(about[0], better) else f"{about[1]}{better}"


def written(question: Question, evidence: Evidence) -> str:
    """The answer to a question as its words were looked up."""
    first, *others = kind_of(question).write(question, evidence)
    if events := counted_events(question, evidence) or said_of_marks(question, evidence):
        first, others = events, [leading(evidence, "What takes the most time is")]
    with_title, first = first, _without_title(question, first)
    first = (
        first if question.is_yes_or_no and not _FORMS.either.search(question.text) else _without_yes(question, first)
    )
    if not (question.measured or events) and (cannot := of_another_question(question, evidence, with_title)):
        return cannot
    carried = _carried(question, evidence, first.partition("\n")[0])
    wrong = _wrong_unit(question, evidence, first) or false_total(question, evidence)
    unread = "" if wrong else left_out(question, evidence, first, "\n\n".join([first, *others]))
    opening = f"{wrong} {unread}{carried}{first}".lstrip()  # the answer stands in one paragraph
    parts = [
        opening,
        "" if unread or question.measured else _misread(question),
        question.note,
        _failures(question, evidence),
    ]
    kept = [part for part in parts if part]
    room = (MOST_OF_A_LIST if question.intent in LISTS else MOST_CHARACTERS) - sum(map(read_length, kept))
    for part in others:
        room -= read_length(part)
        if part and room >= 0:
            kept.append(part)
        elif part and (shorter := _shortened(part, room + read_length(part))):
            room += read_length(part) - read_length(shorter)
            kept.append(shorter)
    return "\n\n".join(kept)


def _without_yes(question: Question, opening: str) -> str:
    """The opening, without a yes that nobody asked for: which, how many and who are no questions for it."""
    if not (_SENTENCE_FORMS.asks_what.search(question.text) or _FORMS.either.search(question.text)):
        return opening
    if little := _LITTLE.match(opening):
        return opening[little.end() :]
    found = _YES.match(opening)
    return f"**{opening[found.end() :][:1].upper()}{opening[found.end() + 1 :]}" if found else opening


def _without_title(question: Question, opening: str) -> str:
    """The opening without the finding's title, where a thing is asked for: `which lock` is answered by the lock."""
    asks = _SENTENCE_FORMS.asks_what.search(question.text) or (
        _FORMS.quantity.search(question.text) and not question.is_yes_or_no
    )
    found = _TITLE.match(opening) if asks else None
    return opening[found.end() :] if found else opening


def read_length(part: str | None) -> int:
    """Characters that a reader sees: addresses of citations are not among them."""
    return len(_ADDRESS.sub("]", without_addresses(part or "")))


def _shortened(part: str, room: int) -> str:
    """The first lines of a list or a table that have room; empty where not even two have."""
    if not part.lstrip().startswith(("- ", "|")):
        return ""
    lines = part.split("\n")
    while lines and read_length("\n".join(lines)) > room:
        lines.pop()
    return "\n".join(lines) if len(lines) >= (4 if part.startswith("|") else 2) else ""


def _carried(question: Question, evidence: Evidence, first: str) -> str:
    """What the answer before was about, where this one goes on about it and names no other function."""
    if question.carried is None or ("](#f" in first and _handle(question.carried) not in first):
        return ""
    profile = evidence.profile(question.profile)
    is_main = profile is None or profile["handle"] == (evidence.summary or {}).get("default_profile")
    where = "" if is_main or profile is None or f"threads {TOGETHER}**" in first else f" in {cited_profile(profile)}"
    return f"About {question.carried}{where}, as before: "


def _handle(citation: str) -> str:
    return citation[citation.rfind("#") :]


def _wrong_unit(question: Question, evidence: Evidence, first: str) -> str:
    """A word first when a duration is asked of a trace that measures none, unless another profile of it does and the
    answer begins with what that one says."""
    if evidence.measures_waiting and _FORMS.of_cpu.search(question.text):
        return "**CPU time cannot be said: this trace measures waiting, not work.**"
    if first.startswith("**Whether it waits or computes") and _FORMS.of_cpu.search(question.text):
        return "**How much of it is CPU time cannot be said: none was read from this recording.**"
    values = (evidence.main or {"values": []})["values"]
    has_bytes = evidence.memory_profiles or any(one.get("unit") == "bytes" for one in values)
    is_of_all = question.intent in (Intent.REQUESTS, Intent.MEMORY) and not (question.measured or question.names)
    of_memory = not (is_of_all or has_bytes or "not memory" in first)
    if of_memory and _FORMS.of_bytes.search(question.text):
        return "**How many bytes that is cannot be said: this trace does not measure memory.**"
    counts = [one for one in values if one.get("unit") == "count"]
    is_uncounted = evidence.unit == "bytes" and not counts and not first.startswith("**How often")
    if is_uncounted and first_form("units", question.text) == "count":
        return "**How many objects or allocations that is cannot be said: this trace has their bytes, and no counts.**"
    if question.intent in _TIMELESS or evidence.unit == "nanoseconds":
        return ""
    if question.intent is Intent.WAITING and evidence.waiting_profiles:
        return ""
    if evidence.unit == "bytes" and (question.asks_time or question.asks_speed):
        return "**How long anything takes cannot be said: this trace measures bytes of memory, not time or CPU.**"
    if evidence.unit == "bytes" or not question.asks_time or _GIVES_TIME.search(first):
        return ""
    return "**How long anything takes cannot be said: this trace counts samples, calls or instructions, not time.**"


def _misread(question: Question) -> str:
    if question.understood:
        return ""
    return f"(I was not sure what is asked, and took it as: {meaning(question.intent)}.)"


_OF_SINGLE_CALLS = frozenset({Intent.CALLS_OF, Intent.ARGUMENTS, Intent.LONG_TASKS, Intent.WINDOW})


def _failures(question: Question, evidence: Evidence) -> str:
    optional = OPTIONAL if question.intent in _OF_SINGLE_CALLS else OPTIONAL | {"get_longest_calls"}
    failed = dict.fromkeys(
        result.tool
        for result in evidence.results
        if result.failed and result.tool not in optional and "my_code" not in result.arguments
    )
    return "(One look into the trace failed, so this is without what it would have shown.)" if failed else ""
