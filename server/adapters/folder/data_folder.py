"""The folder that a server on one machine keeps everything in."""

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from server.errors import ConfigError

SCRATCH = "scratch-"
LEFTOVER_S = 86_400
"""A scratch folder untouched for a day is a killed server's; a younger one may be another server's on this folder."""


def own_data_folder(data: Path) -> None:
    """Make the folder, readable by its owner alone, and prove that it can be written; what a killed server left goes.

    Raises ConfigError.
    """
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
