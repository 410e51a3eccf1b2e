"""`python -m bench batch`: a folder of recordings read by `flamechat batch`, next to its importers alone.

Generated Chrome traces of a megabyte each, all different, are read once by the command, and once by as many plain
processes as there are cores, which import and measure and write nothing: half of them before the command and half
after it, as a machine that others use is not equally fast all the time. Bound: the command's throughput is at least
0.9 of theirs, by the processor time of all processes; its memory does not grow with the number of files.
"""

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from bench.generated_names import WORDS
from bench.own_process import figures_of, met
from traces.content_key import content_key
from traces.gate.run_history import run_history
from traces.reader import read_trace

FILES = 2_000
FEW = 400
"""Files for the memory to be compared with: two parts of the tables."""
MEGABYTE = 1_000_000
AT_LEAST = 0.9
GROWTH = 1.15
CHUNK = 50


def recording(number: int) -> bytes:
    """A trace of about a megabyte: calls of 400 functions in two threads."""
    rnd = random.Random(number)
    names = [f"{rnd.choice(WORDS)}_{rnd.choice(WORDS)}_{n}" for n in range(400)]
    events, size = [], 0
    clock = [0, 0]
    while size < MEGABYTE:
        thread, length = rnd.randrange(2), rnd.randrange(2, 900)
        event = {"ph": "X", "pid": 1, "tid": thread + 1, "ts": clock[thread], "dur": length, "name": rnd.choice(names)}
        clock[thread] += length + rnd.randrange(40)
        text = json.dumps(event)
        events.append(text)
        size += len(text) + 2
    return ('{"traceEvents": [' + ",\n".join(events) + "]}").encode()


def written(folder: Path, files: int) -> None:
    for number in range(files):
        (folder / f"run-{number:05}.json").write_bytes(recording(number))


def measured_alone(paths: Sequence[Path]) -> int:
    """What the command has a file's worker do, without the command."""
    for path in paths:
        data = path.read_bytes()
        content_key(data)
        run_history(read_trace(data, name=path.name))
    return len(paths)


def figures(way: str, folder: Path) -> dict[str, float]:
    """CPU seconds of all processes, seconds that passed, and the largest process in MB."""
    began = time.monotonic()
    if way == "batch":
        with tempfile.TemporaryDirectory() as tables:
            main = "from server.app import main; main()"
            command = [sys.executable, "-c", main, "batch", str(folder), "--out", tables, "--json"]
            read = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["read"]
    else:
        with ProcessPoolExecutor(os.cpu_count()) as pool:
            read = sum(pool.map(measured_alone, in_parts(sorted(folder.iterdir()))))
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "read": read,
        "cpu": spent.ru_utime + spent.ru_stime,
        "seconds": time.monotonic() - began,
        "MB": spent.ru_maxrss / 1024,
    }


def in_parts(paths: Sequence[Path]) -> Iterator[Sequence[Path]]:
    for start in range(0, len(paths), CHUNK):
        yield paths[start : start + CHUNK]


def print_fleet_files() -> bool:
    """Whether the bounds were kept."""
    with tempfile.TemporaryDirectory() as place:
        folder, few, first, second = (Path(place) / name for name in ("all", "few", "first", "second"))
        folder.mkdir()
        written(folder, FILES)
        paths = sorted(folder.iterdir())
        for part, of_part in ((few, paths[:FEW]), (first, paths[::2]), (second, paths[1::2])):
            part.mkdir()
            for path in of_part:
                (part / path.name).hardlink_to(path)
        print(f"\n{FILES} traces of 1 MB, {os.cpu_count()} processes\n")
        found = {}
        ways = (
            ("few", "batch", few),
            ("alone", "alone", first),
            ("batch", "batch", folder),
            ("after", "alone", second),
        )
        for name, way, where in ways:
            one = figures_of("bench.fleet_files", way, str(where))
            if isinstance(one, str):
                print(f"{name}: {one}")
                return False
            found[name] = one
            print(
                f"{name:6} {one['read']:6.0f} files {one['cpu']:8.1f} s CPU {one['seconds']:8.1f} s "
                f"{one['MB']:6.0f} MB at most",
                flush=True,
            )
    share = (found["alone"]["cpu"] + found["after"]["cpu"]) / found["batch"]["cpu"]
    growth = found["batch"]["MB"] / found["few"]["MB"]
    kept = met(AT_LEAST, share), met(growth, GROWTH)
    print(f"throughput {share:.2f} of the importers' own (at least {AT_LEAST}): {kept[0]}")
    print(f"memory {growth:.2f} times that of {FEW} files (at most {GROWTH}): {kept[1]}")
    return kept == ("yes", "yes")


if __name__ == "__main__":
    print(json.dumps(figures(sys.argv[2], Path(sys.argv[3]))))
