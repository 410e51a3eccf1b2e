"""By which words a sentence names one of the values that a profile has next to its first: allocated, not in use."""

import re

_SPOKEN = {
    "alloc": r"\balloc\w*|\brequest(?:ed|s)\b|\bzu(?:teil|gewies|geteil)\w*|\b(?:an|ge)?forder\w*|\ballou\w*|"
    r"\bover (?:its|the) (?:\w+ )?(?:life|run|time)\w*",
    "inuse": r"\bin use\b|\blive\b|\bretain\w*|\bkeeps?\b|\bholds?\b|\bhält\b|\bbelegt\w*|\bretien\w*|\bgarde\b",
    "objects": r"\bobjects?\b|\bobjekten?\b|\bobjets?\b|\ballocations?\b",
    "space": r"\bbytes?\b|\b[kMGT]i?[Bo]\b|\bmemory\b|\bspeicher\w*|\bmémoire\b",
}
"""How people say the parts of pprof's names of values (`alloc_space`); others are looked for as they are."""


def names_value(text: str, value: str) -> bool:
    """Whether a sentence says each part of a value's name."""
    return all(
        re.search(_SPOKEN.get(part, rf"\b{re.escape(part)}\w*"), text, re.IGNORECASE)
        for part in re.findall(r"[^\W_]{3,}", value.casefold())
    )
