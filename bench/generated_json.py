"""Firefox profiles and speedscope's JSON in any size. Such files must end, so that each knows how much it writes."""

import json
import random
from array import array
from collections.abc import Iterator

from bench.generated_names import WORDS, stacks

SAMPLES, STACKS, FRAMES, MARKERS = 4_000, 10_000, 1_500, 4_500
"""Rows of a Firefox profile's tables in a megabyte, as its own recordings have them: markers are half of it."""
THREADS = (
    ("GeckoMain", 0.35),
    ("Compositor", 0.05),
    ("DOM Worker", 0.1),
)
"""Of each of two processes: what it is called, and its part of the file."""
CATEGORIES = ("Idle", "Other", "Layout", "JavaScript", "GC / CC", "Graphics", "DOM")
MARKER_NAMES = 60
LIBRARIES, LIBRARY_BYTES = 90, 1 << 22
FIRST_LIBRARY = 0x7F00_0000_0000
MOST_FUNCTIONS, FUNCTIONS_PER_MB = 6_000, 600
"""Of a Python program; a small file must not hold names alone."""
PROFILES = 4


def gecko(megabytes: float) -> Iterator[str]:
    """What Firefox writes: two processes of three threads, addresses and scripts, markers with what they carry."""
    rnd = random.Random(11)
    yield f'{{{_gecko_start(0)},"threads":['
    yield from _gecko_threads(rnd, 4_711, megabytes)
    yield f'],"pausedRanges":[],"processes":[{{{_gecko_start(1_307)},"threads":['
    yield from _gecko_threads(rnd, 4_800, megabytes)
    yield '],"pausedRanges":[],"processes":[]}]}'


def _gecko_start(later: int) -> str:
    categories = [{"name": name, "color": "grey", "subcategories": ["Other"]} for name in CATEGORIES]
    meta = {
        "version": 34,
        "startTime": 1_795_295_156_467.74 + later,
        "interval": 1,
        "categories": categories,
        "sampleUnits": {"time": "ms", "eventDelay": "ms", "threadCPUDelta": "ns"},
    }
    starts = [FIRST_LIBRARY + n * LIBRARY_BYTES for n in range(LIBRARIES)]
    libs = [
        {"start": at, "end": at + LIBRARY_BYTES, "offset": 0, "name": f"lib{n}.so", "path": f"/usr/lib/lib{n}.so"}
        for n, at in enumerate(starts)
    ]
    return f'"meta":{json.dumps(meta)},"libs":{json.dumps(libs)}'


def _gecko_threads(rnd: random.Random, pid: int, megabytes: float) -> Iterator[str]:
    for number, (name, part) in enumerate(THREADS):
        yield f'{"," if number else ""}{{"name":"{name}","processName":"Web","pid":{pid},"tid":{pid + number},'
        yield from _gecko_thread(rnd, megabytes * part)
        yield "}"


def _gecko_thread(rnd: random.Random, megabytes: float) -> Iterator[str]:
    """Samples first; the stacks that they name are what they have made on the way."""
    samples, frames, markers = (max(40, int(megabytes * rows)) for rows in (SAMPLES, FRAMES, MARKERS))
    prefixes, of_frame = array("q", [-1]), array("q", [0])
    path = [0]
    yield '"samples":{"schema":{"stack":0,"time":1,"eventDelay":2,"threadCPUDelta":3},"data":['
    for sample in range(samples):
        del path[max(1, len(path) - rnd.randrange(6)) :]
        for _ in range(rnd.randrange(2 * STACKS // SAMPLES + 1) if len(path) < 60 else 0):
            prefixes.append(path[-1])
            of_frame.append(rnd.randrange(1, frames))
            path.append(len(prefixes) - 1)
        row = f"[{path[-1]}, {sample + rnd.randrange(90_000) / 1e6:.6f}, null, {rnd.randrange(999_999)}]"
        yield f"{',' if sample else ''}{row}"
    yield ']},"markers":{"schema":{"name":0,"startTime":1,"endTime":2,"phase":3,"category":4,"data":5},"data":['
    for number in range(markers):
        yield f"{',' if number else ''}{_marker(rnd, number * samples / markers)}"
    rows = (f"[{'null' if prefix < 0 else prefix}, {frame}]" for prefix, frame in zip(prefixes, of_frame, strict=True))
    yield ']},"stackTable":{"schema":{"prefix":0,"frame":1},"data":['
    yield ",".join(rows)
    yield ']},"frameTable":{"schema":{"location":0,"relevantForJS":1,"innerWindowID":2,"category":3},"data":['
    places = range(MARKER_NAMES, MARKER_NAMES + frames)
    yield ",".join(f"[{place}, false, 0, {rnd.choice((1, 1, 2, 3, 3, 4, 5, 6, 0))}]" for place in places)
    names = [f"{rnd.choice(WORDS).title()}{number}" for number in range(MARKER_NAMES)]
    yield f']}},"stringTable":{json.dumps(names + ["(root)"] + [_place(rnd, n) for n in range(frames - 1)])}'


def _marker(rnd: random.Random, time: float) -> str:
    name, url = rnd.randrange(MARKER_NAMES), f"https://example.org/{rnd.choice(WORDS)}/{rnd.getrandbits(24):x}"
    carried = f'{{"type": "Text", "name": "{url}", "innerWindowID": {rnd.randrange(99)}}}'
    if rnd.random() < 0.5:
        return f"[{name}, {time:.6f}, 0, 0, 1, {carried}]"
    return f"[{name}, {time:.6f}, {time + rnd.random() * 9:.6f}, 1, 2, {carried}]"


def _place(rnd: random.Random, number: int) -> str:
    if rnd.random() < 0.5:
        return f"0x{FIRST_LIBRARY + rnd.randrange(LIBRARIES * LIBRARY_BYTES):x}"
    one, two, three = (rnd.choice(WORDS) for _ in range(3))
    return f"{one}_{two}{number} (resource://app/modules/{three}.sys.mjs:{rnd.randrange(1, 3_000)}:{number % 80 + 1})"


def _functions(megabytes: float) -> int:
    return min(MOST_FUNCTIONS, max(40, int(megabytes * FUNCTIONS_PER_MB)))


def _speedscope_start(rnd: random.Random, functions: int) -> str:
    frames = [
        {"name": f"{rnd.choice(WORDS)}_{n}", "file": f"/srv/app/{rnd.choice(WORDS)}.py", "line": n, "col": None}
        for n in range(functions)
    ]
    schema = "https://www.speedscope.app/file-format-schema.json"
    return f'{{"$schema":"{schema}","exporter":"generated","shared":{{"frames":{json.dumps(frames)}}},"profiles":['


def sampled_speedscope(megabytes: float) -> Iterator[str]:
    """As py-spy writes it: threads with a stack each millisecond, almost every one another."""
    rnd = random.Random(13)
    functions = _functions(megabytes)
    start = _speedscope_start(rnd, functions)
    yield start
    for number in range(PROFILES):
        left, count = (megabytes * 1e6 - len(start)) / PROFILES, 0
        yield f'{"," if number else ""}{{"type":"sampled","name":"Thread {number}","unit":"seconds","startValue":0,'
        yield '"samples":['
        for stack in stacks(rnd, range(functions)):
            piece = f"{',' if count else ''}{stack}"
            yield piece
            count += 1
            left -= len(piece) + len(",0.001")
            if left <= 0:
                break
        yield f'],"weights":[{",".join(["0.001"] * count)}],"endValue":{count / 1_000}}}'
    yield "]}"


def evented_speedscope(megabytes: float) -> Iterator[str]:
    """Calls with their beginnings and ends, on several threads."""
    rnd = random.Random(17)
    functions = _functions(megabytes)
    start = _speedscope_start(rnd, functions)
    yield start
    for number in range(PROFILES):
        left, at, is_first = (megabytes * 1e6 - len(start)) / PROFILES, 0, True
        stack: list[int] = []
        yield f'{"," if number else ""}{{"type":"evented","name":"Thread {number}","unit":"microseconds",'
        yield '"startValue":0,"events":['
        while left > 0 or stack:
            at += rnd.randrange(1, 40)
            opens = left > 0 and len(stack) < 40 and (not stack or rnd.random() < 0.52)
            if opens:
                stack.append(rnd.randrange(functions))
            frame = stack[-1] if opens else stack.pop()
            piece = f'{"" if is_first else ","}{{"type":"{"O" if opens else "C"}","frame":{frame},"at":{at}.25}}'
            yield piece
            left, is_first = left - len(piece), False
        yield f'],"endValue":{at + 1}}}'
    yield "]}"
