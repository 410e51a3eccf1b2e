"""Record the measures of planted.json again: `python -m tests.traces.gate.planted.record FOLDER [PROGRAM...]`, some ten
minutes; those of programs that are not named stay.

Three programs, each with one function that is slower by 0, 3, 10 and 30 %, 40 runs a level, the levels in an order that
is drawn by chance, so that what the machine does meanwhile falls on all alike. The recordings lie in the folder only
until they are measured. It needs perf and gcc; what is measured is time on a processor.
"""

import json
import random
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from traces.analysis.selection import select
from traces.gate.function_keys import matching
from traces.gate.run_measures import FunctionValues, function_keys, measure_run
from traces.reader import read_trace

LEVELS = (0, 3, 10, 30)
RUNS = 40
SEED = 20261123
SMALLEST_SHARE = 0.002
"""Functions below it are left out: the file is kept small."""
HERE = Path(__file__).parent
PERF = ("perf", "record", "-q", "-e", "cpu-clock:u", "-o", "run.data")
PROFILED = (
    "import cProfile, runpy, sys, time; sys.argv = sys.argv[1:]; profile = cProfile.Profile(time.process_time); "
    "profile.enable(); runpy.run_path(sys.argv[0], run_name='__main__'); profile.disable(); profile.dump_stats('run')"
)


@dataclass(frozen=True, slots=True)
class Program:
    """What is run, with the level as its last argument, and the function that is slower."""

    name: str
    command: tuple[str, ...]
    target: str
    value: str | None
    tool: str


PROGRAMS = (
    Program(
        "price_orders", (sys.executable, "-c", PROFILED, "price_orders.py"), "price", None, "cProfile, process time"
    ),
    Program(
        "match_words", (sys.executable, "-c", PROFILED, "match_words.py"), "distance", None, "cProfile, process time"
    ),
    Program("blur_lines", (*PERF, "-F", "20000", "./blur_lines"), "blur", "CPU time", "perf, cpu-clock at 20 kHz"),
)


def build(folder: Path) -> None:
    """Copy the programs to the folder and compile them."""
    for source in ("price_orders.py", "match_words.py", "blur_lines.c"):
        shutil.copy(HERE / source, folder)
    subprocess.run(["gcc", "-O1", "-g", "-o", "blur_lines", "blur_lines.c"], cwd=folder, check=True)


def run_once(folder: Path, program: Program, level: int) -> dict[str, Any]:
    """One recording's measures."""
    subprocess.run(
        [*program.command, str(level)], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    if program.command[0] == "perf":
        script = ["perf", "script", "-i", "run.data"]
        data = subprocess.run(script, cwd=folder, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    else:
        data = (folder / "run").read_bytes()
    trace = read_trace(data, name=program.name)
    chosen = select(trace, "all", value=program.value)
    meant = matching(program.target, function_keys(trace))
    found = measure_run(chosen, targets={program.target: meant})
    return {
        "slower": level,
        "total": found.scope_total,
        "resolution": found.resolution,
        "format": found.format,
        "functions": {
            name: _pair(values)
            for (name, _), values in found.functions.items()
            if values.self_value >= SMALLEST_SHARE * found.scope_total
        },
        "target": _pair(found.targets[program.target]),
    }


def _pair(values: FunctionValues) -> tuple[int, int]:
    return round(values.self_value), round(values.total_value)


def main(folder: Path, named: list[str]) -> None:
    """Record everything, or the programs that are named, and write planted.json, a line a run."""
    folder.mkdir(parents=True, exist_ok=True)
    build(folder)
    programs = [program for program in PROGRAMS if not named or program.name in named]
    order = [(program, level) for program in programs for level in LEVELS for _ in range(RUNS)]
    random.Random(SEED).shuffle(order)
    kept = json.loads((HERE / "planted.json").read_text(encoding="utf-8"))
    runs: dict[str, list[dict[str, Any]]] = {program.name: [] for program in programs}
    for done, (program, level) in enumerate(order, 1):
        runs[program.name].append(run_once(folder, program, level))
        print(f"{done} of {len(order)}: {program.name} {level}", flush=True)  # noqa: T201 - a long run says how far it is
    lines = []
    for program in PROGRAMS:
        found = runs.get(program.name) or kept[program.name]["runs"]
        each = ",\n".join(json.dumps(run, separators=(",", ":")) for run in found)
        head = json.dumps({"tool": program.tool, "target": program.target})[:-1]
        lines.append(f'"{program.name}": {head}, "runs": [\n{each}\n]}}')
    (HERE / "planted.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
