"""A word without its endings, by which words of one root are compared."""

from functools import lru_cache

SHORTEST = 3
"""Letters of a stem."""
_ENDINGS = ("ations", "ation", "ings", "ing", "ions", "ion", "ies", "ers", "ors", "er", "or", "ed", "es", "s", "y", "e")


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The word without its endings, in small letters: `parser`, `parse` and `parsing` are `pars`."""
    rest, least = word.casefold(), SHORTEST
    while ending := next((one for one in _ENDINGS if rest.endswith(one) and len(rest) - len(one) >= least), ""):
        rest, least = rest.removesuffix(ending), SHORTEST + 1
    return rest[:-1] if len(rest) > SHORTEST and rest[-1] == rest[-2] else rest
