"""A trace as the file of another tool."""

import gzip

from traces.export.targets import Target, export
from traces.handles import ALL
from traces.model import Trace


def write_export(trace: Trace, target: Target, profile: int | None, path: str) -> None:
    """A question for a worker: writes the file. Raises UnknownHandle, InvalidQuestion (as `export` does)."""
    document = export(trace, target, ALL if profile is None else profile)
    with open(path, "wb") as file:  # noqa: PTH123
        if target == "pprof":  # compressed in itself
            file.writelines(document.chunks)
            return
        with gzip.GzipFile(fileobj=file, mode="wb", compresslevel=1, filename="", mtime=0) as compressed:
            for chunk in document.chunks:
                compressed.write(chunk)
