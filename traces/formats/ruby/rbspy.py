"""rbspy's raw recordings (`rbspy record --raw-file`): a magic line, a header, and a JSON stack a line, innermost first.

Format: rbspy's src/storage (https://github.com/rbspy/rbspy), versions 1 (without header) and 2. Lines are where a
function was, not where it begins: a function is one frame with the lowest of them.
"""

import msgspec
import numpy as np

from traces.builder import TraceBuilder
from traces.model import Values
from traces.stacks import StackTable
from traces.values import Unit, ValueType

VERSIONS = (b"01", b"02")
SAMPLES, TIME = ValueType("samples", Unit.COUNT), ValueType("time", Unit.NANOSECONDS)
MAX_LINE = 1 << 30


class Header(msgspec.Struct):
    sample_rate: int | None = None


class Frame(msgspec.Struct, frozen=True, gc=False):
    name: str
    relative_path: str = ""
    absolute_path: str | None = None
    lineno: int | None = None


class Stack(msgspec.Struct):
    trace: list[Frame]
    pid: int | None = None
    thread_id: int | str | None = None


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed a profile a thread; a sample lasts as long as the sampling rate says. Raises DamagedTrace."""
    first, *lines = bytes(content).split(b"\n")
    if first[5:7] not in VERSIONS:
        raise builder.damaged(f"version {int(first[5:7])} of rbspy's format is not read.")
    header = msgspec.json.decode(lines.pop(0), type=Header) if first[5:7] == b"02" and lines else Header()
    decoder = msgspec.json.Decoder(Stack)
    stacks = [decoder.decode(line) for line in lines if line]
    lowest: dict[tuple[str, str], int] = {}
    for stack in stacks:
        for frame in stack.trace:
            key = _key(frame)
            lowest[key] = min(frame.lineno or MAX_LINE, lowest.get(key, MAX_LINE))
    frames = {
        key: builder.frame(key[0], key[1] or None, line if line < MAX_LINE else None) for key, line in lowest.items()
    }
    threads: dict[tuple[str, str], list[list[int]]] = {}
    for stack in stacks:
        ids = ("" if stack.pid is None else str(stack.pid), "" if stack.thread_id is None else str(stack.thread_id))
        threads.setdefault(ids, []).append([frames[_key(frame)] for frame in reversed(stack.trace)])
    for (pid, tid), rows in threads.items():
        table = StackTable()
        leaves = table.leaves(rows)
        weights: list[Values] = [np.ones(len(rows), np.int64)]
        values = [SAMPLES]
        if header.sample_rate is not None and header.sample_rate > 0:
            weights.insert(0, np.full(len(rows), 1_000_000_000 // header.sample_rate, np.int64))
            values.insert(0, TIME)
        name = f"pid {pid}, thread {tid}" if tid else f"pid {pid}" if pid else builder.name
        builder.add_sampled(name, table, leaves, weights, values=tuple(values), pid=pid, tid=tid)


def _key(frame: Frame) -> tuple[str, str]:
    return frame.name, frame.absolute_path or frame.relative_path
