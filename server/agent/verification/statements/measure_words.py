"""By which words a sentence says what a figure measures, and of what kind it is: `measures.toml`."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Literal

from traces.lazy_regex import lazy_regex

MeasureWords = Literal[
    "SELF",
    "TOTAL",
    "BASE",
    "MEAN",
    "MEDIAN",
    "MEDIAN_ITSELF",
    "PERCENTILE",
    "LONGEST",
    "LEAST",
    "CALLS",
    "SAMPLES",
    "TOGETHER",
    "HYPOTHETICAL",
    "NEGATED",
    "SMALLER",
    "LARGER",
    "SPREAD",
    "ASIDE",
    "CAUSE",
    "FLOW",
    "QUALIFIED",
    "EACH",
    "ADVICE",
    "RECORDING",
    "LONG",
    "THERE",
    "WAITING",
    "MOMENT",
]


@cache
def words(name: MeasureWords) -> re.Pattern[str]:
    """The pattern of a kind of words."""
    return lazy_regex("".join(_written()[name]), re.IGNORECASE)


@cache
def _written() -> dict[str, list[str]]:
    return tomllib.loads(Path(__file__).with_name("measures.toml").read_text(encoding="utf-8"))
