"""What a question is about, once its words were looked up in the trace."""

import re
from dataclasses import replace
from typing import Any

from server.analyst.answerable import answerable
from server.analyst.asked_things import asks_by_file, is_of_another_kind, would_help
from server.analyst.chosen_intent import ABOUT_A_TOPIC, OF_ALL
from server.analyst.evidence import Evidence
from server.analyst.forms import first_form, forms
from server.analyst.intent import ABOUT_ONE_FUNCTION, Intent, intents
from server.analyst.kinds import computing, measures_of, recorded_exceptions, spoken_names
from server.analyst.kinds.device import track_of_kernels
from server.analyst.kinds.meant_functions import is_found, is_named
from server.analyst.kinds.other_values import asks_most_of_it, bytes_of_it, of_it, value_asked
from server.analyst.kinds.suspects import ASKED_BY_NAME, kind_of_work
from server.analyst.nearest_intent import vocabulary
from server.analyst.place_in_order import PASSES_ON, ranked_there
from server.analyst.question import COUNTS, Question
from server.analyst.sentence_forms import refers_to_named
from server.analyst.spoken_threads import by_thread
from server.analyst.thread_scope import (
    is_no_thread,
    narrowed,
    of_a_named_thread,
    placed_in,
    thread_for_a_name,
    thread_of_a_word,
    threads_alike,
    without_word,
)
from server.analyst.topic_words import best_named, pattern_of, words_of

_FORMS = forms("settled_question")
_THREAD_SCOPE = forms("thread_scope")
_WAITING = forms("waiting")
_KNOWN_FORMS = forms("known_forms")
_SINGLE_EVENTS = forms("single_events")
_SENTENCE_FORMS = forms("sentence_forms")

NAMED_THERE = intents("recursion group suspect timeline draw arguments")
"""Intents that can be about a function besides those that always are."""
AS_PEOPLE_SPEAK = frozenset({Intent.SUSPECT, Intent.FIRST_FIX})
"""Intents of prompts that hardly ever spell a function as it is written."""
LOOKED_UP = ABOUT_ONE_FUNCTION | NAMED_THERE | OF_ALL | {Intent.FIRST_FIX, Intent.HOT_PATH, Intent.CORRECTION}
"""Intents of questions in which a plain word may be a function's name."""

OF_PROGRAMS = (
    OF_ALL
    | {Intent.ARGUMENTS, Intent.CALLS_OF, Intent.WAITING}
    | {Intent.FUNCTION, Intent.TWO_FUNCTIONS, Intent.GROUP, Intent.PARALLEL, Intent.CALLEES}
)
"""Intents that may be about a program of the recording."""
MOST_OF_ALL = 0.5
"""Total share from which what is asked of a function is asked of all of the recording."""
MUCH = 0.3
"""Total share from which functions that have a word in their name or file are what a question for a cause means."""
WEIGHS = 0.01
"""Total share from which a function may be what a prompt is about that does not surely ask for one."""


def is_known(word: str) -> bool:
    """Whether questions speak of a thing by this word, whatever the trace has."""
    return word.casefold() in vocabulary() or is_of_another_kind(word) or bool(first_form("work", word))


OF_NEIGHBOURS = frozenset({Intent.CALLERS, Intent.CALLEES, Intent.RECURSION})
"""Intents of which a pronoun is the subject: the verb next to it is no name."""
OF_A_PLACE = 5
"""Functions that hold a word in their name or file from which it is a package, file or class, and none of them."""


def _of_topic(question: Question, evidence: Evidence) -> Question | None:
    """The question about the function that its ordinary words name; None where they name none."""
    is_of_work = kind_of_work(question) in ASKED_BY_NAME and not (question.why and question.stems)
    of_more = would_help(question.text) and not question.saves  # of what is not there
    if is_of_work or of_more or _KNOWN_FORMS.scales.search(question.text):
        return None
    if question.carried and question.refers and question.intent in OF_NEIGHBOURS:  # `who is calling it` is about it
        return None
    found = evidence.first("find_frames", pattern=pattern_of(question.stems), regex=True) if question.stems else None
    row = best_named(found["rows"], question.stems) if found else None
    weighs = question.intent in ABOUT_A_TOPIC or question.saves or question.is_yes_or_no
    if row is None or not (weighs or row["total_share"] >= WEIGHS):
        return None
    passes_on = row["self_share"] < PASSES_ON * row["total_share"] and not question.asks_whether
    asks_for_another = _FORMS.asks_for_a_culprit.search(question.text)
    if asks_for_another and (passes_on or row["total_share"] < MUCH):
        return replace(question, intent=Intent.OVERVIEW, stems=(), maybe=(), understood=True)
    if row["total_share"] >= MOST_OF_ALL and (
        question.why or (passes_on and _FORMS.of_a_symptom.search(question.text))
    ):
        return replace(question, intent=Intent.OVERVIEW, stems=(), maybe=())  # why it is slow is why all of it is
    intent = question.intent if question.intent in ABOUT_A_TOPIC else Intent.FUNCTION
    if intent is Intent.FIRST_FIX and _SENTENCE_FORMS.asks_what.search(question.text):
        intent = Intent.CALLEES if _FORMS.does.search(question.text) else Intent.FUNCTION
    if question.saves:
        intent = Intent.FIRST_FIX
    elif question.intent not in ABOUT_A_TOPIC and _FORMS.one_call.search(question.text):
        intent = Intent.CALLS_OF
    elif question.asks_whether and intent in (Intent.FUNCTION, Intent.FIRST_FIX, Intent.GROUP):
        intent = Intent.SUSPECT
    return replace(
        question,
        intent=intent,
        handle=row["handle"],
        profile=None,
        maybe=(),
        carried=None,
        thread=None,
        understood=True,
    )


def _program(question: Question, evidence: Evidence) -> str:
    """The word that is the name of a program of the recording, and of no function; empty without one."""
    for name in (*question.names, *question.maybe):
        begins = re.compile(rf"{re.escape(name)}[\d.]*(?!\w)", re.IGNORECASE)
        found = evidence.first("find_frames", pattern=name) or {"rows": []}
        is_program = any(begins.match(row["name"]) and row["pid"] for row in evidence.profiles)
        if is_program and not any(is_named(row, name) for row in found["rows"]):
            return name
    return ""


def _programs(question: Question, evidence: Evidence) -> tuple[str, ...]:
    """The words that are names of programs of the recording, where each of several is one."""
    words = (*question.names, *question.maybe)
    found = tuple(one for one in words if _program(replace(question, names=(one,), maybe=()), evidence))
    return found if len(found) == len(words) or len(found) == 1 else ()


def _against_a_function(question: Question, evidence: Evidence) -> Question:
    """The comparison of what was spoken of with a function of this recording that the prompt names; else as it was."""
    exact = [
        row["name"]
        for name in question.maybe
        for row in evidence.rows("find_frames", pattern=name)
        if is_named(row, name)
    ]
    listed = evidence.first("find_frames", pattern=pattern_of(question.stems), regex=True) if question.stems else None
    others = [row for row in (listed or {"rows": []})["rows"] if row["name"] != question.against]
    row = best_named(others, question.stems)
    named = [*exact, *([row["name"]] if row else [])]
    if not named or named[0] == question.against:
        return replace(question, maybe=(), stems=())
    both = (question.against, named[0])
    return replace(question, intent=Intent.TWO_FUNCTIONS, names=both, maybe=(), stems=(), understood=True)


def _labelled(question: Question, evidence: Evidence) -> Question:
    """About the thread or the other recording that a word with a hyphen names."""
    listed, others = evidence.first("list_profiles"), evidence.first("search_findings")
    for label in question.labels:
        known = label.casefold()
        if any(known in row["name"].casefold() for row in (listed or {"profiles": []})["profiles"]):
            return replace(question, intent=Intent.THREAD, thread=label, names=(), maybe=())
        if any(known in row["trace"].casefold() for row in (others or {"rows": []})["rows"]):
            names = (label, *question.names, *(one for one in question.maybe if one not in ("new", "old")))
            return replace(question, intent=Intent.COMPARE, names=names, maybe=(), placed=(), understood=True)
    return question


ALL_OF_IT = 0.95
"""Part of the recording from which functions of a name are the program itself."""
_OF_A_PROGRAM = "service|server|daemon|binary|program|app|run|script|job|command|tool|test suite"


def _is_of_the_program(question: Question, evidence: Evidence) -> bool:
    """Whether the only word is the name of what was recorded: of a binary without symbols, or of `the ledger service`
    whose file is called so."""
    words = (*question.names, *question.maybe) or question.stems
    if len(words) != 1 or question.intent not in OF_ALL | {Intent.FUNCTION, Intent.GROUP} or question.handle:
        return False
    (word,) = (*question.names, *question.maybe) or words_of(question.text, words)[:1] or ("",)
    called_so = re.search(rf"\b{re.escape(word)} (?:{_OF_A_PROGRAM})\b", question.text) if word else None
    if called_so and str((evidence.summary or {}).get("name", "")).casefold().startswith(word.casefold()):
        return True
    found = evidence.first("find_frames", pattern=word) if word else None
    rows = found["rows"] if found else []
    if called_so and found and found["total_share"] >= ALL_OF_IT:  # `why does this pylint run take 28 s`
        return True
    return bool(rows) and all(row["name"].casefold().startswith(f"{word.casefold()}+0x") for row in rows)


def _is_of_exceptions(question: Question, evidence: Evidence) -> bool:
    """Whether it asks for exceptions where these were recorded, and not for what a function that it names does."""
    before = evidence.openings[-1] if evidence.openings else ""
    types = recorded_exceptions.TYPE
    goes_on = _FORMS.count.match(question.text) or types.search(question.text)
    asks = _FORMS.exceptions.search(question.text) or (goes_on and recorded_exceptions.WERE in before)
    if not asks or question.intent not in COUNTS | {Intent.THREAD, Intent.PROFILES, Intent.CALLERS}:
        return False
    named = [one for one in (*question.names, *question.maybe) if is_found(one, evidence)]
    named = [one for one in named if _FORMS.exceptions.search(one) and not types.fullmatch(one)]
    return not named and recorded_exceptions.recorded_in(evidence) is not None


def _of_value(question: Question, evidence: Evidence) -> Question | None:
    """The question for another quantity than the first, of what was spoken of where it goes on about that."""
    if not (value := value_asked(question, evidence)):
        return None
    handles = question.handles if question.measured and not question.measured.runs else ()
    before = evidence.spoken_of
    is_new = question.names or question.handle or handles or _FORMS.asks_who.match(question.text)
    if before and of_it(question) and not (is_new or before.is_aside):
        handles = (before.handle,)
    if value.startswith("inuse"):  # its end is when it was recorded
        question = replace(question, time_ranges=())
    if asks_most_of_it(question, evidence):
        question, handles = replace(question, handle=None, carried=None), ()
    return replace(question, value=value, measured=None, handles=handles, understood=True)


def settled(question: Question, evidence: Evidence) -> Question:
    """The question after its words were looked up: about functions that have one of them for a name, or hold it in
    their name or file, or about neither.
    """
    if _is_of_exceptions(question, evidence):
        bare = replace(question, names=(), thread=None, handle=None, carried=None, measured=None)
        return replace(bare, intent=Intent.EXCEPTIONS, text="exceptions?", understood=True)
    if waited := computing.parked_in(question, evidence):
        names = (waited, *(one for one in question.names if one != waited))
        return Question(intent=Intent.WAITING, text=question.text, names=names, note=question.note)
    if _WAITING.more_than_the_run.search(question.text) and computing.summed(evidence):
        return Question(intent=Intent.WAITING, text=question.text, note=question.note)
    if of_value := bytes_of_it(question, evidence) or _of_value(question, evidence):
        return of_value
    question = placed_in(_of_alike_threads(question, evidence), evidence)
    if (
        question.intent is Intent.PROFILES
        and question.thread
        and not (question.measured and question.measured.asks("threads"))
    ):
        return replace(question, measured=None)
    if measures := measures_of.resolved(question, evidence):
        return measures
    several = [run for run in (question.measured.runs if question.measured else ()) if " " in run]
    if any(first_form("work", run) for run in several):  # `the json part`: what is meant is the work
        question = replace(question, intent=Intent.SUSPECT, measured=None, maybe=(), placed=(), stems=())
    question = replace(question, measured=None, unfound=measures_of.unfound(question, evidence))
    if question.place is not None:
        return ranked_there(question, evidence)
    return answerable(_settled(question, evidence), evidence)


def _settled(question: Question, evidence: Evidence) -> Question:
    if question.labels:
        question = _labelled(question, evidence)
    question = _longest_wait(narrowed(question, evidence), evidence)
    if question.intent is Intent.CALLS_OF and question.carried and _FORMS.of_waits.search(question.text):
        question = question.about(Intent.WAITING) if evidence.waiting_profiles else question
    if evidence.unit == "bytes" and question.intent is Intent.WAITING and _FORMS.keeps.search(question.text):
        question = question.about(Intent.MEMORY)
    if question.intent is Intent.HOW_OFTEN and (program := _program(question, evidence)):
        return replace(question, intent=Intent.THREAD, thread=program, names=(), maybe=(), placed=(), understood=True)
    if question.against:
        return _against_a_function(question, evidence)
    if (programs := _programs(question, evidence)) and question.intent in OF_PROGRAMS:
        only = programs[0] if len(programs) == 1 else None
        intent = Intent.THREAD if only else Intent.PROFILES
        return replace(question, intent=intent, thread=only, names=programs, maybe=(), placed=(), understood=True)
    if thread := thread_of_a_word(question, evidence) or thread_for_a_name(question, evidence):
        about = replace(question, intent=Intent.THREAD, thread=thread, names=(), maybe=(), placed=(), stems=())
        return replace(about, unfound=(), understood=True)
    if _is_of_the_program(question, evidence):
        return replace(question, intent=Intent.OVERVIEW, names=(), maybe=(), placed=(), stems=())
    question = _of_several(question, evidence)
    question = of_a_named_thread(question, evidence)
    if question.intent is Intent.THREAD and is_no_thread(question, evidence):
        return question.about(Intent.PROFILES)
    return _looked_up(question, evidence)


def _longest_wait(question: Question, evidence: Evidence) -> Question:
    """The question for the longest call of what was spoken of, where no single waits are recorded."""
    before, kept = evidence.spoken_of, evidence.waiting_profiles or evidence.measures_waiting or question.names
    if question.intent is not Intent.WAITING or not before or kept or not _SINGLE_EVENTS.which.search(question.text):
        return question
    text, handle = "longest call, when", before.handle if before.handle.startswith("f") else None
    return Question(intent=Intent.CALLS_OF, text=text, handle=handle, note=question.note)


def _of_alike_threads(question: Question, evidence: Evidence) -> Question:
    """The question for one of several threads by a word of their names; else without that word."""
    group = threads_alike(question, evidence)
    if of_them := by_thread(question, group, evidence):
        return of_them
    if group and _THREAD_SCOPE.which_of_them.search(question.text):
        return replace(question, intent=Intent.PROFILES, thread=group, names=(), maybe=(), placed=(), stems=())
    return without_word(question, group) if group else question


def _of_several(question: Question, evidence: Evidence) -> Question:
    """The question for one of several things against the others: functions where each has the name of one, else
    what holds these words."""
    versus = (
        _FORMS.versus.match(question.text) if question.intent is Intent.TWO_FUNCTIONS and not question.names else None
    )
    if versus and not all(is_found(one, evidence) for one in versus.groups()):
        words = tuple(map(str.casefold, versus.groups()))
        return replace(question, intent=Intent.GROUP, names=words, maybe=(), placed=(), stems=(), understood=True)
    if question.intent is Intent.TWO_FUNCTIONS and len(question.names) + len(question.maybe) > 2:
        question = question.about(Intent.GROUP)
    if (
        question.intent is Intent.GROUP
        and len(question.names) == 2
        and all(is_found(one, evidence) for one in question.names)
    ):
        question = question.about(Intent.TWO_FUNCTIONS)
    return question


def _looked_up(question: Question, evidence: Evidence) -> Question:
    if question.intent is Intent.GROUP and question.maybe == ("kernel",) and track_of_kernels(evidence):
        return question
    topic = _of_topic(question, evidence)
    if not question.maybe or question.intent not in LOOKED_UP or not evidence.called("find_frames"):
        return topic or _named_there(question)
    found = {name: evidence.first("find_frames", pattern=name) or {"rows": []} for name in question.maybe}
    exact = tuple(name for name in found if is_found(name, evidence))
    partly = tuple(name for name, data in found.items() if data["rows"])
    of_places = [name for name in partly if name not in exact and found[name]["total_matches"] > OF_A_PLACE]
    if question.intent is Intent.TWO_FUNCTIONS and of_places and len(partly) == len(found):
        return question.about(Intent.GROUP)  # a package or a file is set against another: their sums are
    stays = question.intent in ABOUT_ONE_FUNCTION | NAMED_THERE or question.saves
    if question.carried and (exact or partly) and refers_to_named(question.text, (*exact, *partly)):
        question = replace(question, handle=None, carried=None, profile=None)
    if exact and _is_of_all([row for name in exact for row in found[name]["rows"]], question):
        return replace(question, intent=Intent.OVERVIEW, maybe=(), placed=(), stems=(), understood=True)
    if exact:
        intent = question.intent if stays else Intent.FUNCTION
        both = (*question.names, *exact)  # what is spelled like a name goes before a word that may be one
        return replace(
            question, intent=intent, names=both, maybe=(), thread=None, handle=None, carried=None, understood=True
        )
    small = all(found[name].get("total_share", 0.0) < MUCH for name in partly)
    if partly and small and question.why:
        return replace(question, intent=Intent.OVERVIEW, maybe=())
    if question.saves and topic and not question.names:
        return topic
    if partly and stays and not question.names and not question.handle:
        return replace(question, maybe=partly, thread=None, understood=True)
    return topic or (question if question.names else _not_found(question, evidence))


def _is_of_all(rows: list[dict[str, Any]], question: Question) -> bool:
    """Whether an ordinary word only names what nearly all runs under, and what takes the most in it is asked for."""
    heavy = [row for row in rows if row["total_share"] >= MOST_OF_ALL]
    passes_on = bool(heavy) and all(row["self_share"] < PASSES_ON * row["total_share"] for row in heavy)
    return passes_on and not question.names and _FORMS.asks_for_a_culprit.search(question.text) is not None


def _not_found(question: Question, evidence: Evidence) -> Question:
    """The question where the trace has none of its words as they are written; a suspicion may name a function as people
    speak, `minification` for `minify`."""
    if question.intent in AS_PEOPLE_SPEAK or question.saves:
        spoken = [handle for name in question.maybe if (handle := spoken_names.handle_named(name, evidence))]
        if spoken and not question.handle:
            return replace(question, handle=spoken[0], maybe=(), stems=(), carried=None, understood=True)
    if question.carried or question.saves:
        return _named_there(replace(question, stems=question.stems or question.maybe))
    if question.placed and question.intent in ABOUT_ONE_FUNCTION and question.otherwise in ABOUT_ONE_FUNCTION:
        return replace(question, maybe=question.placed)
    if question.placed and question.intent is Intent.SUSPECT:
        return question
    bare = _FORMS.bare.match(question.text)
    if bare and not is_known(bare[1]) and question.intent in (Intent.FUNCTION, Intent.OVERVIEW, Intent.SUSPECT):
        return replace(question, intent=Intent.SUSPECT, understood=True)  # it is answered that nothing is called so
    otherwise = question.otherwise
    if otherwise is Intent.GROUP and not asks_by_file(question.text):
        otherwise = Intent.OVERVIEW
    return replace(question, intent=question.intent if question.handle else otherwise, maybe=())


def _saves_on_it(question: Question) -> bool:
    """Whether savings are asked for on what was spoken of, by a change that has other words and takes nothing out."""
    return question.carried is not None and not _FORMS.takes_out.search(question.text)


def _named_there(question: Question) -> Question:
    """The question; where it asks for something new, and not for what was spoken of, then for that, which has no name
    here."""
    if question.intent is Intent.HOW_OFTEN and question.stems and not (question.names or question.handle):
        words = words_of(question.text, question.stems)
        return replace(question, maybe=words[::-1], carried=None, understood=True)
    asks_anew = (question.carried and question.asks_for_any) or (question.saves and not _saves_on_it(question))
    if question.stems and asks_anew and not question.refers:
        words = words_of(question.text, question.stems) or question.stems
        return replace(
            question, intent=Intent.FUNCTION, maybe=words, handle=None, profile=None, carried=None, understood=True
        )
    return replace(question, maybe=()) if question.carried else question
