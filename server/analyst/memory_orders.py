"""Prompts that are about memory: an order to remember or to forget something, or the question what is remembered. An
order begins its prompt, so that one within a pasted text is none.
"""

import re
from dataclasses import dataclass
from typing import Literal

from traces.lazy_regex import lazy_regex

COMMAND = lazy_regex(r"^\s*/remember\b[ \t]*", re.IGNORECASE)
BEGIN = lazy_regex(r"^\s*/init\b", re.IGNORECASE)
_POLITE = (
    r"^\s*(?:(?:hi|hello|hey|ok(?:ay)?|and|also|so|now|then|bitte|please|pls|can you|could you|will you|would you|"
    r"i(?:'d| would) like you to|i want you to)[,!.]?\s+)*"
)
_REMEMBER = lazy_regex(
    _POLITE + r"(?:(?:do |always )?(?:please )?(?:remember|memori[sz]e|keep in mind|bear in mind|note|make a note|"
    r"don'?t forget|"
    r"never forget|save to memory|merk dir|merke dir|denk daran|souviens-toi|rappelle-toi|retiens|recuerda|lembre-se|"
    r"lembra|ricorda(?:ti)?|onthoud|запомни(?:те)?)(?: that| this| for later| for (?:the )?future| for next time| also|"
    r" bitte| please|,? dass| que| di| dat|,? что)*)(?:\s*[:,–—-]\s*|\s+)",
    re.IGNORECASE,
)
_REMEMBER_CJK = lazy_regex(r"^\s*(?:请?记住|記住|覚えて(?:おいて)?|기억해(?:줘)?)[:：,，、\s]*", re.IGNORECASE)
_FORGET = lazy_regex(
    _POLITE
    + r"(?:forget|stop remembering|no longer remember|unlearn|vergiss|oublie|olvida|esqueça|dimentica|vergeet|забудь)"
    r"(?: that| about| what i (?:told you|said) about| the fact that|,? dass| que| di| dat|,? что)*(?:\s*[:,]\s*|\s+)",
    re.IGNORECASE,
)
_ASKS = lazy_regex(
    _POLITE
    + r"(?:(?:and )?(?:what|which (?:things|facts)) (?:all )?(?:do|did|have|can) you (?:still )?(?:remember(?:ed)?|"
    r"memori[sz]ed?|know about (?:me|us|my team|our team|our project))\b.*|"
    r"(?:show|list|print)(?: me)? (?:your|our|the core|what is in your) (?:memory|memories)|"
    r"what(?:'s| is) in (?:your|our|the core) memory|what did (?:i|we) (?:ask|tell) you to remember\b.*|"
    r"was (?:hast du dir gemerkt|merkst du dir|weißt du noch)\b.*|"
    r"de quoi te souviens-tu\b.*|qué recuerdas\b.*)\s*[?.!]*\s*$",
    re.IGNORECASE,
)
_NOT_A_FACT = lazy_regex(
    r"^(?:me|when|why|how|what|who|where|which|the (?:last|previous|other|first) (?:trace|recording|answer|question)|"
    r"it|this|that|everything|anything|all)\b[^a-z]*(?:\?|$)|\?\s*$|"
    r"^(?:to|for) (?:self|(?:the |any |all |your )?(?:assistants?|ais?|models?|bots?|llms?|readers?|agents?))\b",
    re.IGNORECASE,
)
"""`remember when ...?` asks; `remember this` names nothing; `note for the assistant: ...` is no person's."""

ALL = lazy_regex(r"^(?:everything|all(?: of (?:it|that|them))?|alles|tout|todo|tutto|всё)\W*$", re.IGNORECASE)

_ENDS = lazy_regex(r"[.!](?:\s+(?=[^\W\d_])|\s*$)|[。！]")
"""The end of a sentence, and no point within a figure or a path."""
_COURTESY = lazy_regex(r"(?:[\s,]+(?:please|bitte|from now on|thanks|thank you))*[\s.!]*$", re.IGNORECASE)

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
    if command := COMMAND.match(prompt):
        return MemoryOrder("remember", _tidy(prompt[command.end() :].partition("\n")[0]))
    if _ASKS.match(" ".join(prompt.split())):
        return MemoryOrder("ask")
    kinds: tuple[tuple[MemoryOrderKind, re.Pattern[str]], ...] = (
        ("forget", _FORGET),
        ("remember", _REMEMBER),
        ("remember", _REMEMBER_CJK),
    )
    for kind, words in kinds:
        if found := words.match(prompt):
            order = _order(kind, prompt[found.end() :])
            return order if order.text and not _NOT_A_FACT.search(order.text) else None
    return None


def is_order(prompt: str) -> bool:
    """Whether the person orders something to be remembered, replaced or forgotten."""
    found = memory_order(prompt)
    return found is not None and found.kind != "ask"


def is_command(prompt: str) -> bool:
    """Whether a prompt is `/remember`, which needs no language model."""
    return COMMAND.match(prompt) is not None


def is_beginning(prompt: str) -> bool:
    """Whether a prompt is `/init`, which no turn answers."""
    return BEGIN.match(prompt) is not None


def _order(kind: MemoryOrderKind, text: str) -> MemoryOrder:
    """The first sentence of the order's own line, and what follows: what stands on further lines may be pasted."""
    line, _, below = text.lstrip().partition("\n")
    end = _ENDS.search(line)
    fact, after = (line[: end.start()], line[end.end() :]) if end else (line, "")
    rest = f"{after}\n{below}".strip()
    return MemoryOrder(kind, _tidy(fact), rest if after.strip() or rest.endswith("?") else "")


def _tidy(text: str) -> str:
    """A fact without the courtesies at its end."""
    return _COURTESY.sub("", text.strip())
