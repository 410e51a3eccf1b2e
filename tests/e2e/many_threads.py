"""A recording of many threads, as a browser writes it: trace events, the program in the thread 31 of 50."""

import json
from pathlib import Path


def written(folder: Path, threads: int = 50) -> Path:
    """`threads.json`: all threads are named alike and tick for a moment; one runs `render_page` and what it calls."""
    events: list[dict[str, object]] = []
    for tid in range(1, threads + 1):
        name = "main" if tid == 31 else f"PoolWorker thread {tid}"
        events.append({"ph": "M", "name": "thread_name", "pid": 700, "tid": tid, "args": {"name": name}})
        for tick in range(40):
            at = tick * 10_000 + tid
            events.append(slice_of("tick" if tid != 31 else "render_page", at, 9_000 if tid == 31 else 20, tid))
            if tid == 31:
                events += [slice_of("lay_out_rows", at + 10, 6_000, tid), slice_of("measure_text", at + 20, 4_500, tid)]
            elif tid % 7 == 0:
                events.append(slice_of(f"flush_{tid}", at + 2, 10, tid))
    file = folder / "threads.json"
    file.write_text(json.dumps(events))
    return file


def slice_of(name: str, at: int, lasted: int, tid: int) -> dict[str, object]:
    return {"ph": "X", "name": name, "ts": at, "dur": lasted, "pid": 700, "tid": tid}
