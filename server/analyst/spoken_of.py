"""What an answer speaks of: what a prompt without a name may go on about."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from server.agent.verification.references.figure_links import without_addresses
from server.analyst.ordinals import place_within, ranked_in
from server.analyst.pseudo_frames import EVENTS, OF_A_THREAD, collects
from server.analyst.typing_slips import corrected

GOES_BACK = 3
"""Prompts before the last one that say what `and parse?` asks of `parse`."""
_CITED = re.compile(r"\[`([^`\n]+)`\]\(#([fns]\d+)\)")

_CULPRIT = re.compile(
    r"Below it the largest part is \w+ in (?=\[`)|calls in [^;`]{1,60}? runs? of \[`[^`\n]+`\]\(#\w+\); (?=\[`)|"
    r"^\*\*(?:Nothing|[^`*]{1,40}) of \[`[^`\n]+`\]\(#\w+\) is (?=\[`)"
)
"""What an opening calls the reason for the cost of another function: what a person goes on about."""
_SET_AGAINST = re.compile(
    r"\btakes more\b|\btimes (?:as|what)\b|\bhas more calls\b|\btake the same\b|\bare called as often\b|"
    r"\btakes? the most of them\b"
)
"""How an opening sets one function against another."""
# How an answer begins that names functions only as what could be meant, or asked.
_OF_NOTHING = re.compile(
    r"This trace has no function that matches|\*\*I cannot answer that\*\*: nothing here|\*\*The recording does not"
)
# How one begins that has not what was asked for of what was spoken of before, which it leaves as it was.
_WITHOUT_A_FIGURE = re.compile(r"\*\*I cannot answer that\*\*: (?!nothing here)")
_OF_RECORDINGS = re.compile(r"\bIn `[^`\n]+` it is .+? in all, here |\bFrom `[^`\n]+` to `")
"""How an opening sets this recording against another."""
_SENTENCE_END = re.compile(r"(?<=[.:])\**(?: |$)(?=\W*[A-Z])")
_OF_NEIGHBOURS = re.compile(
    r"\bcalled in\b|\bcall(?:ed|s)\b.*\b(?:from|by|most of all)\b|"
    r"\bcalls? |\bbelow\b|\bmost of (?:it|that)\b|\bwaits there"
)
"""How an opening names others than what it is about: what they call, and who calls them."""
_LESS_THERE = re.compile(r"\bIn `[^`\n]+` it is .+? in all, here .+?: [\d.]+ times as much(?! there)")
_CITED_PROFILE = re.compile(r"\]\(#(p\d+)\)")


@dataclass(frozen=True, slots=True)
class SpokenOf:
    """What the answer before this prompt begins with: a handle, its citation as it was written, the prompt that it
    answered, and the profile that it names, if it does."""

    handle: str
    cited: str
    prompt: str
    profile: str | None = None
    prompts: tuple[str, ...] = ()
    """The prompts before that one."""
    listed: tuple[str, ...] = ()
    """The handles of all functions that the answer cites, in its order."""
    ranked: tuple[str, ...] = ()
    """The handles of the newest list of several functions that an answer gave, in its order."""
    threads: tuple[str, ...] = ()
    """The handles of all profiles that the answer cites, in its order, where it begins with one."""
    pair: tuple[str, ...] = ()
    """The handles of the two functions that were spoken of last: those that the answer compares, else the newest."""
    subjects: tuple[tuple[tuple[str, str], ...], ...] = ()
    """Citations and handles of what each answer begins with, the newest answer first."""
    sets_against: bool = False
    """Whether the answer sets these two against each other."""
    is_of_recordings: bool = False
    """Whether the answer sets this recording against another."""
    is_less_there: bool = False
    """Whether an answer set it against one that takes less."""
    is_aside: bool = False
    """Whether the answer names a function only after its first paragraph: it is about something else."""

    @property
    def name(self) -> str:
        """Of what the answer before was about."""
        return self.cited.removeprefix("[`").partition("`")[0]

    @property
    def is_of_one(self) -> bool:
        """Whether the answer begins with one function, which is what it is about."""
        newest = self.subjects[0] if self.subjects else ()
        return not self.is_aside and [one[1] for one in newest] == [self.handle] and self.handle[:1] == "f"

    def last(self, number: int) -> tuple[tuple[str, str], ...]:
        """The citations and handles of as many as were spoken of last: the newest list of so many, else what the newest
        answers were about; empty where there are fewer."""
        found: dict[str, tuple[str, str]] = {}
        for some in self.subjects:
            if len(some) == number:
                return some
            fits = len(found) + len(some) <= number
            found |= {one[0]: one for one in reversed(some if fits else some[:1])}
            if len(found) == number:
                return tuple(found.values())[::-1]
        return ()


def _pair(answers: Sequence[str], newest: str) -> tuple[str, ...]:
    """The two functions spoken of last, by the answers, the newest first; `newest` is what the first is about."""
    opening = without_addresses(answers[0]).partition("\n")[0]
    found = [one[2] for one in _CITED.finditer(opening)] if _SET_AGAINST.search(opening) else [newest]
    for answer in answers[1:]:
        first = next(
            (
                one
                for one in _CITED.finditer(answer.partition("\n")[0])
                if one[1] not in EVENTS and not OF_A_THREAD.match(one[1])
            ),
            None,
        )
        found += [first[2]] if first else []
    return tuple(dict.fromkeys(found))[:2]


def _subjects(answer: str) -> tuple[tuple[str, str], ...]:
    """The citations and handles of what an answer begins with: all of a list or of what is set against each other, else
    the first one."""
    sentences = _SENTENCE_END.split(without_addresses(answer).partition("\n")[0], 2)[:2]
    sentence = next((one for one in sentences if _CITED.search(one)), "")
    found = {one[1]: one for one in _CITED.finditer(sentence) if one[1] not in EVENTS and not OF_A_THREAD.match(one[1])}
    some = list(found.values())[: 1 if _OF_NEIGHBOURS.search(sentence) else None]
    return tuple((one[0], one[2]) for one in some)


def _ranked(earlier: Sequence[BaseMessage], answers: Sequence[int]) -> tuple[str, ...]:
    """The newest list of these answers; what one of a list calls, or who calls it, is no list after that."""
    found: tuple[str, ...] = ()
    for at in answers:
        found = ranked_in(earlier[at].text) or found
        prompt = next((one.text for one in reversed(earlier[:at]) if isinstance(one, HumanMessage)), "")
        if found and place_within(prompt) is None:
            break
    return found


def spoken_of_before(earlier: Sequence[BaseMessage]) -> SpokenOf | None:
    """None when nothing was answered yet, or the newest answer cites no function."""
    answers = [at for at, message in enumerate(earlier) if isinstance(message, AIMessage) and message.text]
    while len(answers) > 1 and _WITHOUT_A_FIGURE.match(earlier[answers[-1]].text):
        answers.pop()
    found = list(_CITED.finditer(earlier[answers[-1]].text)) if answers else []
    if not found or _OF_NOTHING.match(earlier[answers[-1]].text):
        return None
    cited = next((one for one in found if one[1] not in EVENTS and not OF_A_THREAD.match(one[1])), found[0])
    opening = earlier[answers[-1]].text.partition("\n")[0]
    in_opening = list(_CITED.finditer(opening))
    if in_opening and all(collects(one[1]) for one in in_opening):
        cited = in_opening[0]  # the collector is what was asked for
    if culprit := _CULPRIT.search(opening):
        cited = _CITED.match(opening, culprit.end()) or cited
    if cited[2].startswith("s"):  # a single call: what is asked next is asked of its function, if that is cited, too
        cited = next((one for one in found if one[1] == cited[1] and one[2].startswith("f")), cited)
    asked = [message for message in earlier[: answers[-1]] if isinstance(message, HumanMessage)]
    text = earlier[answers[-1]].text
    profile = _CITED_PROFILE.search(text.partition("\n")[0])
    first_profile = _CITED_PROFILE.search(text)
    of_profile = first_profile is not None and first_profile.start() < found[0].start()
    *before, last = [corrected(message.additional_kwargs.get("prompt") or message.text) for message in asked] or [""]
    return SpokenOf(
        handle=cited[2],
        cited=cited[0],
        prompt=last,
        profile=profile[1] if profile else None,
        prompts=tuple(before[-GOES_BACK:]),
        listed=tuple(dict.fromkeys(one[2] for one in found)),
        pair=_pair([earlier[at].text for at in reversed(answers)], cited[2]),
        subjects=tuple(_subjects(earlier[at].text) for at in reversed(answers)),
        sets_against=_SET_AGAINST.search(opening) is not None and len(set(_CITED.findall(opening))) > 1,
        is_less_there=any(_LESS_THERE.search(without_addresses(earlier[at].text)) for at in answers),
        is_of_recordings=_OF_RECORDINGS.search(without_addresses(opening)) is not None,
        ranked=_ranked(earlier, answers[:-GOES_BACK:-1]),
        is_aside=re.search(r"\]\(#[fns]\d", text.partition("\n\n")[0]) is None,
        threads=tuple(dict.fromkeys(_CITED_PROFILE.findall(text))) if of_profile else (),
    )
