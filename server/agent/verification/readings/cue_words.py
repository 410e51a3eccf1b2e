"""The words by which a free sentence says how much of something, from where and compared with what: `cues.toml`."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Literal

from server.agent.verification.statements.sentence_parts import FIGURES, FUNCTIONS, THREADS
from traces.lazy_regex import lazy_regex

Cue = Literal[
    "ALL",
    "NEARLY_ALL",
    "MOST",
    "HARDLY",
    "NONE",
    "DIRECTLY",
    "FROM",
    "INTO",
    "MAKES_UP",
    "ASIDE",
    "ITSELF",
    "BY_CALLS",
    "TOP",
    "BY_COUNT",
    "NOT_TOP",
    "OF_SOME",
    "RATIO_AS",
    "AS_MUCH_AS",
    "PERCENT_THAN",
    "OF_RUN",
    "COUNTED_CALLS",
    "COUNTED_SAMPLES",
    "MEASURED",
    "EXCEEDS",
    "OF_IT",
    "LEAD",
    "MORE_OF",
    "MORE_THAN_ITSELF",
    "STARTS_AFTER",
    "STARTS_BEFORE",
    "ENDED_WHEN",
    "STARTS",
    "ENDS",
    "SECOND",
    "NEGLIGIBLE",
    "ITS_OWN",
    "THREAD_BY_THREAD",
    "FIRST_ONES",
    "RANKED_BEHIND",
    "LARGEST",
    "SPLIT_BY_RATIO",
    "SPLIT_EVENLY",
    "MORE_OFTEN_FROM",
    "ONE_AFTER_ANOTHER",
    "IN_A_ROW",
    "OWN_WORK",
    "NOT_OWN_WORK",
    "RECURSIVE_ALL",
    "RECURSIVE_NOT",
    "NO_LOCKS",
    "WAS_NOT_THERE",
    "IS_NEW",
    "GREW",
    "SHRANK",
    "BEFORE_THIS",
    "AS_LONG_AS_BEFORE",
    "RUNS_ON",
    "RUNS_NOT_ON",
    "MOST_WORK",
]
_PLACES = {"F": FUNCTIONS, "f": FUNCTIONS[1:-1], "T": THREADS, "N": FIGURES, "n": FIGURES[1:-1]}
_SET_WITH_A_PLACE = lazy_regex(r"\[[^]\[]*\{[fn]\}[^]\[]*\]|\{[FTN]\}")


@cache
def cue(name: Cue) -> re.Pattern[str]:
    """The pattern of a kind of words.

    Sets with private characters have no letters of two cases, and say so: Python would look up the other case of each
    of a thousand characters of every set, which takes longer than all else (all patterns: 156 ms, so 70).
    """
    written = "|".join(f"(?:{one})" for one in _cues()[name])
    written = _SET_WITH_A_PLACE.sub(r"(?-i:\g<0>)", written)
    return lazy_regex(re.sub(r"\{([FfTNn])\}", lambda found: _PLACES[found[1]], written), re.IGNORECASE)


@cache
def _cues() -> dict[str, list[str]]:
    return tomllib.loads(Path(__file__).with_name("cues.toml").read_text(encoding="utf-8"))
