"""Prompts that are about memory: an order to remember or to forget something, or the question what is remembered. An
order begins its prompt, so that one within a pasted text is none.
"""

import re
from dataclasses import dataclass
from typing import Literal

from server.analyst.forms import forms
from traces.lazy_regex import lazy_regex

_FORMS = forms("memory_orders")


_ENDS = lazy_regex(r"[.!](?:\s+(?=[^\W\d_])|\s*$)|[。！]")
"""The end of a sentence, and no point within a figure or a path."""

MemoryOrderKind = Literal["remember", "forget", "ask"]


@dataclass(frozen=True, slots=True)
class MemoryOrder:
    """`text` is what is to be remembered or forgotten, in the person's words; empty where nothing is named. `rest` is
    what the prompt goes on with."""

    kind: MemoryOrderKind
    text: str = ""
    rest: str = ""


def memory_order(prompt: str) -> MemoryOrder | None:
    """What a prompt asks of memory; None for one that asks something of the trace."""
    if command := _FORMS.command.match(prompt):
        return MemoryOrder("remember", _tidy(prompt[command.end() :].partition("\n")[0]))
    if _FORMS.asks.match(" ".join(prompt.split())):
        return MemoryOrder("ask")
    kinds: tuple[tuple[MemoryOrderKind, re.Pattern[str]], ...] = (
        ("forget", _FORMS.forget),
        ("remember", _FORMS.remember),
        ("remember", _FORMS.remember_cjk),
    )
    for kind, words in kinds:
        if found := words.match(prompt):
            order = _order(kind, prompt[found.end() :])
            return order if order.text and not _FORMS.not_a_fact.search(order.text) else None
    return None


def is_order(prompt: str) -> bool:
    """Whether the person orders something to be remembered, replaced or forgotten."""
    found = memory_order(prompt)
    return found is not None and found.kind != "ask"


def is_command(prompt: str) -> bool:
    """Whether a prompt is `/remember`, which needs no language model."""
    return _FORMS.command.match(prompt) is not None


def is_beginning(prompt: str) -> bool:
    """Whether a prompt is `/init`, which no turn answers."""
    return _FORMS.begin.match(prompt) is not None


def _order(kind: MemoryOrderKind, text: str) -> MemoryOrder:
    """The first sentence of the order's own line, and what follows: what stands on further lines may be pasted."""
    line, _, below = text.lstrip().partition("\n")
    end = _ENDS.search(line)
    fact, after = (line[: end.start()], line[end.end() :]) if end else (line, "")
    rest = f"{after}\n{below}".strip()
    return MemoryOrder(kind, _tidy(fact), rest if after.strip() or rest.endswith("?") else "")


def _tidy(text: str) -> str:
    """A fact without the courtesies at its end."""
    return _FORMS.courtesy.sub("", text.strip())
