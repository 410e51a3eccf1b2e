"""The last look before an answer begins with a word that it could not place: a function may have it for a part of its
name, in any thread. `slowest job?` is then asked of `handle_job`, and the answer begins with that."""

from dataclasses import replace

from server.agent.memory.word_stem import stem
from server.agent.verification.recompute import last_part
from server.analyst.evidence import Evidence
from server.analyst.forms import forms
from server.analyst.intent import ABOUT_ONE_FUNCTION, Intent
from server.analyst.kinds.kind import Call
from server.analyst.pseudo_frames import is_pseudo
from server.analyst.question import Question
from server.analyst.topic_words import parts_of
from server.analyst.wording import cited, coded
from traces.lazy_regex import lazy_regex

_FORMS = forms("settled_question")
MATCHES = 100
MOST_MEANT = 3
"""Functions that may be meant; of more none is."""


_NOT_PLACED = lazy_regex(
    r"\*\*I (?:could not|cannot answer that\*\*: I have no) place (?:for )?`(?!left`)([A-Za-z]{3,})`, "
)


def word_left(question: Question, text: str) -> str:
    """The one word that an answer begins by not having placed; empty where it places all, or is about a name."""
    found = _NOT_PLACED.match(text)
    is_narrowed = question.names or question.excluded or question.time_ranges or question.thread
    return "" if found is None or is_narrowed else found[1].casefold()


def look_for(word: str) -> Call:
    """The search for functions of all threads that have the word in their names."""
    return ("find_frames", {"pattern": f"(?i){stem(word)}", "regex": True, "limit": MATCHES, "profile": "all"})


def about_the_word(question: Question, word: str, evidence: Evidence) -> tuple[Question, str] | None:
    """The question about the function that was found so, the heaviest of several, and how its answer begins; None
    where none, or many, have the word for a part of their name."""
    tool, arguments = look_for(word)
    found = evidence.first(tool, **arguments) if word else None
    rows = [row for row in (found or {"rows": []})["rows"] if row["total_value"] > 0 and not is_pseudo(row)]
    meant = [row for row in rows if stem(word) in parts_of(last_part(row["name"]))]
    if not meant or len({row["name"] for row in meant}) > MOST_MEANT:
        return None
    row = max(meant, key=lambda one: one["total_value"])
    intent = question.intent if question.intent in ABOUT_ONE_FUNCTION else Intent.FUNCTION
    intent = (
        Intent.FIRST_FIX if question.saves else Intent.CALLS_OF if _FORMS.one_call.search(question.text) else intent
    )
    about = replace(question, intent=intent, handle=row["handle"], profile=None, carried=None, thread=None)
    about = replace(about, maybe=(), placed=(), stems=(), measured=None, unfound=(), understood=True)
    return about, f"Taking {coded(word)} for {cited(row)}: "
