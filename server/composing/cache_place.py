"""The cache of opened traces that commands share with the servers of this machine, found without loading the settings:
their library takes longer to import than a cached trace to open.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from server.errors import ConfigError

if TYPE_CHECKING:
    from server.adapters.workers.trace_cache import TraceCache

CACHE_FOLDER = "cache"
"""In the data folder."""


def build_trace_cache() -> "TraceCache":
    """As FLAMECHAT_DATA and FLAMECHAT_CACHE_BYTES place and bound it. Raises ConfigError."""
    from server.adapters.workers.trace_cache import TraceCache
    from server.ports.traces import CACHE_BYTES

    given = cache_bytes()
    return TraceCache(data_folder() / CACHE_FOLDER, CACHE_BYTES if given is None else given)


def cache_bytes() -> int | None:
    """What FLAMECHAT_CACHE_BYTES says, None where it says nothing. Raises ConfigError."""
    given = os.environ.get("FLAMECHAT_CACHE_BYTES")
    if not given:
        return None
    if not given.isdecimal():
        raise ConfigError(f"FLAMECHAT_CACHE_BYTES is no number of bytes: {given}")
    return int(given)


def data_folder() -> Path:
    if given := os.environ.get("FLAMECHAT_DATA"):
        return Path(given)
    import platformdirs

    return Path(platformdirs.user_data_dir("flamechat", appauthor=False))
