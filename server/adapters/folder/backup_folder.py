"""A folder with a backup: `manifest.json`, `tables/` with a file for each table, `objects/<bucket>/<path>`.

The manifest is written last and names every file with its length and SHA-256, so a backup that was cut off, or of which
a file was changed or lost since, is not taken for one.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from server.adapters.folder.data_folder import locked
from server.errors import BackupUnusable, ConfigError
from server.ports.objects import object_key

FORMAT = 1
MANIFEST = "manifest.json"
UNFINISHED = "unfinished"
"""A file that is there while a backup is being written, locked by its writer."""

TABLES = "tables"
OBJECTS = "objects"
PIECE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupTable:
    """A table's file, with the columns and the number of its rows."""

    name: str
    columns: tuple[str, ...]
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """What a backup has. `lost` are objects that rows name and the store did not have any more."""

    made_by: str
    taken_at: str
    migrations: tuple[str, ...]
    tables: tuple[BackupTable, ...]
    objects: tuple[tuple[str, str], ...]
    lost: tuple[tuple[str, str], ...]


@contextmanager
def writing_backup(folder: Path) -> Iterator[None]:
    """An empty folder of a backup, until `finish_backup`, or of an export, until `finish_export`; what an earlier one
    that was cut off left goes. Raises ConfigError for a folder that has something else in it, is being written, or
    cannot be.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        marker = folder / UNFINISHED
        if not marker.exists() and any(folder.iterdir()):
            raise ConfigError(f"{folder} is not empty: choose a folder that is new.")
        with locked(marker, f"another backup or export is being written to {folder}."):
            (folder / MANIFEST).unlink(missing_ok=True)
            for part in (TABLES, OBJECTS):
                shutil.rmtree(folder / part, ignore_errors=True)
                (folder / part).mkdir(mode=0o700)
            yield
    except OSError as error:
        raise ConfigError(f"cannot write to {folder}: {error.strerror or error}") from error


def finish_backup(folder: Path, backup: Backup) -> None:
    """Write the manifest, after which the folder is a backup. Objects that it does not name are removed. Raises
    OSError."""
    kept = {object_path(folder, *one) for one in backup.objects}
    for file in (folder / OBJECTS).rglob("*"):
        if file.is_file() and file not in kept:
            file.unlink()
    manifest = {
        "format": FORMAT,
        "flamechat": backup.made_by,
        "taken_at": backup.taken_at,
        "migrations": backup.migrations,
        "tables": [
            {"name": one.name, "columns": one.columns, "rows": one.rows, **_seal(table_path(folder, one.name))}
            for one in backup.tables
        ],
        "objects": [
            {"bucket": bucket, "path": path, **_seal(object_path(folder, bucket, path))}
            for bucket, path in backup.objects
        ],
        "lost": [{"bucket": bucket, "path": path} for bucket, path in backup.lost],
    }
    written = folder / f"{MANIFEST}.unfinished"
    with written.open("w", encoding="utf-8") as out:
        json.dump(manifest, out, indent=1)
        out.flush()
        os.fsync(out.fileno())
    written.rename(folder / MANIFEST)
    (folder / UNFINISHED).unlink()


def finish_export(folder: Path, parts: Mapping[str, object]) -> None:
    """Write what is exported, a JSON file for each part, after which the folder is finished. Raises OSError."""
    (folder / TABLES).rmdir()
    for name, rows in parts.items():
        (folder / f"{name}.json").write_text(json.dumps(rows, indent=1, ensure_ascii=False), encoding="utf-8")
    (folder / UNFINISHED).unlink()


def read_backup(folder: Path) -> Backup:
    """The backup of a folder, of which every file is there as it was written. Raises BackupUnusable."""
    if not folder.is_dir():
        raise BackupUnusable(f"{folder} is no folder.")
    if (folder / UNFINISHED).exists() or not (folder / MANIFEST).exists():
        raise BackupUnusable(f"{folder} is no backup that was finished: it was cut off, or is still being written.")
    try:
        found = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if found["format"] != FORMAT:
            raise BackupUnusable(
                f"The backup in {folder} was made by another version of Flamechat ({found['flamechat']})."
            )
        backup = _backup_of(found)
        sealed = [(table_path(folder, one["name"]), one) for one in found["tables"]]
        sealed += [(object_path(folder, one["bucket"], one["path"]), one) for one in found["objects"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BackupUnusable(f"{folder / MANIFEST} cannot be read: the backup is cut off or was changed.") from error
    for file, seal in sealed:
        _check(file, seal)
    return backup


def table_path(folder: Path, name: str) -> Path:
    """Of a table's file. Raises ValueError for what is no table's name."""
    if not name.replace(".", "").replace("_", "").isalnum():
        raise ValueError(name)
    return folder / TABLES / f"{name}.copy.gz"


def object_path(folder: Path, bucket: str, path: str) -> Path:
    """Of an object's file. Raises BadRequest for a path that climbs out."""
    return folder / OBJECTS / object_key(bucket, path)


def _backup_of(found: dict[str, Any]) -> Backup:
    """Raises KeyError, TypeError, ValueError for what is no manifest of ours."""
    return Backup(
        made_by=str(found["flamechat"]),
        taken_at=str(found["taken_at"]),
        migrations=tuple(map(str, found["migrations"])),
        tables=tuple(
            BackupTable(name=str(one["name"]), columns=tuple(map(str, one["columns"])), rows=int(one["rows"]))
            for one in found["tables"]
        ),
        objects=tuple((str(one["bucket"]), str(one["path"])) for one in found["objects"]),
        lost=tuple((str(one["bucket"]), str(one["path"])) for one in found["lost"]),
    )


def _seal(file: Path) -> dict[str, object]:
    """Length and SHA-256, by which `_check` knows the file again."""
    with file.open("rb") as reading:
        digest = hashlib.file_digest(reading, "sha256")
    return {"bytes": file.stat().st_size, "sha256": digest.hexdigest()}


def _check(file: Path, seal: dict[str, Any]) -> None:
    try:
        found = _seal(file)
    except OSError as error:
        raise BackupUnusable(f"The backup is incomplete: {file} is missing or cannot be read.") from error
    if any(found[name] != seal.get(name) for name in found):
        raise BackupUnusable(f"The backup is damaged: {file} is not as it was written.")
