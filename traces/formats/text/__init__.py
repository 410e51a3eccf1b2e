"""Stacks as lines of text: collapsed stacks, Papyrus logs, pmcstat call graphs."""

import re

from traces.formats.format import CALLS, Format, sums
from traces.formats.head import Head
from traces.formats.stack_lines import are_stacks, lines_of_stacks
from traces.values import Counts, Waits

COLLAPSED_NAMES = (".collapsed", ".folded", ".collapsed.txt", ".folded.txt")
SURELY_COMPLETE = 1_000
"""Bytes of a head that was not cut: the last line of a longer one may be."""
PAPYRUS_LINE = re.compile(r"\d{1,12}:(?:PUSH|POP|START|STOP|QUEUE_PUSH|QUEUE_POP):\d{1,18}(?::|\r?$)")
PMCSTAT_TITLE = re.compile(r"^@ \S+ \[\d+ samples\] *\r?$", re.MULTILINE)
PMCSTAT_LINE = re.compile(r"@ \S+ \[\d+ samples\]|\s*\d{1,3}(?:\.\d+)?%\s+\[\d+\]")
MOST = 0.5
"""The part of lines that has to be of a format: documents quote formats, and programs print between their lines."""


def looks_like_papyrus(head: Head) -> bool:
    """Lines of pushes and pops."""
    return head.share(PAPYRUS_LINE) >= MOST


def looks_like_pmcstat(head: Head) -> bool:
    """Text with a title that counts samples."""
    return head.share(PMCSTAT_LINE) >= MOST and PMCSTAT_TITLE.search(head.text or "") is not None


def looks_like_collapsed(head: Head) -> bool:
    """Text whose lines are stacks with weights, and little else."""
    if head.text is None or head.json is not None:
        return False
    lines = lines_of_stacks(head.text, cut=len(head.data) > SURELY_COMPLETE)
    return are_stacks(lines, named=head.name.endswith(COLLAPSED_NAMES))


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
