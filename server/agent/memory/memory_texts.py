"""What of a finding, an answer, a turn or a fact is remembered, and by which words it is found."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from server.agent.memory.fact_likeness import anchors
from server.agent.memory.word_senses import UNSPACED, finding_mark, sense_marks
from server.ports.memories import MOST_MEANING, MOST_TEXT, MOST_WORDS, MemoryKind, NewMemory
from server.quoting import clamp
from traces.insights.registry import DETECTORS
from traces.lazy_regex import lazy_regex

ANSWER_CHARACTERS = 600
PROMPT_CHARACTERS = 300
CITED = 12
"""Functions that a remembered answer names."""

_HANDLE = lazy_regex(r" ?\((?:[fpsn]\d+)\)")
_INNER = lazy_regex(r"(?<=[a-z0-9])(?=[A-Z])")
_JOINED = lazy_regex(r"[_.:/<>*#$\-]+")
_FIGURE = lazy_regex(r"\b[\d,.]+\s?(?:%|ms|s|µs|ns|MB|GB|kB|B|min)?(?=\W|$)")
_CJK = lazy_regex(f"{UNSPACED}+")
_LINK = lazy_regex(r"\[([^\]]*)\]\([^)\s]*\)")
_OF_PEOPLE = lazy_regex(
    r' ?\(remembered: "(?:\\.|[^"\\])*"\)|\*{0,2}Remembered:\*{0,2} "(?:\\.|[^"\\])*"\.?', re.IGNORECASE
)
_ENDING = lazy_regex(r"(?:\.(?:gz|zst|json|txt|prof|pb|out|jfr|html|trace))+$", re.IGNORECASE)
"""Of a recording's name, what says nothing of the program."""

SENTENCES = Path(__file__).with_name("finding_sentences.toml")
MOST_NAMED = 200
"""Characters of what a recording's other findings name."""

_PROFILE = lazy_regex(r'"([^"]+)" \(p\d+\)')
_NUMBERED = lazy_regex(r"\([^)]*\)|\d+")
_MARKS = lazy_regex(r"\*\*|`")
_TITLES = {one.id: f"{one.title}. {one.about}" for one in DETECTORS}


def separate_words(text: str) -> str:
    """The text with the parts of its names apart: `parseJson` is `parse Json`, `js/app.ts` is `js app ts`."""
    return " ".join(_JOINED.sub(" ", _INNER.sub(" ", text)).split())


def letter_pairs(text: str) -> str:
    """Pairs of letters of scripts that leave no space between words."""
    return " ".join(run[at : at + 2] for run in _CJK.findall(text) for at in range(max(len(run) - 1, 1)))


def words_of(*texts: str) -> str:
    """By which a memory is found besides its own text."""
    joined = " ".join(texts)
    return clamp(f"{separate_words(joined)} {letter_pairs(joined)}".strip(), MOST_WORDS)


def marked_words(*texts: str) -> str:
    """As `words_of`, with marks of what the texts name in words of their own."""
    return clamp(f"{sense_marks(' '.join(texts))} {words_of(*texts)}".strip(), MOST_WORDS)


def finding_memories(trace_id: str, name: str, findings: Sequence[Mapping[str, Any]]) -> Iterator[NewMemory]:
    """Those that are stored with a trace. A vector is made of the program, of what was found, and of what such a one
    means in ordinary words; among the words of each are the threads and pages that any of them names."""
    named, program = separate_words(name), separate_words(_ENDING.sub("", name))
    profiles = _profiles_named(name, findings)
    for at, finding in enumerate(findings):
        id_, detail = str(finding.get("id", "")), str(finding.get("detail", "")).strip()
        if not detail:
            continue
        text = clamp(detail, MOST_TEXT)
        title, sentence = _TITLES.get(id_, separate_words(id_)), _sentences().get(id_, "")
        meaning = f"{program}: {_FIGURE.sub('', separate_words(_HANDLE.sub('', text)))} {sentence}"
        yield NewMemory(
            kind=MemoryKind.FINDING,
            source="finding",
            key=f"finding:{trace_id}:{at}",
            text=text,
            meaning=clamp(meaning.strip(), MOST_MEANING),
            words=clamp(f"{finding_mark(id_)} {words_of(named, id_, title, text, profiles, sentence)}", MOST_WORDS),
            trace_id=trace_id,
            anchors=anchors_of(text),
            metadata={"finding": id_, "severity": str(finding.get("severity", ""))},
        )


@cache
def _sentences() -> dict[str, str]:
    return tomllib.loads(SENTENCES.read_text(encoding="utf-8"))


def _profiles_named(name: str, findings: Sequence[Mapping[str, Any]]) -> str:
    """The names of threads and pages in the texts of findings: a person knows the page, though only one finding has its
    title."""
    found = (one for finding in findings for one in _PROFILE.findall(str(finding.get("detail", ""))) if one != name)
    return clamp(" ".join(dict.fromkeys(" ".join(_NUMBERED.sub(" ", one).split()) for one in found)), MOST_NAMED)


def answer_memory(
    *, turn_id: str, session_id: str, trace_id: str, prompt: str, answer: str, citations: Sequence[Mapping[str, Any]]
) -> NewMemory | None:
    """A finished answer in short, with what it cites by name and file, without what it quotes of remembered facts,
    which may be struck; None for an empty one."""
    said = " ".join(_MARKS.sub("", _OF_PEOPLE.sub("", _LINK.sub(r"\1", answer))).split())
    if not said:
        return None
    cited = dict.fromkeys(
        " ".join(str(part) for part in (one.get("name") or one.get("label"), one.get("file")) if part)
        for one in citations
    )
    names = [name for name in cited if name and name not in said][:CITED]
    text = clamp(said, ANSWER_CHARACTERS) + (f" (cites {', '.join(names)})" if names else "")
    asked = clamp(" ".join(prompt.split()), PROMPT_CHARACTERS)
    return NewMemory(
        kind=MemoryKind.ANSWER,
        source="answer",
        key=f"answer:{turn_id}",
        text=clamp(text, MOST_TEXT),
        meaning=clamp(f"{asked} {separate_words(text)}", MOST_MEANING),
        words=marked_words(asked, text),
        trace_id=trace_id,
        session_id=session_id,
        turn_id=turn_id,
        anchors=anchors_of(text),
        metadata={"asked": asked},
    )


def turn_memory(
    *, turn_id: str, session_id: str, trace_id: str, prompt: str, answer: str, position: int = 0
) -> NewMemory | None:
    """A turn that has left its conversation's window: what was asked, at which position, and how the answer began."""
    asked = clamp(" ".join(prompt.split()), 2 * ANSWER_CHARACTERS)
    if not asked:
        return None
    said = clamp(" ".join(_LINK.sub(r"\1", answer).split()), ANSWER_CHARACTERS)
    text = f"asked: {asked}" + (f" answered: {said}" if said else "")
    return NewMemory(
        kind=MemoryKind.TURN,
        source="conversation",
        key=f"turn:{turn_id}",
        text=clamp(text, MOST_TEXT),
        meaning=clamp(separate_words(text), MOST_MEANING),
        words=marked_words(text),
        trace_id=trace_id,
        session_id=session_id,
        turn_id=turn_id,
        anchors=anchors_of(asked),
        metadata={"position": position, "prompt": asked},
    )


def fact_memory(fact: str, *, conflicts_with: str | None = None) -> NewMemory:
    """A fact of core memory; `conflicts_with` is the key of an older one that it does not go with."""
    text = clamp(" ".join(fact.split()), MOST_TEXT)
    return NewMemory(
        kind=MemoryKind.FACT,
        source="core_memory",
        key=f"fact:{text}"[:200],
        text=text,
        meaning=clamp(text, MOST_MEANING),
        words=marked_words(text),
        anchors=anchors_of(text),
        metadata={} if conflicts_with is None else {"conflicts_with": conflicts_with},
    )


def anchors_of(text: str) -> tuple[str, ...]:
    """Figures with units, and names, that a memory of the same thing has too."""
    found = anchors(text)
    return tuple(dict.fromkeys([*found.figures, *found.names]))[:60]
