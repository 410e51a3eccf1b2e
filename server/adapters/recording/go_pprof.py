"""A running Go program's own profiles: its `net/http/pprof` is asked for one, which it records and answers with."""

from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import httpx

from server.errors import CannotRecord
from server.recording.masked_command import masked_text

OF_WHAT = {"cpu": "profile", "wall": "fgprof", "memory": "allocs", "locks": "mutex"}
"""The last part of the path (pkg.go.dev/net/http/pprof); `fgprof` is a package of its own that adds itself there."""
TIMED = frozenset({"profile", "fgprof"})
ANSWER_S = 30.0
"""For what it takes beyond the seconds that it records."""
MOST_BYTES = 512 << 20


def profile_address(url: str, what: str, seconds: float) -> str:
    """The address that answers with the profile: the given one where it names a profile, else the one that fits."""
    parts = urlsplit(url)
    named = parts.path.removeprefix("/debug/pprof").strip("/") or OF_WHAT[what]
    query = parts.query or (f"seconds={max(1, round(seconds))}" if named in TIMED else "")
    return urlunsplit((parts.scheme, parts.netloc, f"/debug/pprof/{named}", query, ""))


def fetch_profile(address: str, output: Path, seconds: float) -> None:
    """Write the profile of an address that records for so many seconds. Raises CannotRecord, OSError."""
    shown = masked_text(address)
    try:
        with httpx.stream("GET", address, timeout=seconds + ANSWER_S, follow_redirects=False) as answer:
            if answer.status_code != httpx.codes.OK:
                raise CannotRecord(f"{shown} answered {answer.status_code}", exit_code=1)
            size = 0
            with output.open("wb") as file:
                size = 0
                for piece in answer.iter_bytes():
                    size += file.write(piece)
                    if size > MOST_BYTES:
                        raise CannotRecord(f"{shown} answered more than 512 MB", exit_code=1)
    except httpx.HTTPError as error:
        raise CannotRecord(f"{shown}: {str(error) or type(error).__name__}", exit_code=1) from error
