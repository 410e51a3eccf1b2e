"""Firefox profiles: the Gecko profiler's two forms, and DevTools' recordings around one."""

from traces.formats.format import SAMPLED, Format
from traces.formats.head import Head


def looks_like_firefox(head: Head) -> bool:
    """An object with threads and what is known about them, or DevTools' recording around one."""
    if head.json is None:
        return False
    keys = head.json.keys
    if {"meta", "threads"} <= keys:
        return bool(keys & {"libs", "shared", "pausedRanges"}) or b'"preprocessedProfileVersion"' in head.data
    return {"profile", "duration"} <= keys and bool(keys & {"systemHost", "ticks"})


def looks_like_cleopatra(head: Head) -> bool:
    """An object with a profile and, next to it, what the numbers in it are called."""
    return head.json is not None and {"format", "profileJSON"} <= head.json.keys


FIREFOX = Format("firefox", "Firefox profiles", looks_like_firefox, __name__, (SAMPLED,), threads=True, lines=True)
CLEOPATRA = Format(
    "cleopatra", "Firefox profiles of Cleopatra", looks_like_cleopatra, __name__, (SAMPLED,), threads=True
)
