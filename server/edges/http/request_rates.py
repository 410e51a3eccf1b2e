"""How often one user may upload, have pictures drawn and read, decided in memory before anything else is done."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from server.errors import TooManyAtOnce
from server.ports.identity import Caller
from server.turns.admission import Admission


def _unlimited(what: str) -> Admission:
    return Admission(per_minute=None, what=what, monotonic=time.monotonic)


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestRates:
    """A bucket a user, and a shared link, for each kind of request; `refused` counts what one of them turned away."""

    uploads: Admission = field(default_factory=lambda: _unlimited("uploads"))
    renders: Admission = field(default_factory=lambda: _unlimited("pictures"))
    reads: Admission = field(default_factory=lambda: _unlimited("reads"))
    refused: Callable[[str], None] = lambda _: None

    def admit(self, caller: Caller, *, method: str, path: str) -> None:
        """Take from the caller's bucket of this kind of request. Prompts have a bucket of their own; what removes or
        renames is left free. Raises TooManyAtOnce, which says when there is room again."""
        self._take(caller.user_id, method, path)

    def admit_link(self, token: str, *, method: str, path: str) -> None:
        """Likewise from the bucket of a shared link, whoever follows it."""
        self._take(f"link {token}", method, path)

    def admit_message(self, caller: Caller) -> None:
        """Take a read for what a program asks over MCP, or a socket that joins a session. Raises TooManyAtOnce."""
        self._take(caller.user_id, "GET", "")

    def _take(self, whose: str, method: str, path: str) -> None:
        name = path.rsplit("/", 1)[-1]
        if name.startswith(("render", "flamegraph.")):
            bucket, limit = self.renders, "renders_a_minute"
        elif method == "POST" and name == "traces":
            bucket, limit = self.uploads, "uploads_a_minute"
        elif method in {"GET", "HEAD"}:
            bucket, limit = self.reads, "reads_a_minute"
        else:
            return
        try:
            bucket.admit(whose)
        except TooManyAtOnce:
            self.refused(limit)
            raise
