"""`flamechat batch`: the recordings of a place into tables, by the processes of this machine or by a Ray cluster."""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from server.adapters.fleet.batch import Batch, Reading
from server.adapters.fleet.local_reading import LocalReading
from server.adapters.fleet.sources import Source, source_of
from server.adapters.fleet.tables import FleetTables
from server.composing.worker_processes import build_workers
from server.edges.cli.command_values import BatchOptions
from server.ports.fleet import BatchDone
from server.settings import Settings


async def run_batch(settings: Settings, options: BatchOptions, progress: Callable[[BatchDone], None]) -> BatchDone:
    """Raises ConfigError, Busy, ServiceUnavailable."""
    source, tables = source_of(options.source), FleetTables(options.tables)
    with _reading(settings, options, source) as (reading, at_once):
        batch = Batch(source=source, tables=tables, reading=reading, at_once=at_once, program=options.program)
        return await batch.run(progress)


@contextmanager
def _reading(settings: Settings, options: BatchOptions, source: Source) -> Iterator[tuple[Reading, int]]:
    """What reads a file, and how many are read at once."""
    if options.engine == "ray":
        from server.adapters.fleet.ray_reading import NodeTask, ray_reading

        where = options.source if "://" in options.source else str(Path(options.source).resolve())
        task = NodeTask(where=where, memory_bytes=settings.worker_memory_bytes, import_seconds=settings.import_seconds)
        with ray_reading(settings.ray_address, task) as reading:
            yield reading, options.workers or reading.at_once
        return
    at_once = options.workers or os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as cache:
        workers = build_workers(settings.model_copy(update={"importers": at_once}), Path(cache))
        yield LocalReading(source, workers), at_once
