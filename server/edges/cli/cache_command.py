"""`flamechat cache`: what the cache of opened traces keeps, its bound, and an empty one."""

import json
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import click

from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.reading import FAILED, MISUSED, fail
from server.errors import ConfigError
from server.quoting import plain

SIZE = re.compile(r"(\d+(?:\.\d+)?) ?(|k|M|G|T)i?B?", re.IGNORECASE)
FACTORS = {"": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000, "t": 1_000_000_000_000}
LISTED = 20
"""Traces that are printed, those used last; JSON has all."""


class KeptTrace(Protocol):
    """One trace of the cache; `used_at` is in seconds since 1970."""

    @property
    def name(self) -> str: ...
    @property
    def format(self) -> str: ...
    @property
    def size_bytes(self) -> int: ...
    @property
    def used_at(self) -> float: ...


class KeptTraces(Protocol):
    """The cache as the command needs it; what writes raises OSError."""

    @property
    def folder(self) -> Path: ...
    @property
    def most_bytes(self) -> int: ...
    def limit(self, most_bytes: int) -> None: ...
    def clear(self) -> int: ...
    def traces(self) -> Sequence[KeptTrace]: ...


def add_commands(app: click.Group, entry_points: CliEntryPoints) -> None:
    """Add the command to the application."""

    @app.command()
    @click.option("--limit", metavar="SIZE", help="Keep at most this, such as 2GB.")
    @click.option("--clear", is_flag=True, help="Remove all that is kept.")
    @click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    def cache(*, limit: str | None, clear: bool, as_json: bool) -> None:
        """Show, bound or clear the opened traces that commands and the server keep, so as not to read them again."""
        try:
            kept = entry_points.trace_cache()
            if limit is not None:
                kept.limit(_bytes(limit))
            freed = kept.clear() if clear else None
        except ConfigError as error:
            fail(str(error), MISUSED)
        except OSError as error:
            fail(f"{error.filename or 'the cache'}: {error.strerror or error}", FAILED)
        if as_json:
            _print_json(kept)
        else:
            _print(kept, freed)


def _bytes(given: str) -> int:
    """The bytes of `500MB`, `2 GB` or a plain number, in powers of ten. Ends the command for anything else."""
    match = SIZE.fullmatch(given.strip())
    if match is None:
        fail(f"{given} is no size: write it as 500MB or 2GB", MISUSED)
    return int(float(match[1]) * FACTORS[match[2].lower()])


def _print_json(kept: KeptTraces) -> None:
    rows = [
        {"name": one.name, "format": one.format, "size_bytes": one.size_bytes, "used_at": one.used_at}
        for one in kept.traces()
    ]
    click.echo(json.dumps({"folder": str(kept.folder), "most_bytes": kept.most_bytes, "traces": rows}, indent=2))


def _print(kept: KeptTraces, freed: int | None) -> None:
    from traces.analysis.units import format_value
    from traces.values import Unit

    traces = kept.traces()
    size = format_value(sum(one.size_bytes for one in traces), Unit.BYTES)
    if freed is not None:
        click.echo(f"{format_value(freed, Unit.BYTES)} removed")
    click.echo(f"{kept.folder}: {len(traces)} traces, {size} of at most {format_value(kept.most_bytes, Unit.BYTES)}")
    for one in traces[:LISTED]:
        used = time.strftime("%Y-%m-%d %H:%M", time.localtime(one.used_at))
        click.echo(f"  {format_value(one.size_bytes, Unit.BYTES):>9}  {used}  {plain(one.name, 60)} ({one.format})")
    if len(traces) > LISTED:
        click.echo(f"  … {len(traces) - LISTED} more")
