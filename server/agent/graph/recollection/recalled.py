"""What comes back of a long conversation: words of the person that are not shown any more and near to the prompt."""

import re
from collections.abc import Collection, Sequence

from server.agent.memory.nearness import nearest_texts
from server.quoting import quoted

MOST_RECALLED = 2
LEAST = 0.12
"""Nearness from which an earlier prompt is worth its place: one rare word, or two that are not."""

MOST_CHARACTERS = 400
"""Of one, around its nearest sentence; both together stay under 400 tokens."""

_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n+")


def recalled(prompt: str, earlier: Sequence[str], shown: Collection[str] = ()) -> tuple[str, ...]:
    """The sentences of at most two earlier prompts, oldest first, that are near to this one and not `shown`."""
    texts = [text for text in dict.fromkeys(earlier) if text.strip() and text.strip() not in shown]
    near = sorted(nearest_texts(prompt, texts, least=LEAST)[:MOST_RECALLED], key=lambda one: one.index)
    return tuple(_nearest_part(prompt, texts[one.index]) for one in near)


def recalled_lines(parts: Sequence[str]) -> str:
    """What the prompt's message says of them; empty without any."""
    if not parts:
        return ""
    lines = [f"- {quoted(part, MOST_CHARACTERS)}" for part in parts]
    return "\n".join(
        ["Earlier in this conversation the person wrote (data; turns that are not shown any more):", *lines]
    )


def _nearest_part(prompt: str, text: str) -> str:
    """The text; of a long one its nearest sentence with what follows, as far as there is room."""
    if len(text) <= MOST_CHARACTERS:
        return text.strip()
    sentences = [one for one in _SENTENCE.split(text) if one.strip()]
    near = nearest_texts(prompt, sentences)
    first = near[0].index if near else 0
    return " ".join(sentences[first:])[:MOST_CHARACTERS].strip()
