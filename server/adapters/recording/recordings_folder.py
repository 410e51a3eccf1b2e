"""The folder of recordings: a folder of its own for each, for its owner alone."""

import os
import platform
import re
import subprocess
import tempfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from server.recording.masked_command import masked, masked_text
from server.recording.recording_labels import KeptRecording

RECORDINGS = "recordings"
"""In the data folder."""
ABOUT = "recording.json"
GIT_S = 5.0


def new_folder(data: Path, program: str, at: datetime) -> Path:
    """A new folder in the data folder's `recordings`, named for time and program. Raises OSError."""
    recordings = data / RECORDINGS
    data.mkdir(parents=True, exist_ok=True, mode=0o700)
    recordings.mkdir(exist_ok=True, mode=0o700)
    name = re.sub(r"[^A-Za-z0-9.-]+", "-", program).strip("-.")[:40] or "program"
    return Path(tempfile.mkdtemp(prefix=f"{at:%Y%m%d-%H%M%S}-{name}-", dir=recordings))


def heaviest(folder: Path, leaves: str) -> Path | None:
    """The largest file that matches, None where there is none with content: a program with children leaves several."""
    found = [(file.stat().st_size, file) for file in sorted(folder.glob(leaves)) if file.is_file()]
    return max(found, default=(0, None))[1] if any(size for size, _ in found) else None


def mask_command_lines(file: Path, command_lines: re.Pattern[bytes]) -> None:
    """Write the recording anew without the secrets of its command lines, if it has any. Raises OSError."""
    content = file.read_bytes()
    shown = command_lines.sub(_without_secrets, content)
    if shown != content:
        file.write_bytes(shown)


def _without_secrets(found: re.Match[bytes]) -> bytes:
    line, text = found[0], found[1].decode(errors="surrogateescape")
    begin, end = found.start(1) - found.start(), found.end(1) - found.start()
    words = masked(text.split(" "))  # as recorders join them: a secret may go on behind a space
    shown = masked_text(" ".join(words)).encode(errors="surrogateescape")
    return line[:begin] + shown + line[end:]


def keep(folder: Path, about: KeptRecording) -> None:
    """Write what is known of the recording next to it; all files become the owner's alone. Raises OSError."""
    (folder / ABOUT).write_text(about.as_json(), encoding="utf-8")
    for file in folder.iterdir():
        if not file.is_symlink():
            file.chmod(0o600)


def kept(data: Path) -> Iterator[tuple[Path, KeptRecording]]:
    """The recordings, the oldest first: each one's file with what is known of it. Damaged ones are passed over."""
    for about in sorted((data / RECORDINGS).glob(f"*/{ABOUT}")):
        try:
            one = KeptRecording.of_json(about.read_text(encoding="utf-8"))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
        file = about.parent / one.file
        if file.parent == about.parent and file.is_file():
            yield file, one


def own_labels(program: str, at: datetime) -> dict[str, str]:
    """Program, time, host, and the commit of the working directory where that is Git's."""
    labels = {"program": program, "time": at.isoformat(timespec="seconds"), "host": platform.node()}
    commit = _git_commit()
    return labels | ({"commit": commit} if commit else {})


def _git_commit() -> str | None:
    try:
        ended = subprocess.run(
            ["git", "rev-parse", "HEAD"],
            check=False,
            capture_output=True,
            text=True,
            timeout=GIT_S,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return ended.stdout.strip() if ended.returncode == 0 else None
