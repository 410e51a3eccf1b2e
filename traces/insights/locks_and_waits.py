"""Waiting that becomes a finding: locks, sleep, and waiting for others, by the names of functions."""

from traces.insights.insight import Kind
from traces.insights.overheads import named_detectors

NAMED = (
    ("locks", Kind.WAITING, "Taking locks", "locks", "taking locks",
     "Hold locks for less, split them, or do without: find who holds it meanwhile.", "locks.share"),
    ("sleeping", Kind.WAITING, "Sleeping", "sleeping", "sleeping",
     "Wait for the event instead of polling with sleep.", "sleeping.share"),
    ("waiting", Kind.WAITING, "Waiting for others", "waiting", "waiting for input, sockets or other threads",
     "If the thread should be busy, find out who makes it wait; a pool's idle thread is no problem.", "waiting.share"),
)  # fmt: skip
DETECTORS = named_detectors(NAMED)
