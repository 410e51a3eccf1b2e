"""The key that a file's content is found by: in the cache of opened traces, and to know a file again.

Why BLAKE3, and where SHA-256 stays: docs/decisions/0016-the-key-of-a-content.md.
"""

from collections.abc import Callable
from functools import cache
from mmap import mmap
from typing import Any


def content_key(data: bytes | memoryview | mmap) -> str:
    """The algorithm's name and 64 hexadecimal digits, which stand in names of files.

    BLAKE3; SHA-256, which takes longer, where that package is not installed: both may lie in one cache.
    """
    name, digest = _algorithm()
    return f"{name}-{digest(data).hexdigest()}"


@cache
def _algorithm() -> tuple[str, Callable[[Any], Any]]:
    try:
        from blake3 import blake3  # noqa: PLC0415 - an installation older than the dependency goes on working
    except ImportError:
        from hashlib import sha256  # noqa: PLC0415 - 3 ms that others need not wait for

        return "sha256", sha256
    return "blake3", blake3
