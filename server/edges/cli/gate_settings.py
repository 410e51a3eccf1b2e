"""`flamechat.toml`: the rules of a repository's gate, and the runs that it is judged by.

[gate]
rules = ["self_share(matchTrades) +5%", "total +3%"]
before = ["baseline/*.cpuprofile"]
single_run = "25%"

# or, in place of `before`, runs on a server
server = "https://flames.example.com"
baseline = { branch = "main", scenario = "checkout" }
last = 10
labels = { program = "app" }
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from traces.gate.rules import InvalidRule

FILE = Path("flamechat.toml")
MOST_RUNS = 100
KEYS = {"rules", "before", "single_run", "server", "baseline", "last", "labels"}
LARGEST = 1_000_000
"""Bytes: a settings file that is larger is something else."""


@dataclass(frozen=True, slots=True)
class GateSettings:
    """What the file says; `before` are patterns of files, from the file's folder. `baseline` are labels of runs on a
    server, `labels` those of the runs that are judged."""

    rules: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    single_run: str | None = None
    folder: Path = Path()
    server: str | None = None
    baseline: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    last: int | None = None

    def runs_before(self) -> tuple[Path, ...]:
        """The files that the patterns match, each once. Raises InvalidRule for a pattern that matches none."""
        found: dict[Path, None] = {}
        for pattern in self.before:
            if Path(pattern).is_absolute():
                raise InvalidRule(f"{FILE}: {pattern} is no pattern of files in its folder: it begins at the root.")
            try:
                files = sorted(path for path in self.folder.glob(pattern) if path.is_file())
            except ValueError as error:
                raise InvalidRule(f"{FILE}: {pattern} is no pattern of files in its folder: {error}") from None
            if not files:
                raise InvalidRule(f"{FILE}: no file matches {pattern}.")
            found |= dict.fromkeys(files)
        return tuple(found)


def read_gate_settings(named: Path | None) -> GateSettings:
    """The settings of a file that was named, or of `flamechat.toml` in the working folder; none where there is none.
    Raises InvalidRule for what cannot be read or understood."""
    path = named or FILE
    if named is None and not path.is_file():
        return GateSettings()
    try:
        if path.stat().st_size > LARGEST:
            raise InvalidRule(f"{path}: larger than {LARGEST:,} bytes, so no settings.")
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidRule(f"{path}: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidRule(f"{path}: {error}") from None
    return _understood(path, document.get("gate", {}))


def _understood(path: Path, table: Any) -> GateSettings:
    if not isinstance(table, dict):
        raise InvalidRule(f"{path}: gate is a table, written [gate].")
    if unknown := sorted(set(table) - KEYS):
        raise InvalidRule(f"{path}: [gate] has no {', '.join(unknown)}; it has {', '.join(sorted(KEYS))}.")
    single_run = table.get("single_run")
    if single_run is not None and not isinstance(single_run, str):
        raise InvalidRule(f'{path}: single_run is a text such as "25%".')
    server, last = table.get("server"), table.get("last")
    if server is not None and not isinstance(server, str):
        raise InvalidRule(f"{path}: server is a text, an address.")
    if last is not None and (isinstance(last, bool) or not isinstance(last, int) or not 1 <= last <= MOST_RUNS):
        raise InvalidRule(f"{path}: last is a number from 1 to {MOST_RUNS}.")
    return GateSettings(
        rules=_texts(path, table, "rules"),
        before=_texts(path, table, "before"),
        single_run=single_run,
        folder=path.parent,
        server=server,
        baseline=_labels(path, table, "baseline"),
        labels=_labels(path, table, "labels"),
        last=last,
    )


def _labels(path: Path, table: dict[str, Any], key: str) -> dict[str, str]:
    values = table.get(key, {})
    if not isinstance(values, dict) or not all(isinstance(value, str) for value in values.values()):
        raise InvalidRule(f'{path}: {key} is a table of texts, such as {{ branch = "main" }}.')
    return dict(values)


def _texts(path: Path, table: dict[str, Any], key: str) -> tuple[str, ...]:
    values = table.get(key, [])
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise InvalidRule(f"{path}: {key} is a list of texts.")
    return tuple(values)
