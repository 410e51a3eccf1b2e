"""Slips of typing in words that people ask with: `functon` is `function`, `longst` is `longest`.

A word of asking with one letter left out, one doubled, or two letters the wrong way round is read as that word. Names
of code are left as they are: what stands in a path, next to a bracket or with capitals, and what is a word itself.
"""

import re
from functools import cache

from server.analyst.forms import word_list

_WORD = re.compile(r"(?<![\w./`:$#-])[a-z]{5,}(?![\w/`:$(]|[.-]\w)")
SHORTEST = 6
"""Letters from which a word is looked at: of shorter ones a slip may be another word."""


def corrected(prompt: str) -> str:
    """The prompt with such slips as they are meant; as it is where it has none."""
    return _WORD.sub(lambda found: _meant().get(found[0], found[0]), prompt)


@cache
def _meant() -> dict[str, str]:
    """The word that is meant, by slip."""
    words = [word for word in sorted(word_list("words_of_asking")) if len(word) >= SHORTEST]
    known = {*word_list("words_of_asking"), *word_list("words_like_slips")}
    found: dict[str, str] = {}
    for word in words:
        for slip in _slips(word):
            if slip not in known:
                found.setdefault(slip, word)
    return found


def _slips(word: str) -> set[str]:
    left_out = {word[:at] + word[at + 1 :] for at in range(1, len(word) - 1)}  # `cache` is no slip of `cached`
    doubled = {word[:at] + word[at] + word[at:] for at in range(1, len(word))}
    turned = {word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(1, len(word) - 1)}
    return (left_out | doubled | turned) - {word}
