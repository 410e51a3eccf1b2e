"""Which functions by their names mostly wait."""

import re
from functools import lru_cache

WAITING_WORDS = """
wait waiting sleep usleep nanosleep poll epoll pselect kevent accept recv recvfrom recvmsg park parking futex
idle readinto acquire timedwait sigwait waitpid waitid
"""
_WAITING = frozenset(WAITING_WORDS.split())
_WAITS = frozenset({"select", "join", "recv_into", "gopark", "__select", "lock"})
_ENTERED = re.compile(r"(?:SemLock|Semaphore|(?<![a-z])R?Lock|Condition)\.__enter__$")
"""Python's `with lock:`."""
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


@lru_cache(maxsize=4_096)
def waits(name: str) -> bool:
    """Whether a function by its name mostly waits: the thread that it fills is not what makes a program slow."""
    if _ENTERED.search(name):
        return True
    last = re.split(r"::|[./#:]", name.partition("(")[0] or name)[-1]
    return last in _WAITS or any(word.casefold() in _WAITING for word in _WORDS.findall(last))
