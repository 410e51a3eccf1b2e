"""Which facts a person has stated: what of a prompt they typed, whether it has every name and figure of a fact, and
what is never remembered.

A fact stands in every later prompt, so that nothing may come into it from a trace, a tool's result or a paste: those
are data, and may be written by somebody who wants to be obeyed.
"""

import re
from collections.abc import Iterable

from server.agent.memory.word_senses import UNSPACED
from server.agent.model_call.debug_messages import KEYS
from server.cleaning import clean
from server.turns.pasted_lines import without_pasted_lines

MOST_TYPED = 1_000
"""Characters of a prompt that count as typed: what stands after them is mostly pasted."""

MOST_OF_A_FACT = 500
"""Characters of one line."""

SHARED = 0.5
"""Share of a fact's plain words that the person must have used: the rest is how a model puts it."""

QUOTED_WORDS = 3
"""From so many words on, text in quotation marks is somebody else's; fewer are a name."""

QUOTED_LETTERS = 8
"""The same, with the marks, in scripts without spaces between words."""

_UNSPACED = re.compile(UNSPACED)
_FENCE = re.compile(r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)")
_QUOTED_LINE = re.compile(r"(?m)^(?:[ \t]*>| {4,}|\t).*$")
_QUOTED = re.compile(
    r'"[^"\n]*"|“[^”\n]*”|„[^“”\n]*[“”]|«[^»\n]*»|»[^«\n]*«|「[^」\n]*」|『[^』\n]*』|`[^`\n]*`|‹[^›\n]*›|'
    r"(?<!\w)['‘‚][^'‘’‚\n]+['‘’](?!\w)|"
    r"(?<![\w*])\*{1,3}[^*\s][^*\n]*\*{1,3}(?![\w*])|(?<!\w)_[^_\s][^_\n]* [^_\n]*_(?!\w)"
)
_TOKEN = re.compile(r"[^\W_](?:[\w/.:@$#%+-]*[\w%])?|\d+")
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
_PLAIN = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_DISGUISED = re.compile(r"\w*(?:_[^\W_]+){2,}\w*")
"""A name of three words or more is no sentence that anybody typed: its words are none of theirs."""
_NEGATES = re.compile(
    r"\b(?:not|no|never|none|without|don'?t|doesn'?t|isn'?t|aren'?t|can'?t|cannot|nicht|kein\w*|nie|jamais|pas|nunca|"
    r"non|niet|geen)\b|не\b|никогда|不|没|ない",
    re.IGNORECASE,
)
_SMALL = frozenset(
    re.findall(
        r"\w+",
        "a an and any are as at be been but by can code do does for from had has have i if in is it its me must my "
        "need of on only or our out person should so some than that the their them then there these they this those "
        "to under user users want wants was we were what when which who will with would you your",
    )
)

_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_ASSIGNED = re.compile(
    r"(?i)\b(?:pass(?:word|wd|phrase)?|pwd|secret|token|api[_ -]?key|access[_ -]?key|private[_ -]?key|credentials?|pin|"
    r"passwort|kennwort|contraseña|mot de passe)\b\s*(?:is|are|ist|=|:|->)\s*\S{3,}"
)
_TOKENS = re.compile(
    r"\b(?:AKIA|ASIA)[0-9A-Z]{12,}|\bgh[pousr]_\w{16,}|\bgithub_pat_\w{16,}|\bglpat-[\w-]{12,}|\bxox[abeoprs]-[\w-]{8,}|"
    r"\bAIza[\w-]{20,}|\bSG\.[\w-]{12,}|-----BEGIN [A-Z ]*PRIVATE KEY|(?<=://)[^/\s@:]+:[^/\s@]+@|"
    r"\b(?=[A-Za-z0-9+_-]*\d)(?=[A-Za-z0-9+_-]*[A-Za-z])[A-Za-z0-9+_-]{32,}(?:=|\b)"
)
_CARD = re.compile(r"(?<![\d.])(?:\d[ -]?){12,18}\d(?![\d.])")


def one_line(text: str) -> str:
    """The text as a fact is kept: one line, no space around it."""
    return " ".join(clean(text).split())


def typed_text(prompt: str, copied: Iterable[str] = ()) -> str:
    """What of a prompt the person typed themselves: nothing in code blocks or quotations, none of the texts that they
    `copied` out of the trace, no lines that read as pasted, nothing after MOST_TYPED characters. What goes leaves a
    line's end behind.
    """
    text = prompt[:MOST_TYPED]
    for piece in sorted(copied, key=len, reverse=True):
        text = re.sub(re.escape(piece), "\n", text, flags=re.IGNORECASE) if piece.strip() else text
    text = _QUOTED_LINE.sub("\n", _FENCE.sub("\n", text))
    text = _QUOTED.sub(lambda found: "\n" if _is_long(found[0]) else found[0], text)
    return without_pasted_lines(text)


def _is_long(quotation: str) -> bool:
    """Whether it is more than a name."""
    is_unspaced = _UNSPACED.search(quotation) is not None
    return len(quotation.split()) >= QUOTED_WORDS or (is_unspaced and len(quotation) >= QUOTED_LETTERS)


def not_stated(fact: str, typed: Iterable[str]) -> tuple[str, ...]:
    """The names and figures of a fact that stand in none of the typed texts; of a fact that has none missing, its plain
    words where too few of them do, and a `not` that nobody wrote. Empty for a fact that the person has stated.
    """
    texts = [text.casefold() for text in typed]
    tokens = {token.strip(".,:").casefold() for text in texts for token in _TOKEN.findall(text)}
    figures = {figure for text in texts for figure in _FIGURE.findall(text)}
    stems = {word[:5] for text in texts for word in _PLAIN.findall(_DISGUISED.sub(" ", text))}
    missing = [name for name in _names(fact) if not _stands(name.casefold(), tokens)]
    first = _PLAIN.match(fact)  # a name, or a plain word that begins the sentence
    if first and first[0][:1].isupper() and first[0].casefold() not in _SMALL and first[0].casefold()[:5] not in stems:
        missing.append(first[0])
    missing += [figure for figure in _FIGURE.findall(fact) if figure not in figures]
    if missing:
        return tuple(dict.fromkeys(missing))
    words = [word for word in _PLAIN.findall(fact.casefold()) if word not in _SMALL]
    strange = [word for word in words if word[:5] not in stems]
    if (words and len(strange) > len(words) * SHARED) or not (words or _FIGURE.search(fact)):
        return tuple(dict.fromkeys(strange)) or (fact,)
    negation = _NEGATES.search(fact)
    return (negation[0],) if negation and not any(_NEGATES.search(text) for text in texts) else ()


def _names(fact: str) -> list[str]:
    """Identifiers, paths and proper names: what has a capital after its first letter or within a sentence, or a sign
    that no plain word has."""
    found = []
    for match in _TOKEN.finditer(fact):
        token = match[0].strip(".,:")
        capital = token[:1].isupper() and match.start() > 0 and fact[: match.start()].rstrip()[-1:] not in ".:!?"
        if re.search(r"[/._:@$#]|[a-z][A-Z]|[A-Z]{2}|[^\W\d_]-?\d|\d[^\W\d_]{3}", token) or capital:
            found.append(token)
    return [name for name in found if name.casefold() not in _SMALL]


def _stands(name: str, tokens: set[str]) -> bool:
    """Whether the name is one of the tokens, or the parts of a path are."""
    return name in tokens or name.strip("/") in {token.strip("/") for token in tokens}


def span_of(fact: str, prompt: str) -> tuple[int, int] | None:
    """Where the fact stands in the prompt, word for word, in characters; None where it does not."""
    pattern = r"\s+".join(map(re.escape, fact.split()))
    found = re.search(pattern, prompt[:MOST_TYPED], re.IGNORECASE) if pattern else None
    return (found.start(), found.end()) if found else None


def why_secret(text: str) -> str | None:
    """Why a text is not remembered, for the person: what it seems to hold; None for one that may be."""
    if _EMAIL.search(text):
        return "an e-mail address"
    if KEYS.search(text) or _TOKENS.search(text):
        return "a key or a token"
    if _ASSIGNED.search(text):
        return "a password or another secret"
    if any(_is_card(found[0]) for found in _CARD.finditer(text)):
        return "a card number"
    return None


def _is_card(text: str) -> bool:
    """Whether the digits have the check digit of a payment card (Luhn, ISO/IEC 7812-1 annex B)."""
    digits = [int(char) for char in text if char.isdigit()][::-1]
    doubled = (digit * 2 - 9 if digit > 4 else digit * 2 for digit in digits[1::2])
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0
