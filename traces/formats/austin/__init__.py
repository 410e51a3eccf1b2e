"""Austin, as text and in its binary form."""

import re
from dataclasses import replace

from traces.formats.format import SAMPLED, Format
from traces.formats.head import Head
from traces.values import Clock, Order, Waits

NEWEST_MOJO = 4
AUSTIN_LINE = re.compile(r"^P\d{1,9};T[^;\n]{0,200}(?:;[^\n]*)? -?\d+(?:,[01],-?\d+)?\r?$", re.MULTILINE)


def looks_like_austin_mojo(head: Head) -> bool:
    """The magic and a small version."""
    return len(head.data) > 4 and head.data[:3] == b"MOJ" and 1 <= head.data[3] <= NEWEST_MOJO


def looks_like_austin(head: Head) -> bool:
    """Lines that begin with a process and a thread."""
    return head.text is not None and head.json is None and AUSTIN_LINE.search(head.text) is not None


OF_A_THREAD = replace(SAMPLED, clock=Clock.OWN)
"""A thread's samples lie end to end from its first one on."""
AUSTIN_FACTS = (
    OF_A_THREAD,
    replace(OF_A_THREAD, waits=Waits.WORK),
    replace(OF_A_THREAD, order=Order.NONE, waits=Waits.NEITHER, clock=Clock.NONE),
)
"""Of wall and full mode, CPU mode, memory mode."""
AUSTIN_MOJO = Format(
    "austin-mojo", "Austin's binary form", looks_like_austin_mojo, __name__, AUSTIN_FACTS, threads=True, lines=True
)
AUSTIN = Format("austin", "Austin", looks_like_austin, __name__, AUSTIN_FACTS, threads=True, lines=True)
