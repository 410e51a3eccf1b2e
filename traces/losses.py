"""What a recorder lost: warnings that say so, and what figures of calls are worth because of it."""

from collections.abc import Iterable

from traces.model import Profile, Trace

LOST, OVERFLOW = "lost", "overflow"
"""Codes of warnings: losses that a recorder counted, and a buffer that was full, of which it did not count them."""
PIECES = "pieces of the recording were lost, as a buffer was full"
LOST_CALLS = "calls were lost while recording: counts are too small, and own time holds what lost calls took"


def were_lost(codes: Iterable[str]) -> bool:
    """Whether warnings of these codes say that a recorder lost something."""
    return not {LOST, OVERFLOW}.isdisjoint(codes)


def lost_calls(trace: Trace, profiles: Iterable[Profile]) -> str:
    """What to know of counts and own time in some profiles; empty where nothing was lost, and of samples: one that is
    lost makes no other longer."""
    lost = were_lost(warning.code for warning in trace.warnings)
    return LOST_CALLS if lost and any(profile.spans is not None for profile in profiles) else ""
