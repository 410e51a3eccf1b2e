"""A zip of what Apple's Instruments saves, a folder called something.trace. Only its Time Profiler is read.

Nobody documents the format; this is what recordings of Instruments 8 to 10 hold. `form.template` is a keyed archive
with the symbols of each process. `corespace/run1/core` holds the run: in the store whose schema is "time-profile",
rows of a time (6 bytes), a thread (4 bytes), other things, and the number of a stack (4 bytes); in
`uniquing/arrayUniquer`, the stacks: numbers of other stacks, or addresses, innermost first.
"""

import io
import re
import zipfile
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from traces.archives import BROKEN, BUNDLE_SIGN, read_member
from traces.bounds import MAX_STACK_DEPTH
from traces.builder import TraceBuilder
from traces.equal_rows import rows_of_each
from traces.errors import UnrecognisedTrace
from traces.formats.instruments.keyed_archive import BrokenArchive, KeyedArchive
from traces.model import Int64, UInt8
from traces.stacks import StackTable
from traces.values import Clock

TIME_PROFILER = "com.apple.xray.instrument-type.coresampler2"
FIRST_SYMBOL = FIRST_ADDRESS = 5
INDEX_HEADER, LEAST_STORE, LEAST_ROW = 32, 20, 14
MEGABYTE = 1 << 20
MAX_SCHEMA_BYTES = 1 << 20
MAX_STEPS = 2 * MAX_STACK_DEPTH


@dataclass(slots=True)
class Bundle:
    """The files of the folder; every name is relative to it."""

    archive: zipfile.ZipFile
    name: str
    folder: str = ""

    def __post_init__(self) -> None:
        template = min((m for m in self.archive.namelist() if m.endswith(BUNDLE_SIGN)), key=len)
        self.folder = template.removesuffix("form.template")

    def has(self, path: str) -> bool:
        return self.folder + path in self.archive.NameToInfo

    def names(self, pattern: str) -> list[str]:
        """The files whose full name matches."""
        names = (m.removeprefix(self.folder) for m in self.archive.namelist() if m.startswith(self.folder))
        return sorted(name for name in names if re.fullmatch(pattern, name))

    def read(self, path: str, limit: int | None = None) -> bytes:
        """Raises BrokenArchive for a file that is not there, DamagedTrace, TraceTooLarge."""
        if not self.has(path):
            raise BrokenArchive("a file of the folder is missing")
        if limit is None:
            return bytes(read_member(self.archive, self.folder + path, self.name))
        return bytes(read_member(self.archive, self.folder + path, self.name, limit))


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed a profile a thread and run, the thread with most samples of the selected run first. Raises DamagedTrace."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            _read(Bundle(archive, builder.name), builder)
    except (BrokenArchive, OverflowError) as error:
        raise builder.damaged(f"{error}.") from error
    except BROKEN as error:
        raise builder.damaged("its zip is broken.") from error


def _read(bundle: Bundle, builder: TraceBuilder) -> None:
    template = KeyedArchive(bundle.read("form.template"))
    top = template.top
    stubs = template.members(top["stubInfoByUUID"]) if "stubInfoByUUID" in top else []
    instrument = template.text(stubs[0] if stubs else top.get("$1"))
    if instrument != TIME_PROFILER:
        raise UnrecognisedTrace(
            f"{builder.name}: of what Instruments saves, only recordings of the Time Profiler are read. "
            "Select its call tree, copy it with Edit, Deep Copy, and paste it into a text file."
        )
    runs = template.at(top.get("com.apple.xray.run.data"))
    if not isinstance(runs, dict):
        raise BrokenArchive("it lacks its runs")
    data = {template.number(key): value for key, value in template.items(runs.get("$1"))}
    numbers = [number for run in template.members(runs.get("$0")) if (number := template.number(run)) is not None]
    selected = _selected_run(template)
    for number in numbers:
        symbols = _symbols(template, dict(_named(template, data.get(number))).get("symbolsByPid"), builder)
        first = builder.profile_count
        _read_run(bundle, number, symbols, builder, prefix=f"run {number}, " if len(numbers) > 1 else "")
        if number == selected or builder.default_profile is None:
            builder.default_profile = first


def _selected_run(template: KeyedArchive) -> int | None:
    owner = template.at(template.top.get("com.apple.xray.owner.template"))
    if not isinstance(owner, dict):
        return None
    return template.number(dict(_named(template, owner)).get("_selectedRunNumber"))


def _named(template: KeyedArchive, value: Any) -> list[tuple[str, Any]]:
    return [(name, element) for key, element in template.items(value) if (name := template.text(key)) is not None]


def _symbols(template: KeyedArchive, by_process: Any, builder: TraceBuilder) -> dict[int, int]:
    """The frame of each address that has a symbol; where processes disagree, the first one counts."""
    frames: dict[int, int] = {}
    processes = template.at(by_process)
    if not isinstance(processes, dict):
        raise BrokenArchive("it lacks its symbols")
    for process in range(template.number(processes.get("$0")) or 0):
        table = template.at(processes.get(f"${2 + 2 * process}"))
        if not isinstance(table, dict):
            break
        for at in range(FIRST_SYMBOL, FIRST_SYMBOL - 1 + (template.number(table.get("$4")) or 0)):
            symbol = template.at(table.get(f"${at}"))
            if symbol is None and f"${at}" not in table:
                break
            if isinstance(symbol, dict):
                _add_symbol(template, symbol, frames, builder)
    return frames


def _add_symbol(template: KeyedArchive, symbol: dict[str, Any], frames: dict[int, int], builder: TraceBuilder) -> None:
    name, file = template.text(symbol.get("$0")), template.text(symbol.get("$1"))
    at = FIRST_ADDRESS
    while (address := template.number(symbol.get(f"${at}"))) is not None:
        if address not in frames:
            frames[address] = builder.frame(name or _hexadecimal(address), file or None)
        at += 2


def _read_run(bundle: Bundle, number: int, symbols: dict[int, int], builder: TraceBuilder, *, prefix: str) -> None:
    """A sample is charged the time since the one before it on its thread; before the first, nothing is known."""
    core = f"corespace/run{number}/core/"
    rows = _rows(bundle, core)
    times = rows[:, :8].copy().view("<u8")[:, 0] & np.uint64(0xFFFF_FFFF_FFFF)
    threads = rows[:, 6:10].copy().view("<u4")[:, 0]
    backtraces = rows[:, -4:].copy().view("<u4")[:, 0].astype(np.int64)
    ended = np.flatnonzero(times == 0)  # the store is larger than what it holds
    count = int(ended[0]) if len(ended) else len(times)
    arrays = _arrays(bundle, core + "uniquing/arrayUniquer/integeruniquer")
    stacks_of = {b: _stack(b, arrays, symbols, builder) for b in np.unique(backtraces[:count]).tolist()}
    for ident, mine in sorted(rows_of_each(threads[:count]), key=lambda thread: -len(thread[1])):
        ends = times[mine].astype(np.int64)
        weights = np.diff(ends, prepend=ends[:1])
        stacks = StackTable()
        leaves = stacks.leaves(stacks_of[b] for b in backtraces[mine].tolist())
        builder.add_sampled(
            f"{prefix}thread {ident}",
            stacks,
            leaves,
            [weights],
            time=ends - weights,
            axis_start=0,
            tid=str(ident),
            facts=replace(builder.facts, clock=Clock.OWN if prefix else Clock.TRACE),  # each run begins at 0
        )


def _hexadecimal(address: int) -> str:
    # Rounded as a double, as speedscope does: it changes -2 alone, which stands for "unknown".
    return f"0x{int(float(address & 0xFFFF_FFFF_FFFF_FFFF)):016x}"


def _rows(bundle: Bundle, core: str) -> UInt8:
    for schema in bundle.names(re.escape(core) + r"stores/[^/]+/schema\.xml"):
        if b'name="time-profile"' in bundle.read(schema, MAX_SCHEMA_BYTES):
            store = np.frombuffer(bundle.read(schema.replace("schema.xml", "bulkstore")), np.uint8)
            header, size = store[12:20].copy().view("<u4").tolist() if len(store) >= LEAST_STORE else (0, 0)
            if not LEAST_STORE <= header <= len(store) or size < LEAST_ROW:
                raise BrokenArchive("its store of samples is cut")
            complete = (len(store) - header) // size
            return store[header : header + complete * size].reshape(complete, size)
    raise BrokenArchive("it holds no store of samples")


def _arrays(bundle: Bundle, path: str) -> list[Int64]:
    """Lists of numbers, by the number of the list."""
    index = np.frombuffer(bundle.read(path + ".index"), np.uint8)[INDEX_HEADER:]
    data = np.frombuffer(bundle.read(path + ".data"), np.uint8)
    pairs = index[: len(index) // 8 * 8].view("<u4").reshape(-1, 2).astype(np.int64)
    arrays: list[Int64] = []
    for at in (pairs[:, 0] + pairs[:, 1] * MEGABYTE).tolist():
        if at == 0:  # where the header lies
            continue
        length = int(data[at : at + 4].view("<u4")[0]) if at + 4 <= len(data) else 0
        if at + 4 + length * 8 > len(data):
            raise BrokenArchive("its stacks are cut")
        arrays.append(data[at + 4 : at + 4 + length * 8].copy().view("<i8"))
    return arrays


def _stack(backtrace: int, arrays: list[Int64], symbols: dict[int, int], builder: TraceBuilder) -> list[int]:
    """The frames of a stack, outermost first. What is neither a symbol's address nor a list is a bare address."""
    frames: list[int] = []
    pending = [backtrace]
    steps = 0
    while pending and steps + len(pending) < MAX_STEPS:
        steps += 1
        number = pending.pop()
        frame = symbols.get(number)
        if frame is None and 0 <= number < len(arrays):
            pending.extend(arrays[number][::-1].tolist())
            continue
        if frame is None:
            frame = symbols[number] = builder.frame(_hexadecimal(number))
        frames.append(frame)
    if pending:
        raise BrokenArchive("a stack holds itself")
    return frames[::-1]
