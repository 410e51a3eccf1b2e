"""A real trace repeated in time, and 1 GB of it to the first picture."""

import hashlib
import json
import mmap
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import msgspec

from bench.measure import cpu_seconds, decompressed, mapped
from bench.own_process import AnonymousMemory, Figures, figures_of, memory_limit, met
from rendering.flamegraph import render_flamegraph
from rendering.options import FlamegraphOptions
from traces.reader import read_trace

REPEATED = "viztracer-100mb.json.gz"
LARGE_BYTES = 10**9
LARGE_TARGET_S = 1.5


def write_repeated(source: Path, out: Path, *, copies: int | None = None, side_by_side: bool = False) -> None:
    """Trace events one copy after the other in time, or each in a process of its own: `copies` of them, or as many as
    pass LARGE_BYTES."""
    events: list[dict[str, Any]] = msgspec.json.decode(decompressed(source))["traceEvents"]
    timed = [event for event in events if event["ph"] != "M"]
    length = max(event["ts"] + event.get("dur", 0) for event in timed) - min(event["ts"] for event in timed) + 1
    encoder = msgspec.json.Encoder()
    with out.open("wb") as file:
        file.write(b'{"traceEvents":')
        opening, number = b"", 0
        while number < copies if copies is not None else file.seek(0, os.SEEK_CUR) < LARGE_BYTES:
            written = encoder.encode(events if number == 0 else timed)
            file.write(opening + (written[:-1] if number == 0 else written[1:-1]))
            opening, number = b",", number + 1
            for event in timed:
                if side_by_side:
                    event["pid"] += 1
                else:
                    event["ts"] += length
        file.write(b"]}")


def first_picture(path: Path) -> Figures:
    """CPU seconds from the mapped bytes, warm, to a PNG of all of the time; those of the hash are a figure of their
    own."""
    content, memory = mapped(path), AnonymousMemory()
    for offset in range(0, len(content), mmap.PAGESIZE):
        content[offset]
    hashing = cpu_seconds(lambda: hashlib.sha256(content).digest(), rounds=1)
    with memory.watched():
        seconds = cpu_seconds(
            lambda: render_flamegraph(read_trace(content, name=path.name), FlamegraphOptions(mode="time_order")),
            rounds=1,
        )
    return {
        "seconds": seconds - hashing,
        "hash": hashing,
        "MB": len(content) / 1e6,
        "anonymous MB": memory.peak / 1e6,
    }


def print_large(folder: Path) -> None:
    """1 GB of trace events to the first picture."""
    if not (folder / REPEATED).exists():
        print(f"\n1 GB: {REPEATED} is not in {folder}")
        return
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "repeated.json"
        write_repeated(folder / REPEATED, path)
        print(f"\n1 GB of trace events ({REPEATED} repeated) to the first picture, warm; CPU seconds")
        found = figures_of("bench.repeated", str(path))
        if isinstance(found, str):
            print(found)
            return
        memory, limit = found["anonymous MB"], memory_limit(found["MB"])
        in_time = met(found["seconds"], LARGE_TARGET_S)
        print(
            f"{found['MB']:.0f} MB: {found['seconds']:.2f} of {LARGE_TARGET_S} {in_time}, "
            f"hash {found['hash']:.2f}; anonymous memory {memory:.0f} MB of {limit:.0f} {met(memory, limit)}",
            flush=True,
        )


if __name__ == "__main__":
    print(json.dumps(first_picture(Path(sys.argv[2]))))
