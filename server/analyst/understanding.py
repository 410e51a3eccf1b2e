"""What a prompt asks in its conversation: by itself, or about what the answer before spoke of."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from server.analyst.asked_things import named_first, worse_than_that
from server.analyst.asks.ask import IT
from server.analyst.asks.read_asks import read
from server.analyst.chosen_intent import OF_A_CAUSE, OF_ALL, SHORT
from server.analyst.exclusions import exclusion, leaving_out
from server.analyst.forms import first_form, forms, word_list
from server.analyst.going_on import corrected, long_words
from server.analyst.intent import ABOUT_ONE_FUNCTION, Intent, intents
from server.analyst.measured import RUNS
from server.analyst.measures_in_talk import in_its_order, with_measures
from server.analyst.moments import next_to, within
from server.analyst.nearest_intent import vocabulary
from server.analyst.ordinals import NEXT, bare_place, place_within, what_else
from server.analyst.pseudo_frames import collects
from server.analyst.question import Question, alone, of_the_recording
from server.analyst.sentence_forms import asks_of_single_ones, done_to, judges, place_asked_for, refers_to_named
from server.analyst.spoken_of import SpokenOf
from server.analyst.spoken_topics import of_what_was_spoken_of
from server.analyst.subjects import CODE, NO_NAMES
from server.analyst.topic_words import stems_of
from server.analyst.unread_words import SMALL_WORDS
from server.analyst.ways_out import DENIED, of_a_way_out, of_another_way, of_several

_FORMS = forms("understanding")
_ASKED_THINGS = forms("asked_things")
_KNOWN_FORMS = forms("known_forms")
_GOING_ON = forms("going_on")
_THREADS_COMPARED = forms("threads_compared")
_QUESTION = forms("question")
_SINGLE_EVENTS = forms("single_events")

ALL = "what takes the time?"
_RANKING = "what takes the most"
"""What is asked where a prompt only says what to leave out."""
SHORT_CHARACTERS = 24
"""Characters of a bare follow-up (`why?`, in any language)."""
OF_THE_RANKING = "It is counted by self value, the heaviest of the main profile first."
"""The note where no list was given that a place could be in."""
AGAIN = "Looked up again in the trace: these are its figures."
"""The note for a person who doubts the answer before."""


ASKED_AGAIN = intents("function callers callees how_often calls_of group")
"""Intents that `and parse?` asks of `parse`, too."""
OF_THREAD = OF_ALL | {Intent.CALLEES, Intent.FUNCTION, Intent.HOT_PATH, Intent.THREAD, Intent.GROUP}
"""Intents that may be about the thread of the answer before."""
FOLLOWS = frozenset({Intent.WHY, Intent.RECURSION, Intent.OVERVIEW})
"""Intents that are about the function of the answer before, if that was about one, where the prompt refers to it."""


def understood(
    prompt: str,
    viewer: dict[str, Any],
    windows: list[dict[str, Any]] | None = None,
    spoken_of: SpokenOf | None = None,
    openings: Sequence[str] = (),
) -> Question:
    """The question behind a prompt. `viewer` is what the person looks at: its selection is what `this function` means;
    `windows` are the time ranges that have a name; `spoken_of` is what a prompt without a name may go on about.
    """
    points = _KNOWN_FORMS.other_recording.search(prompt) is not None
    if not points and (of_all := of_the_recording(prompt, viewer, windows, is_first=spoken_of is None)):
        return of_all
    if openings and DENIED.match(openings[-1]) and _FORMS.what_then.match(prompt):
        return replace(alone(ALL, viewer, windows), note=alone(prompt, viewer, windows).note)
    way = of_another_way(prompt, spoken_of, openings) if not points else None
    of_it = spoken_of and not points and of_what_was_spoken_of(prompt, spoken_of, openings)
    if way and not (of_it and of_it.intent is Intent.GARBAGE and spoken_of and not collects(spoken_of.name)):
        return way
    if of_it:
        return of_it
    way_out = (spoken_of and of_several(prompt, spoken_of)) or of_a_way_out(prompt, spoken_of, openings)
    if way_out and not points:
        return way_out
    prompt = of_the_neighbour(prompt, spoken_of) if spoken_of else prompt
    question = _understood(prompt, viewer, windows, spoken_of, openings)
    is_bare = _KNOWN_FORMS.scales.search(prompt) and not (question.names or question.handle)
    if question.intent is Intent.GROWTH and is_bare and spoken_of and spoken_of.handle[:1] == "f":
        return replace(question, handle=spoken_of.handle, profile=spoken_of.profile, understood=True)
    if question.intent is Intent.COMPARE and not question.against:
        return replace(question, understood=question.understood or points)
    return with_measures(question, prompt, spoken_of, openings)


def _understood(
    prompt: str,
    viewer: dict[str, Any],
    windows: list[dict[str, Any]] | None,
    spoken_of: SpokenOf | None,
    openings: Sequence[str],
) -> Question:
    if spoken_of is not None and _GOING_ON.doubts.match(" ".join(prompt.split())):
        return _doubted(viewer, windows, spoken_of)
    rest, excluded = exclusion(prompt)
    if excluded and bare_place(prompt) is None:
        known = leaving_out(alone(rest or _RANKING, viewer, windows), excluded, spoken_of.name if spoken_of else "")
        if known:
            return known
    if spoken_of and (elsewhere := _of_something_before(prompt, viewer, windows, spoken_of)):
        return elsewhere
    prompt = in_its_order(prompt, spoken_of, openings) if spoken_of else prompt
    question = alone(corrected(prompt) if openings else prompt, viewer, windows, is_first=spoken_of is None)
    if spoken_of and (same := in_the_same_time(question, spoken_of)):
        return same
    if spoken_of and (there := _of_the_other(question, spoken_of)):
        return there
    if spoken_of and question.saves and _FORMS.both.search(question.text) and (both := _two_before(spoken_of)):
        return replace(question, intent=Intent.FIRST_FIX, names=both, maybe=(), placed=(), stems=(), understood=True)
    asked = (*spoken_of.prompts, spoken_of.prompt) if spoken_of else ()
    neighbour = next_to(question.text, asked, openings)
    if around := within(question.text, openings) or neighbour:
        text = ALL if neighbour else question.text
        return replace(question, intent=Intent.WINDOW, text=text, time_ranges=(around,), understood=True)
    if openings and corrected(prompt) != prompt and not (question.names or question.thread):
        question = replace(question, labels=(*question.labels, *long_words(question.text)))
    return question if spoken_of is None else _gone_on(question, prompt, spoken_of)


def _of_something_before(
    prompt: str, viewer: dict[str, Any], windows: list[dict[str, Any]] | None, spoken_of: SpokenOf
) -> Question | None:
    """The question that is one by what was spoken of alone: of a thread, of single events, of a place in an order."""
    if judges(prompt) and not (asked := alone(prompt, viewer, windows)).names:
        return _carried(replace(asked, intent=Intent.FUNCTION, maybe=(), stems=()), spoken_of)
    if elsewhere := of_threads(prompt, spoken_of) or _next_thread(prompt, spoken_of):
        return elsewhere
    before = alone(spoken_of.prompt, viewer, windows)
    if _FORMS.where.match(prompt) and before.intent in OF_A_CAUSE:
        return replace(before, text=f"{before.text} {prompt}")
    if _FORMS.rest.match(prompt) and (one := _of_single_ones(spoken_of)):
        return replace(alone(one, viewer, windows), text=f"{one} {prompt}")
    return _by_place(prompt, spoken_of)


def _of_the_other(question: Question, spoken_of: SpokenOf) -> Question | None:
    """The question for the other recording, after two were compared: `what's left there?`."""
    if spoken_of.is_less_there and _FORMS.is_left.search(question.text) and not (question.names or question.saves):
        return replace(question, intent=Intent.COMPARE, maybe=(), placed=(), stems=(), is_of_the_other=True)
    asked = (*spoken_of.prompts, spoken_of.prompt)
    if (one := _FORMS.the_one_named.search(question.text)) and not (question.names or question.saves):
        labels = [label for prompt in asked for label in alone(prompt, {}, None).labels]
        if any(one[1].casefold() in label.casefold().split("-") for label in labels):
            again = _compared_again(question, asked)
            return again and replace(again, maybe=(), placed=(), stems=(), is_of_the_other=True)
    if not _FORMS.there.search(question.text):
        return None
    ask = read(_FORMS.there.sub(" ", question.text))
    names = (*question.maybe, *(one for one in (ask.of if ask else ()) if one != IT))
    if spoken_of.is_of_recordings and (question.names or names or question.refers):
        return replace(question, intent=Intent.COMPARE, maybe=names, stems=(), understood=True)
    again = _compared_again(question, (spoken_of.prompt,)) if not question.names else None
    return again and replace(again, maybe=(), placed=(), stems=(), is_of_the_other=True)


def _gone_on(question: Question, prompt: str, spoken_of: SpokenOf) -> Question:
    """The question in its conversation: about the thread, the comparison or the function that was spoken of."""
    asked = (*spoken_of.prompts, spoken_of.prompt)
    if _KNOWN_FORMS.in_all.search(question.text):
        return replace(question, maybe=(), placed=(), stems=())
    if of_thread := _of_the_thread(question, spoken_of):
        return of_thread
    if question.names and corrected(prompt) != prompt:
        question = question.about(Intent.CORRECTION)
    question = _without_small_words(question)
    is_of_one = len(question.names) < RUNS and " than " not in question.text
    if is_of_one and _GOING_ON.compares.search(question.text) and (again := _compared_again(question, asked)):
        return again
    question = _against(question, spoken_of)
    before = alone(asked[0], {}, None)
    for earlier in asked[1:]:
        before = _asked_again(alone(earlier, {}, None), before)
    if question.names and _FORMS.versus.match(question.text) and before.intent is not Intent.COMPARE:
        of_places = before.intent is Intent.GROUP and before.names
        names = (*(before.names if of_places else (spoken_of.name,)), *question.names)
        intent = Intent.GROUP if of_places else Intent.TWO_FUNCTIONS
        return replace(question, intent=intent, names=names, maybe=(), placed=(), stems=(), understood=True)
    if question.names or question.placed or question.handle or question.thread:
        return _asked_again(question, before)
    if question.intent is Intent.HOW_OFTEN and (done := stems_of(done_to(question.text), NO_NAMES | SMALL_WORDS)):
        return replace(question, stems=done)
    return _carried_over(question, before, spoken_of)


def _next_thread(prompt: str, spoken_of: SpokenOf) -> Question | None:
    """The question for the thread that was spoken of, or the second one (`and second?`) of an answer about threads."""
    is_of_it = _FORMS.that_thread.search(prompt) or (spoken_of.threads and _FORMS.does.search(prompt))
    if is_of_it and not CODE.search(prompt):
        of_it = spoken_of.threads[0] if spoken_of.threads else spoken_of.profile
        return Question(intent=Intent.THREAD, text=prompt, thread=of_it) if of_it else None
    if len(spoken_of.threads) > 1 and _FORMS.of_each.match(prompt):
        return replace(alone("which threads are busiest", {}, None), text=prompt)
    at = 0 if _FORMS.worst_one.match(prompt) else bare_place(" ".join(prompt.split()))
    at = 1 if at == NEXT else at
    if at is None or not 0 <= at < len(spoken_of.threads):
        return None
    return Question(intent=Intent.THREAD, text=prompt, thread=spoken_of.threads[at])


def _of_single_ones(spoken_of: SpokenOf) -> str:
    """The newest prompt that asked for one of several events; empty where none did."""
    asked = (spoken_of.prompt, *spoken_of.prompts[::-1])
    return next((one for one in asked if asks_of_single_ones(one) or _SINGLE_EVENTS.outlier.search(one)), "")


def _two_before(spoken_of: SpokenOf) -> tuple[str, ...]:
    """The two names of the newest prompt that set one against another; empty where none did."""
    for prompt in (spoken_of.prompt, *spoken_of.prompts[::-1]):
        before = alone(prompt, {}, None)
        names = before.names or before.maybe
        if len(names) == 2:
            return names
    return ()


def _by_place(prompt: str, spoken_of: SpokenOf) -> Question | None:
    """The question for the second of all (`the second?`) after an answer that named the first alone, and no list."""
    text = " ".join(prompt.split())
    if _FORMS.runner_up.match(text):  # of all, whatever list was given since
        return Question(intent=Intent.FUNCTION, text=prompt, place=1, note=OF_THE_RANKING)
    if _FORMS.next_biggest.match(text) or (what_else(text) and spoken_of.handle not in spoken_of.ranked[:-1]):
        asked = "what else" if what_else(text) else prompt
        return Question(intent=Intent.FUNCTION, text=asked, place=NEXT, note=OF_THE_RANKING)
    if spoken_of.ranked or alone(spoken_of.prompts[0] if spoken_of.prompts else spoken_of.prompt, {}, None).names:
        return None
    place = bare_place(text)
    if (place := 1 if place == NEXT else place) is not None and place >= 0:
        return Question(intent=Intent.FUNCTION, text=text, place=place, note=OF_THE_RANKING)
    found = place_within(text)
    if found is None or found[0] < 0:
        return None
    asked = f"{text[: found[1]]}`{spoken_of.name}`{text[found[2] :]}"
    return replace(alone(asked, {}, None), names=(), maybe=(), stems=(), place=found[0], note=OF_THE_RANKING)


OF_COMPARING = word_list("of_comparing")


def _is_of_recordings(text: str) -> bool:
    """Whether a comparison is with another recording, by its words."""
    return bool(_GOING_ON.of_recordings.search(text) or _KNOWN_FORMS.other_recording.search(text))


def _against(question: Question, spoken_of: SpokenOf) -> Question:
    """The comparison, with what was spoken of where it may be with a function of the same recording."""
    if worse := worse_than_that(question.text):
        question = replace(question, intent=Intent.COMPARE, placed=(worse,))
    if question.intent is not Intent.COMPARE or _is_of_recordings(question.text):
        return question
    stems = stems_of(CODE.sub(" ", question.text), NO_NAMES | OF_COMPARING)
    return replace(question, maybe=question.names or question.placed, stems=stems, against=spoken_of.name)


def _of_the_thread(question: Question, spoken_of: SpokenOf) -> Question | None:
    """The question about the thread that the answer before was about, where it goes on about that."""
    names = bool(question.names or question.handle or question.thread or question.labels or question.time_ranges)
    names = (
        names
        or _FORMS.other_thread.search(question.text) is not None
        or _FORMS.of_waiting.search(question.text) is not None
    )
    goes_on = question.refers or _GOING_ON.goes_on.match(question.text) is not None
    blocks = question.intent is Intent.PAGE and _THREADS_COMPARED.blocks_it.search(question.text) is not None
    if not spoken_of.threads or names or not goes_on or not (blocks or question.intent in OF_THREAD):
        return None
    return replace(
        question, intent=Intent.THREAD, thread=spoken_of.threads[0], maybe=(), placed=(), stems=(), understood=True
    )


def _without_small_words(question: Question) -> Question:
    """The question: in `parse too` a word is a name, in `how much` none is."""
    if too := _GOING_ON.too.match(question.text):
        return replace(question, intent=Intent.FUNCTION, maybe=(too[1],), placed=(too[1],))
    one = _GOING_ON.and_one.match(question.text)
    plain = vocabulary() | NO_NAMES | SMALL_WORDS
    if one and not (question.names or question.thread) and one[1].casefold() not in plain:
        return replace(question, intent=Intent.FUNCTION, maybe=(one[1],), placed=(one[1],))
    there = _FORMS.on_a_thread.match(question.text)
    if there and not question.names and there[1].casefold() not in NO_NAMES | SMALL_WORDS:
        return replace(
            question, intent=Intent.FUNCTION, maybe=(there[1],), placed=(there[1],), otherwise=question.intent
        )
    first = named_first(question.text)
    if first and not (question.names or question.thread) and first.casefold() not in vocabulary():
        return replace(question, maybe=(first,), placed=(first,), stems=())
    nameless = _GOING_ON.goes_on.match(question.text) or (_GOING_ON.within.search(question.text) and not question.names)
    of_it = _ASKED_THINGS.it_is_asked_of.search(question.text) and not refers_to_named(question.text, question.maybe)
    nameless = nameless or (of_it and not question.names)
    return replace(question, maybe=(), placed=(), stems=()) if nameless else question


def _doubted(viewer: dict[str, Any], windows: list[dict[str, Any]] | None, spoken_of: SpokenOf) -> Question:
    """The question before once more; about the function of its answer where it went on about that."""
    before = alone(spoken_of.prompt, viewer, windows)
    if before.names or before.placed or before.handle or before.thread or before.intent not in ABOUT_ONE_FUNCTION:
        return replace(before, note=AGAIN)
    return replace(_carried(before, spoken_of), maybe=(), stems=(), note=AGAIN)


def _compared_again(question: Question, asked: Sequence[str]) -> Question | None:
    """The comparison that was asked for before, by the words that named the other recording there."""
    for prompt in reversed(asked):
        meant = corrected(prompt)
        before = alone(meant, {}, None)
        if meant != " ".join(prompt.split()):
            before = replace(before, labels=(*before.labels, *long_words(meant)))
        if before.labels or before.intent is Intent.COMPARE:
            text = f"{question.text} {prompt}"
            return replace(question, intent=Intent.COMPARE, text=text, labels=before.labels, understood=True)
    return None


def _asked_again(question: Question, before: Question) -> Question:
    """The question before, about what this prompt names, where it only names something (`and parse?`, `no, I meant
    parse`)."""
    only_names = question.intent is Intent.CORRECTION or (
        question.intent in OF_ALL | {Intent.FUNCTION} and _FORMS.and_of_another.match(question.text) is not None
    )
    if only_names and before.intent is Intent.COMPARE and question.names:
        return question.about(Intent.COMPARE)
    if not only_names or before.intent not in ASKED_AGAIN or (before.intent is Intent.GROUP and question.handle):
        return question.about(Intent.FUNCTION) if question.intent is Intent.CORRECTION else question
    return question.about(before.intent)


def _carried_over(question: Question, before: Question, spoken_of: SpokenOf) -> Question:
    """The question, about what was spoken of where it names nothing itself and goes on."""
    if spoken_of.is_aside and question.saves and question.refers:  # what an answer names only in passing is not meant
        return replace(question, maybe=(), placed=(), stems=())
    about_one = before.intent in ABOUT_ONE_FUNCTION | {Intent.LONG_TASKS} or bool(before.names) or spoken_of.is_of_one
    intent = question.intent
    short = len(question.text.split()) <= SHORT and len(question.text) <= SHORT_CHARACTERS
    goes_on = _GOING_ON.goes_on.match(question.text) is not None or (intent is Intent.WHY and short)
    if question.saves and (question.refers or intent not in OF_A_CAUSE) and not _FORMS.in_order.search(question.text):
        intent, goes_on = Intent.FIRST_FIX, True
    elif about_one and _FORMS.how_many_of_it.search(question.text):
        intent, goes_on = Intent.HOW_OFTEN, True
    elif about_one and _GOING_ON.within.search(question.text) and not question.why and intent not in OF_A_CAUSE:
        intent, goes_on = Intent.CALLEES, True
    elif goes_on or (intent in FOLLOWS and question.refers and about_one):
        intent = Intent.FUNCTION
    elif place_asked_for(question.text) and before.intent is Intent.CALLS_OF:
        intent, goes_on = Intent.CALLS_OF, True
    elif intent is Intent.SHOW and not question.refers:
        return question
    allowed = ABOUT_ONE_FUNCTION | ({Intent.FIRST_FIX} if goes_on else set())
    if intent not in allowed | ({Intent.TIMELINE} if question.refers else set()) or question.time_ranges:
        return question
    of_it = question.refers and intent in (Intent.CALLERS, Intent.CALLEES)
    if (
        not goes_on
        and not of_it
        and (_QUESTION.most.search(question.text) or not (question.refers or question.understood))
    ):
        return question
    return _carried(question.about(intent), spoken_of)


def _carried(question: Question, spoken_of: SpokenOf) -> Question:
    """The question about the function of the answer before."""
    of_it = replace(question, handle=spoken_of.handle, carried=spoken_of.cited, profile=spoken_of.profile)
    return replace(of_it, placed=(), understood=True)


_CARRIED_SCOPE = forms("carried_scope")


def of_the_neighbour(prompt: str, spoken_of: SpokenOf) -> str:
    """The prompt with the function that the answer before named as caller or callee in place of `that one`, where `it`
    would still be the one whose neighbours these are."""
    around = alone(spoken_of.prompt, {}, None).intent in (Intent.CALLERS, Intent.CALLEES)
    of_it = around and len(spoken_of.listed) > 1 and not first_form("work", prompt)
    found = _CARRIED_SCOPE.that_one.search(prompt) if of_it else None
    return f"{prompt[: found.start()]} {spoken_of.listed[1]} {prompt[found.end() :]}".strip() if found else prompt


def of_threads(prompt: str, spoken_of: SpokenOf) -> Question | None:
    """The question before about tasks, of all threads (`and on any other thread?`); or for one of the threads that were
    asked for (`which one is busiest`). None for any other."""
    before = alone(spoken_of.prompt, {}, None)
    if before.intent is Intent.PROFILES and _CARRIED_SCOPE.which_one.match(" ".join(prompt.split())):
        return replace(alone(prompt, {}, None), intent=Intent.PROFILES, names=(), maybe=(), stems=(), understood=True)
    if before.intent is not Intent.LONG_TASKS or not _CARRIED_SCOPE.other_threads.match(" ".join(prompt.split())):
        return None
    return replace(before, text="longest task of all threads", time_ranges=(), on_thread=None, understood=True)


def in_the_same_time(question: Question, spoken_of: SpokenOf) -> Question | None:
    """The question for the time that a prompt before named, of what this one names; None where it has no such words."""
    if question.time_ranges or not _CARRIED_SCOPE.same_time.search(question.text):
        return None
    asked = (*spoken_of.prompts, spoken_of.prompt)
    ranges = next((found for one in reversed(asked) if (found := alone(one, {}, None).time_ranges)), ())
    return replace(question, intent=Intent.WINDOW, time_ranges=ranges, understood=True) if ranges else None
