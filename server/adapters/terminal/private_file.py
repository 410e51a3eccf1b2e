"""A file that only its owner reads, changed by one process at a time."""

import fcntl
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from server.errors import ConfigError

OWNER_ALONE = 0o700


class PrivateFile:
    """JSON by keys. What others may read or have written is not used: it is no secret, or not ours."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> dict[str, dict[str, Any]]:
        """What is kept, by key; nothing where there is no file. Raises ConfigError."""
        try:
            with self.path.open("rb") as file:
                status = os.fstat(file.fileno())
                if status.st_uid != os.geteuid() or status.st_mode & 0o077:
                    raise ConfigError(
                        f"{self.path} holds sessions, and others than you can read or own it: remove it and sign in "
                        "again, as its tokens may be known."
                    )
                found: Any = json.load(file)
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise ConfigError(f"cannot read {self.path}: {error.strerror or error}") from error
        except ValueError as error:
            raise ConfigError(f"{self.path} is damaged: remove it and sign in again.") from error
        if not isinstance(found, dict) or not all(isinstance(one, dict) for one in found.values()):
            raise ConfigError(f"{self.path} is damaged: remove it and sign in again.")
        return found

    def write(self, kept: dict[str, dict[str, Any]]) -> None:
        """In place of what is there, at once or not at all. Raises ConfigError."""
        try:
            self._make_folder()
            # `mkstemp` makes it for its owner alone, and follows no link that somebody laid there.
            descriptor, name = tempfile.mkstemp(dir=self.path.parent, prefix=f".{self.path.name}-")
            try:
                with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                    json.dump(kept, file, indent=1, sort_keys=True)
                Path(name).replace(self.path)
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise
        except OSError as error:
            raise ConfigError(f"cannot write {self.path}: {error.strerror or error}") from error

    @contextmanager
    def locked(self) -> Iterator[None]:
        """One process at a time: of two that renew a session at once the second gets what the first was given. Raises
        ConfigError."""
        try:
            self._make_folder()
            lock = self.path.with_suffix(".lock").open("a", encoding="utf-8")
        except OSError as error:
            raise ConfigError(f"cannot write to {self.path.parent}: {error.strerror or error}") from error
        with lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _make_folder(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=OWNER_ALONE)
