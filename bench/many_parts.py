"""`python -m bench many`: what two million names, fifteen thousand threads and a million and a half call paths cost,
and a second question about a large file next to one about a small file. CPU seconds.
"""

import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from unittest.mock import patch

from bench.generated_files import collapsed_of_names
from bench.generated_names import WORDS
from bench.measure import mapped
from bench.own_process import AnonymousMemory, Figures, figures_of, met
from bench.repeated import REPEATED, write_repeated
from bench.startup import FLAMECHAT, SMALL, seconds_of
from traces.analysis.calltree import call_tree
from traces.analysis.functions import top_functions
from traces.analysis.summary import summarise
from traces.reader import read_trace

NAMES, THREADS, PATHS = 2_000_000, 15_000, 1_500_000
PAGE = "chrome-100mb.json.gz"
COPIES = 3
SECOND_MORE_S = 0.1
ROUNDS = 3


def names() -> Iterator[str]:
    """Collapsed stacks of so many distinct names: two a line."""
    lines = collapsed_of_names(0)
    for _ in range(NAMES // 2):
        yield next(lines)


def threads() -> Iterator[str]:
    """A slice on each thread."""
    rnd = random.Random(4)
    yield "["
    for thread in range(THREADS):
        event = f'"ph":"X","pid":1,"tid":{thread},"ts":{rnd.randrange(10**6)},"dur":{rnd.randrange(1, 900)}'
        yield f'{"," if thread else ""}{{{event},"name":"{rnd.choice(WORDS)}"}}\n'
    yield "]"


def paths() -> Iterator[str]:
    """Stacks of 24 frames in which most are no other's: each goes on from the one before at any depth."""
    rnd, stack = random.Random(6), list[str]()
    made = 0
    while made < PATHS:
        kept = rnd.randrange(16, 24) if stack else 0
        stack = stack[:kept] + [f"f{rnd.randrange(5_000)}" for _ in range(24 - kept)]
        made += 24 - kept
        yield f"{';'.join(stack)} {rnd.randrange(1, 9)}\n"


FILES: dict[str, Callable[[], Iterator[str]]] = {
    "names.collapsed.txt": names,
    "threads.json": threads,
    "paths.collapsed.txt": paths,
}


def measure(path: Path) -> Figures:
    """Seconds of reading, of the first call tree and top functions, and of the summary; MB of content, and of memory
    before the summary."""
    content, memory = mapped(path), AnonymousMemory()
    found: Figures = {"MB": len(content) / 1e6}
    with memory.watched():
        start = time.process_time()
        trace = read_trace(content, name=path.name)
        found["read"] = time.process_time() - start
        found["call tree"], found["functions"] = (_seconds(partial(step, trace)) for step in (call_tree, top_functions))
    found["anonymous MB"] = memory.peak / 1e6
    found["summary"] = _seconds(partial(summarise, trace))
    found["paths"] = sum(len(profile.tree) for profile in trace.profiles)
    return found


def _seconds(step: Callable[[], object]) -> float:
    start = time.process_time()
    step()
    return time.process_time() - start


def _least(name: str) -> Figures:
    """Of a file that is made for it."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / name
        with path.open("w", encoding="utf-8") as out:
            out.writelines(FILES[name]())
        runs = [figures_of("bench.many_parts", str(path)) for _ in range(ROUNDS)]
    good = [run for run in runs if isinstance(run, dict)]
    if not good:
        sys.exit(f"{name}: {runs[-1]}")
    return {step: min(run[step] for run in good) for step in good[0]}


def print_many(folder: Path) -> None:
    """A line for each, with what is asked of it."""
    print(f"\nmany names, threads and paths: CPU seconds, the least of {ROUNDS} processes\n", flush=True)
    of_names = _least("names.collapsed.txt")
    _print(f"{NAMES:,} names, {of_names['MB']:.0f} MB: read", of_names["read"], 2.0)
    _print("  anonymous MB, with call tree and functions", of_names["anonymous MB"], 400)
    of_threads = _least("threads.json")
    _print(f"{THREADS:,} threads, {of_threads['MB']:.1f} MB: read", of_threads["read"], 0.5)
    _print("  and summary", of_threads["read"] + of_threads["summary"], 0.5)
    of_paths = _least("paths.collapsed.txt")
    _print(f"{of_paths['paths']:,.0f} paths, {of_paths['MB']:.0f} MB: call tree", of_paths["call tree"], 0.06)
    _print("  top functions", of_paths["functions"], 0.02)
    _print_second_question(folder)


def _print_second_question(folder: Path) -> None:
    for name in (PAGE, REPEATED):
        if not (folder / name).exists():
            print(f"second question: {name} is not in {folder}")
            continue
        with tempfile.TemporaryDirectory() as scratch:
            large = Path(scratch) / "large.json"
            write_repeated(folder / name, large, copies=COPIES)
            os.utime(large, (1, 1))
            time.sleep(SETTLED_S)
            with patch.dict(os.environ, {"XDG_DATA_HOME": scratch, "XDG_CACHE_HOME": scratch}):
                ask = [(FLAMECHAT, "summary", str(path)) for path in (SMALL, large)]
                for question in ask:
                    seconds_of(question)
                runs = [[seconds_of(question)[1] for question in ask] for _ in range(ROUNDS)]
            small, again = (min(run[at] for run in runs) for at in (0, 1))
            size = large.stat().st_size / 1e6
            print(f"summary of {SMALL.name}: {small:.3f}; again of {size:.0f} MB ({name} repeated): {again:.3f}")
            _print("  more", again - small, SECOND_MORE_S)


SETTLED_S = 3
"""A file that was changed more recently is not found by its place."""


def _print(label: str, figure: float, limit: float) -> None:
    print(f"{label:44} {figure:8.3f} of {limit:g} {met(figure, limit)}", flush=True)


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[2]))))
