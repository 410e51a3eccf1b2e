"""Which parts of a prompt come out of the trace: whoever pastes them has not said them."""

import re

from traces.model import Trace

LINE_WORDS = 3
"""From so many words on, a line or sentence of the prompt that the trace has was copied: fewer are a name."""

NAME_WORDS = 4
"""From so many words on, a text of the trace that stands within a line was copied."""

LONGEST = 20_000
"""Characters of a prompt that are looked at; it has at most 16,000."""

_PARTS = re.compile(r"[\n.!?]+")


def copied_pieces(trace: Trace, prompt: str) -> frozenset[str]:
    """Lines and sentences of the prompt that some text of the trace holds, and texts of the trace that stand in the
    prompt, without regard to case.
    """
    prompt = prompt[:LONGEST]
    arena = trace.strings.arena.tobytes().decode("utf-8", "replace").casefold()
    parts = {part.strip(" \t>-*\"'") for part in (*prompt.split("\n"), *_PARTS.split(prompt))}
    found = {part for part in parts if len(part.split()) >= LINE_WORDS and part.casefold() in arena}
    asked = prompt.casefold()
    first_words = set(asked.split())
    for index in range(len(trace.strings)):
        text = trace.strings[index][:LONGEST].strip()
        words = text.casefold().split(None, NAME_WORDS)
        if len(words) >= NAME_WORDS and words[1] in first_words and text.casefold() in asked:
            found.add(text)
    return frozenset(found)
