"""Prompts that go on about one call: `longest?`, `when was that`, `what ran in it`, `and the second`, `the rest?`.

They name nothing; what they are about is the call or the function that the answer before begins with. A prompt with a
word that has no place here is left to the other kinds.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from server.analyst.asks.lexicon import NO_SPACES, lexicon
from server.analyst.evidence import Evidence
from server.analyst.forms import forms, word_list
from server.analyst.moments import milliseconds
from server.analyst.spoken_of import SpokenOf
from server.analyst.subject_words import in_english

_FORMS = forms("single_calls")
_ASKS = forms("asks")
MOST_WORDS = 14
NAMES = 3
"""Words by which calls are named (`the slowest image download`)."""
SLOTS = ("inside", "before", "after", "typical", "others", "longest", "shortest", "arguments", "when", "thread")
"""What is asked of a call, in the order in which a prompt is read for it."""
_OF_A_FOCUS = frozenset({"inside", "before", "after", "arguments", "when", "thread", "others", "next"})
"""What is asked of a call that was spoken of, and of nothing else."""
_OF_NAMED = frozenset({"longest", "shortest", "typical", "first"})
_WITH_NAMED = frozenset({"inside", "when", "thread", "arguments"})
_PLACES = ("", "second", "third", "fourth", "fifth")
PROFILE = re.compile(r"\[`[^`\n]+`\]\(#(p\d+)\)")
_SPOKEN = re.compile(
    rf"\b[Tt]he (?:({'|'.join(_PLACES[1:])}) )?(?:slowest|longest|(shortest))(?: call of |( task\b|, (?=\[)))"
    r"[^\[\n]*?(?:\[[^\]\n]+\]\(#q[^)\n]*\)[^\[\n]*)*\[`[^`\n]+`\]\(#([sf]\d+)\)"
)
"""How an opening speaks of one call or task."""
_OUTLIER = re.compile(
    r"\bOne of .{1,40} calls of \[`[^`\n]+`\]\(#(f\d+)\) lasts|\*\*\[`[^`\n]+`\]\(#(f\d+)\) takes \S+ \S+ at the most"
)
_PART = re.compile(
    r"^\*\*(?:[^*\[]{1,20}|\[[^\]\n]+%\]\(#[^)\n]+\)) of \[`[^`\n]+`\]\(#f\d+\) is \[`[^`\n]+`\]\(#(f\d+)\)\*\*"
)
"""How an opening gives one function as a part of another."""
_OF_NO_CALL = re.compile(r"\*\*(?:I cannot answer that\*\*|The middle (?:call|task)\b)")
"""How an opening begins after which the call that was spoken of before is still meant."""


@dataclass(frozen=True, slots=True)
class CallAsk:
    """`slots` of one call, which is at `place` of the order, where the prompt says so; `noun` of `which alarm`; `limit`
    in ms and as it is written; `thread` of `longest task on io-3`; `names` of `slowest image download`, `number` of
    `order 1109`."""

    slots: tuple[str, ...]
    place: int | None = None
    noun: str = ""
    limit: tuple[float, str] | None = None
    thread: str = ""
    names: tuple[str, ...] = ()
    number: str = ""

    @property
    def needs_a_call(self) -> bool:
        return not {*self.slots} - _OF_A_FOCUS

    def has(self, *names: str) -> bool:
        return bool({*names} & {*self.slots})


@dataclass(frozen=True, slots=True)
class Spoken:
    """The call that the answer before speaks of: of a function or, if it `is_task`, of what begins by itself in a
    thread. `handle` is of the call itself or of its function."""

    handle: str
    place: int = 0
    is_shortest: bool = False
    is_task: bool = False


def read_call(prompt: str) -> CallAsk | None:
    """What a prompt asks of a single call; None where a word of it has no place."""
    text = " ".join(prompt.casefold().split())
    if not text or len(text.split()) > MOST_WORDS or _FORMS.otherwise.search(text):
        return None
    if found := _FORMS.how_many_in_it.search(text):
        noun = found["noun"] or found["of_it"]
        return None if noun in lexicon().small | word_list("one_call") else CallAsk(("inside",), None, noun)
    if _FORMS.first_against.search(text):
        return None if "`" in prompt else _of_calls_named(("first",), _left(_FORMS.first_words.sub(" ", text)))
    text, limit = _without_limit(text)
    found = _FORMS.which.search(text)
    noun = found["noun"] if found else ""
    text = _FORMS.which.sub(" ", text) if found else text
    slots = ["limit"] if limit else ["arguments"] if noun else []
    for name in SLOTS:
        form = getattr(_FORMS, name)
        slots += [name] if form.search(text) else []
        text = form.sub(" ", text)
    text, place = _without_place(text)
    if _FORMS.next.search(text):
        slots, text = ["next", *slots], _FORMS.next.sub(" ", text, count=1)
    if place is not None and not {*slots} & {"longest", "shortest", "inside"}:
        slots = ["place", *slots]
    left = _left(text)
    is_of_thread = len(left) == 1 and _FORMS.task.search(prompt) and _FORMS.a_thread.fullmatch(left[0])
    if left and not is_of_thread:
        return None if "`" in prompt else _of_calls_named(tuple(dict.fromkeys(slots)), left, place, text)
    return CallAsk(tuple(dict.fromkeys(slots)), place, noun, limit, left[0] if left else "") if slots else None


def _of_calls_named(
    slots: tuple[str, ...], left: list[str], place: int | None = None, text: str = ""
) -> CallAsk | None:
    """What is asked of calls by words of their names, or by a number that one was given; None of anything else."""
    numbered = _FORMS.numbered.search(text)
    numbers = [word for word in left if numbered and word == numbered["number"]]
    words = [word for word in left if word not in word_list("no_name_of_calls") | {*numbers}]
    if not words and slots == ("first",):
        return CallAsk(slots)
    if not 0 < len(words) <= NAMES or any(not word.isalpha() or word in word_list("no_calls") for word in words):
        return None
    is_one = len(numbers) == 1 and len(words) < NAMES and not {*slots} - {"inside", "when", "arguments"}
    if not (is_one or (not numbers and {*slots} & _OF_NAMED and not {*slots} - _OF_NAMED - _WITH_NAMED)):
        return None
    names = tuple(in_english(word) for word in words)
    return CallAsk(slots, place, names=names, number=numbers[0] if numbers else "")


def _without_limit(text: str) -> tuple[str, tuple[float, str] | None]:
    """The text without a length that calls are over, and that."""
    found = _ASKS.over.search(text)
    if found is None:
        return text, None
    unit = next((one for one in found.groups()[1:] if one), None)
    written = f"{found['number']} {found[0][found.end('number') - found.start() :].strip(' 的')}"
    limit = milliseconds(found["number"].replace(",", "."), unit), written.replace("μ", "µ")
    return f"{text[: found.start()]} {text[found.end() :]}", limit


def _without_place(text: str) -> tuple[str, int | None]:
    """The text without the first place that it names, and that."""
    for at, ordinal in enumerate(_PLACES[1:], start=1):
        form = getattr(_FORMS, ordinal)
        if form.search(text):
            return form.sub(" ", text, count=1), at
    return text, None


def _left(text: str) -> list[str]:
    """The words of a prompt that are not of asking."""
    words = lexicon()
    known = words.small | words.refers | word_list("one_call")
    if NO_SPACES.search(text):
        text = _FORMS.particles.sub(" ", text)
    return [word for word in re.findall(r"[^\W\d_][\w'’./:#-]*|\d+", text) if word.rstrip(".:'’/-") not in known]


def spoken_call(evidence: Evidence) -> Spoken | None:
    """The call that the newest answer speaks of; None where that speaks of none."""
    opening = next((one for one in reversed(evidence.openings) if not _OF_NO_CALL.match(one)), "")
    if found := _SPOKEN.search(opening):
        place = _PLACES.index(found[1]) if found[1] else 0
        return Spoken(found[4], place, found[2] is not None, found[3] is not None)
    if found := _OUTLIER.search(opening):
        return Spoken(found[1] or found[2])
    return None


def inside_of(prompt: str, before: SpokenOf, openings: Sequence[str]) -> str:
    """The handle of the function that a prompt asks to see into: of what the answer before is about, or gives as a part
    of another one; empty where it asks for something else, or one call was spoken of."""
    asked = read_call(prompt)
    if asked is None or asked.slots != ("inside",) or asked.noun or asked.names or before.threads:
        return ""
    part = _PART.search(openings[-1]) if openings else None
    return part[1] if part else before.handle if before.is_of_one else ""


def meant(evidence: Evidence) -> tuple[CallAsk, Spoken] | None:
    """What is asked, and the call that it is asked of; None where the prompt is left to others."""
    asked = read_call(evidence.prompt)
    if asked and asked.names:
        return asked, Spoken("", asked.place or 0, asked.has("shortest"))
    if asked and asked.thread and not asked.needs_a_call:
        return asked, Spoken("", asked.place or 0, asked.has("shortest"), is_task=True)
    if evidence.spoken_of is None or asked is None or asked.thread:
        return None
    call = spoken_call(evidence)
    if call is None and (asked.needs_a_call or asked.has("place")):
        return None
    if call is None and not evidence.spoken_of.is_of_one:
        return None
    call = call or Spoken(evidence.spoken_of.handle)
    if asked.has("limit"):  # of a function, others know more
        return (asked, replace(call, place=0, is_shortest=False)) if call.is_task else None
    if asked.has("shortest") and evidence.spoken_of.ranked:
        return None  # of a list: `y el más rápido?`
    if asked.has("next"):
        return asked, replace(call, place=call.place + 1)
    if asked.has("longest", "shortest", "place"):
        is_shortest = asked.has("shortest") or (asked.has("place") and call.is_shortest)
        return asked, replace(call, place=asked.place or 0, is_shortest=is_shortest)
    return asked, call
