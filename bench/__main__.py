"""`make bench`, or `python -m bench [--large] [FILES]`: seconds from bytes to answers and a picture, with targets.
`python -m bench streaming`: tokens on their way through the server; `crowds`: thousands of prompts at once;
`streams`: what a token costs on the streams of other clients, and on the socket;
`interrupts`: how long a turn takes, and how soon it goes on when the page answers;
`history`: questions over 10,000 recordings in an embedded database;
`spend`: the spend report over a year of a million model calls;
`questions`: every question about a million spans and a million samples; `startup`: how long commands take to start;
`formats`: how fast each format is read (`--growth`: in small files and in large ones);
`many`: names, threads and paths by the million, and second questions about large files;
`queue`: how long an accepted turn waits for its start, and what it asks of PostgreSQL;
`scale`: what a turn costs with 10, 30 and 100 servers on one PostgreSQL, and where it stops (some three minutes);
`page`: the page in a browser, with speedscope's; `batch`: a folder of recordings, beside the importers alone;
`memory`: what is found of what was remembered, and how fast (`--hits`: without how fast);
`house`: the shape of the code; `detection`: foreign files that are misread, damaged ones that are recognised.

Each file is measured in a process of its own. Large traces come from the folder `traces` in FLAMECHAT_SHARED; where it
is missing, that is said. `--large` adds a file of 1 GB, made in the temporary folder. FILES: the steps of those alone.
"""

import json
import os
import platform
import sys
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path

from bench import streaming
from bench.cancelling import print_cancelling
from bench.crowds import print_crowds
from bench.detection import print_detection
from bench.fleet_files import print_fleet_files
from bench.formats import print_formats, print_growth
from bench.history import print_history
from bench.house import print_house
from bench.interrupts import print_interrupts
from bench.many_parts import print_many
from bench.measure import STEPS
from bench.own_process import ROOT, figures_of
from bench.page import print_page
from bench.questions import print_questions
from bench.remembered_questions import print_memory
from bench.rendering import print_rendering
from bench.repeated import print_large
from bench.responsiveness import print_fresh_command, print_responsiveness
from bench.scale import print_scale
from bench.speedscope import print_against_speedscope
from bench.spend import print_spend
from bench.startup import print_startup
from bench.streams import print_streams
from bench.turn_queue import print_queue
from traces.cache import ENGINE_VERSION

SHARED = Path(os.environ.get("FLAMECHAT_SHARED", ROOT.parent / "shared"))
LARGE = SHARED / "traces"


def fixtures() -> list[Path]:
    truths = json.loads((ROOT / "fixtures" / "truth.json").read_text(encoding="utf-8"))
    return [ROOT / "fixtures" / truth["file"] for truth in truths]


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def print_machine() -> None:
    load = f"load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(f"{processor()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}, {load}")
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "msgspec", "pillow"))
    print(f"engine {ENGINE_VERSION}, Python {platform.python_version()}, {packages}")


def print_steps(paths: list[Path]) -> None:
    """Every step on every file."""
    print("\nsteps in CPU seconds; MB of content; import holds the hash of the content, not its decompression\n")
    width = max(len(path.name) for path in paths)
    print(f"{'file':{width}} {'MB':>7} " + " ".join(f"{step:>11}" for step in STEPS) + f" {'anonymous MB':>12}")
    for path in paths:
        ours = figures_of("bench.measure", str(path))
        if isinstance(ours, str):
            print(f"{path.name:{width}} {ours}", flush=True)
            continue
        steps = " ".join(f"{ours[step]:11.4f}" for step in STEPS)
        print(f"{path.name:{width}} {ours['MB']:7.1f} {steps} {ours['anonymous MB']:12.0f}", flush=True)


TABLES: dict[str, Callable[[], None]] = {
    "formats": partial(print_formats, LARGE),
    "formats --growth": print_growth,
    "many": partial(print_many, LARGE),
    "history": print_history,
    "spend": print_spend,
    "questions": partial(print_questions, LARGE),
    "page": print_page,
    "queue": print_queue,
    "scale": lambda: sys.exit(0 if print_scale() else 1),
    "batch": lambda: sys.exit(0 if print_fleet_files() else 1),
    "memory": print_memory,
    "memory --hits": partial(print_memory, speed=False),
    "interrupts": lambda: sys.exit(0 if print_interrupts() else 1),
    "streams": lambda: sys.exit(0 if print_streams() else 1),
}


def main(arguments: list[str]) -> None:
    if arguments == ["house"]:
        print_house()
        return
    if arguments == ["detection"]:
        sys.exit(0 if print_detection(ROOT / "fixtures") else 1)
    print_machine()
    if arguments[:1] == ["streaming"]:
        sys.exit(streaming.main(arguments[1:]))
    if arguments[:1] == ["startup"]:
        sys.exit(0 if print_startup(*map(int, arguments[1:])) else 1)
    if (table := TABLES.get(" ".join(arguments))) is not None:
        table()
        return
    if arguments == ["crowds"]:
        sys.exit(0 if print_crowds() else 1)
    files = [Path(argument).resolve() for argument in arguments if argument != "--large"]
    if files:
        print_steps(files)
        return
    if not LARGE.is_dir():
        print(f"large traces: none at {LARGE}; FLAMECHAT_SHARED names the folder that holds their folder")
    print_against_speedscope(LARGE)
    print_formats(LARGE)
    print_many(LARGE)
    print_questions(LARGE)
    if "--large" in arguments:
        print_large(LARGE)
    print_fresh_command(fixtures()[0])
    print_responsiveness(fixtures())
    print_steps(fixtures() + (sorted(LARGE.glob("*")) if LARGE.is_dir() else []))
    print_rendering()
    print_cancelling()
    print_crowds()
    streaming.print_streaming()


if __name__ == "__main__":
    main(sys.argv[1:])
