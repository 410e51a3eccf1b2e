"""Austin, as text and in its binary form."""

import re
from dataclasses import replace

from traces.formats.format import SAMPLED, Format
from traces.formats.head import Head
from traces.values import Clock, Order, Waits

NEWEST_MOJO = 4
AUSTIN_LINE = re.compile(r"P\d{1,9};T[^;\n]{0,200}(?:;[^\n]*)? -?\d+(?:,[01],-?\d+)?\r?$")
MOST = 0.5
"""The part of lines that has to be samples: documents quote some, and the sampled program may print between them."""


def looks_like_austin_mojo(head: Head) -> bool:
    """The magic and a small version."""
    return len(head.data) > 4 and head.data[:3] == b"MOJ" and 1 <= head.data[3] <= NEWEST_MOJO


def looks_like_austin(head: Head) -> bool:
    """Most lines begin with a process and a thread."""
    return head.share(AUSTIN_LINE) >= MOST


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
