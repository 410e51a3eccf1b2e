"""The folder that a server on one machine keeps everything in."""

import fcntl
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import anyio

from server.errors import ConfigError

SCRATCH = "scratch-"
LOOK_S = 0.05
LEFTOVER_S = 86_400
"""A scratch folder untouched for a day is a killed server's; a younger one may be another server's on this folder."""


SAMPLE_LOADED = "sample-loaded"
"""A file that says that the folder had its sample trace once."""

RESTORING = "restore-unfinished"
"""A file that is there while a backup is restored into the folder, locked by the restore."""

KEPT = ("postgres", "objects")
"""What a folder has of people; all else is made again."""


def own_data_folder(data: Path) -> None:
    """Make the folder, readable by its owner alone, and prove that it can be written; what a killed server left goes.

    Raises ConfigError, also for a folder in which a restore was cut off.
    """
    if (data / RESTORING).exists():
        raise ConfigError(
            f"a restore into {data} has not finished: run it again, or choose another folder with --data."
        )
    try:
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=data):
            pass
        for scratch in data.glob(f"{SCRATCH}*"):
            if scratch.stat().st_mtime < time.time() - LEFTOVER_S:
                shutil.rmtree(scratch)
    except OSError as error:
        raise ConfigError(
            f"cannot write to the data folder {data}: {error.strerror or error}. Choose another with --data."
        ) from error


@contextmanager
def scratch_folder(data: Path) -> Iterator[Path]:
    """A folder for files on their way, gone afterwards."""
    with tempfile.TemporaryDirectory(dir=data, prefix=SCRATCH) as scratch:
        yield Path(scratch)


@asynccontextmanager
async def alone(marker: Path) -> AsyncIterator[None]:
    """One process at a time, by a lock on a file next to this one; the lock ends with its process."""
    with marker.with_name(f"{marker.name}.lock").open("a", encoding="utf-8") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                await anyio.sleep(LOOK_S)
            else:
                break
        yield


@contextmanager
def locked(file: Path, refusal: str) -> Iterator[None]:
    """The file, made when absent, locked for this process. Raises ConfigError with the refusal when another has it, or
    has just finished with it."""
    with file.open("a", encoding="utf-8") as opened:
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConfigError(refusal) from None
        if not file.exists():
            raise ConfigError(refusal)
        yield


@contextmanager
def restoring_into(data: Path) -> Iterator[None]:
    """A data folder in which there is nothing of people, or what a restore that was cut off left; closed to servers
    until the block has ended well. Raises ConfigError."""
    marker = data / RESTORING
    try:
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not marker.exists() and any((data / part).exists() for part in KEPT):
            raise ConfigError(f"there is data in {data} already: restore into a new folder, with --data.")
        with locked(marker, f"another restore into {data} is under way."):
            yield
            (data / SAMPLE_LOADED).touch()
            marker.unlink()
    except OSError as error:
        raise ConfigError(f"cannot restore into {data}: {error.strerror or error}") from error
