"""A page that is recorded, and how slow its machine and network are made."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from server.errors import CannotRecord
from server.recording.masked_command import masked_text

MISUSED = 2

NETWORKS = {"slow-3g": (2000.0, 50_000.0, 50_000.0), "fast-3g": (562.5, 180_000.0, 84_375.0)}
"""Latency in milliseconds, bytes a second down and up: the presets of Chrome's developer tools
(front_end/core/sdk/NetworkManager.ts), with its own factors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """`seconds` None: until a second after the page has loaded. `reload` records the second load, with a warm cache.
    `slower_cpu` divides the processor's speed, `network` is one of NETWORKS.
    """

    url: str
    seconds: float | None = None
    reload: bool = False
    slower_cpu: float | None = None
    network: str | None = None

    @property
    def program(self) -> str:
        """Host and path, without a query and what looks like a secret."""
        parts = urlsplit(masked_text(self.url))
        return f"{parts.hostname or ''}{parts.path}".rstrip("/") or parts.path


def is_go_profile(url: str) -> bool:
    """Whether it is the address of a Go program's `net/http/pprof`, whose paths all begin alike."""
    return urlsplit(url).path.startswith("/debug/pprof")


def checked_url(url: str) -> str:
    """The URL of a page. Raises CannotRecord."""
    if urlsplit(url).scheme not in ("http", "https", "file"):
        raise CannotRecord(f"{url} is no page: write it as https://…", exit_code=MISUSED)
    return url
