"""Stacks as lines of text: collapsed stacks, Papyrus logs, pmcstat call graphs."""

import re

from traces.formats.format import CALLS, Format, sums
from traces.formats.head import Head
from traces.values import Counts, Waits

COLLAPSED_LINE = re.compile(r"^(.+) (\d+)$")
COLLAPSED_NAMES = (".collapsed", ".folded", ".collapsed.txt", ".folded.txt")
PAPYRUS_LINE = re.compile(r"^\d{1,12}:(?:PUSH|POP):\d{1,18}:\d{1,9}:", re.MULTILINE)
PMCSTAT_TITLE = re.compile(r"^@ \S+ \[\d+ samples\] *$", re.MULTILINE)


def looks_like_papyrus(head: Head) -> bool:
    """Lines of pushes and pops."""
    return head.text is not None and head.json is None and PAPYRUS_LINE.search(head.text) is not None


def looks_like_pmcstat(head: Head) -> bool:
    """Text with a title that counts samples."""
    return head.text is not None and head.json is None and PMCSTAT_TITLE.search(head.text) is not None


def looks_like_collapsed(head: Head) -> bool:
    """Text of which most lines end in a weight, and half of these have a stack; or all do, and a quarter has."""
    if head.text is None or head.json is not None:
        return False
    lines = [line for line in head.text.splitlines() if line.strip() and not line.startswith("#")]
    if len(head.data) > 1000 and len(lines) > 1:
        lines = lines[:-1]  # the last line may be cut
    stacks = [match[1] for line in lines if (match := COLLAPSED_LINE.match(line))]
    if head.name.endswith(COLLAPSED_NAMES) and len(stacks) == len(lines) > 0:
        return True  # a stack may be one function deep
    deep = sum(";" in stack for stack in stacks)
    if deep == 0 or len(stacks) * 2 < len(lines):
        return False
    return deep * (4 if len(stacks) == len(lines) else 2) >= len(stacks)


PAPYRUS = Format("papyrus", "Papyrus script profiles", looks_like_papyrus, __name__, (CALLS,))
PMCSTAT = Format(
    "pmcstat",
    "pmcstat call graphs",
    looks_like_pmcstat,
    __name__,
    (sums(Counts.SAMPLES, Waits.WORK, count_value=0),),
)
COLLAPSED = Format(
    "collapsed",
    "collapsed stacks",
    looks_like_collapsed,
    __name__,
    (sums(Counts.SAMPLES, count_value=0),),
)
