"""The classes of causes: how an answer claims one, and what is then to be changed, as patterns: `cause_classes.toml`.

A claim counts where it is not denied in its own clause. Patterns are wide in words and narrow in meaning: they are for
openings of two sentences, not for pages.
"""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Literal, get_args

CauseClass = Literal[
    "n_plus_one",
    "lock_contention",
    "blocked_event_loop",
    "serial_waits",
    "regex_backtracking",
    "superlinear_growth",
    "repeated_work",
    "gc_pressure",
    "cold_start",
    "outlier_call",
    "exceptions_as_control_flow",
    "logging",
    "serialisation",
    "oversubscription",
    "cache_misses",
    "leak",
    "layout_thrashing",
    "long_task",
    "main_thread_io",
]
CLASSES: tuple[CauseClass, ...] = get_args(CauseClass)

_DENIED_BEFORE = re.compile(
    r"\b(?:not?|never|neither|nor|without|isn't|aren't|rather than|instead of|no sign of|nothing|less|few)\b"
    r"[^.;:!?,]{0,60}$",
    re.IGNORECASE,
)
_DENIED_AFTER = re.compile(
    r"^[^.;:!?]{0,40}\b(?:(?:is|are|was|were|has|have|do|does|did|could|can) ?(?:not?|n't|never)|"
    r"absent|unlikely|not (?:found|seen|recorded))\b",
    re.IGNORECASE,
)


@cache
def _pattern(name: CauseClass, use: Literal["claims", "fits"]) -> re.Pattern[str]:
    return re.compile("|".join(_listed()[name][use]), re.IGNORECASE)


@cache
def _listed() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads((Path(__file__).parent / "cause_classes.toml").read_text(encoding="utf-8"))


def claims(text: str, name: CauseClass) -> bool:
    """Whether a text claims this class of cause somewhere without denying it."""
    return any(
        not _DENIED_BEFORE.search(text[: found.start()]) and not _DENIED_AFTER.match(text[found.end() :])
        for found in _pattern(name, "claims").finditer(text)
    )


def fits(text: str, name: CauseClass) -> bool:
    """Whether a text names a change that fits this class of cause."""
    return _pattern(name, "fits").search(text) is not None
