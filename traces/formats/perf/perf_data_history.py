"""What lay at an address, and what each thread was called, at any time of a recording."""

import struct
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from traces.builder import TraceBuilder
from traces.errors import TraceTooLarge
from traces.formats.perf.perf_data_records import Records
from traces.formats.perf.perf_data_samples import Layout
from traces.model import NONE, Int64

MMAP, COMM, FORK, MMAP2, KSYMBOL = 1, 3, 7, 10, 17

KERNEL_IMAGES = ("[kernel.kallsyms]", "[guest.kernel.kallsyms")
ANONYMOUS = ("//anon", "/dev/zero", "/anon_hugepage", "[anon:")
"""How the kernel calls memory without a file: code in it was made while the program ran."""
MODULE_ENDINGS = (".xz", ".gz", ".zst", ".ko")
MODE, KERNEL_MODES = 7, (1, 4)
NOT_CODE = 1 << 13
"""A flag of mappings."""
KERNEL = 2**32 - 1
"""The process that the kernel's own mappings are of."""
MAX_MAPPINGS = 4_000_000
"""Of all processes, with those that a process took over. Linux lets one have 65,530 of them."""


class Mapping(NamedTuple):
    """A range of addresses, and the place in the file that is mapped at its start. `symbol` is the name of code that
    the kernel announced itself."""

    start: int
    end: int
    offset: int
    file: str
    symbol: str = ""


@dataclass(slots=True)
class AddressSpace:
    """Mappings that do not overlap, by their start."""

    starts: list[int] = field(default_factory=list)
    mappings: list[Mapping] = field(default_factory=list)

    def find(self, address: int) -> Mapping | None:
        """The mapping that holds an address."""
        at = bisect_right(self.starts, address) - 1
        return self.mappings[at] if at >= 0 and address < self.mappings[at].end else None

    def add(self, new: Mapping, *, is_shared: bool) -> "AddressSpace":
        """The space with one more: itself, or another one where it is shared or something else had been there."""
        first = bisect_right(self.starts, new.start)
        first -= first > 0 and self.mappings[first - 1].end > new.start
        last = first
        while last < len(self.mappings) and self.mappings[last].start < new.end:
            last += 1
        replaced = self.mappings[first:last]
        if replaced == [new]:
            return self
        left = [m._replace(end=new.start) for m in replaced[:1] if m.start < new.start]
        right = [
            m._replace(start=new.end, offset=m.offset + new.end - m.start) for m in replaced[-1:] if m.end > new.end
        ]
        space = AddressSpace(list(self.starts), list(self.mappings)) if replaced or is_shared else self
        space.mappings[first:last] = [*left, new, *right]
        space.starts[first:last] = [m.start for m in (*left, new, *right)]
        return space


@dataclass(slots=True)
class Timeline:
    """What was so of a process or thread from some time on. Changes are added in the order of time."""

    key: list[int] = field(default_factory=list)
    time: list[int] = field(default_factory=list)
    value: list[int] = field(default_factory=list)
    now: dict[int, int] = field(default_factory=dict)

    def change(self, key: int, time: int, value: int) -> None:
        """From `time` on it is so."""
        if self.now.get(key) != value:
            self.now[key] = value
            self.key.append(key)
            self.time.append(time)
            self.value.append(value)

    def at(self, keys: Int64, times: Int64) -> Int64:
        """The value of each key at a time; -1 where nothing was said by then."""
        own_keys = np.concatenate((np.array(self.key, np.int64), keys))
        own_times = np.concatenate((np.array(self.time, np.int64), times))
        changes = len(self.key)
        order = np.lexsort((own_times, own_keys))
        is_change = order < changes
        latest = np.maximum.accumulate(np.where(is_change, np.arange(len(order)), NONE))
        source = order[np.maximum(latest, 0)]
        known = (latest >= 0) & (own_keys[source] == own_keys[order])
        values = np.append(np.array(self.value, np.int64), NONE)
        found = np.full(len(keys), NONE, np.int64)
        found[order[~is_change] - changes] = np.where(known, values[np.minimum(source, changes)], NONE)[~is_change]
        return found


def name_of(address: int, mapping: Mapping | None, *, in_kernel: bool) -> tuple[str, str | None]:
    """Name and file of code at an address."""
    if mapping is None:
        return "[kernel]" if in_kernel else "[unknown]", None
    if mapping.symbol:
        return mapping.symbol, mapping.file
    if mapping.file.startswith(ANONYMOUS):
        return f"0x{address:x}", mapping.file
    if mapping.file.startswith(KERNEL_IMAGES):
        return f"[kernel]+0x{address - mapping.start:x}", KERNEL_IMAGES[0]
    module = mapping.file.rsplit("/", 1)[-1]
    if in_kernel and not module.startswith("["):
        for ending in MODULE_ENDINGS:
            module = module.removesuffix(ending)
        module = f"[{module}]"
    return f"{module}+0x{address - mapping.start + mapping.offset:x}", mapping.file


class History:
    """Names of threads and address spaces of processes as they changed; both are numbers in `names` and `spaces`."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.spaces: list[AddressSpace] = []
        self._known: dict[str, int] = {}
        self._names, self._spaces = Timeline(), Timeline()
        self._shared: set[int] = set()
        self._mappings = 0

    def names_of(self, tids: Int64, times: Int64) -> Int64:
        """The name of each thread at a time."""
        return self._names.at(tids, times)

    def spaces_of(self, pids: Int64, times: Int64) -> Int64:
        """The address space of each process at a time."""
        return self._spaces.at(pids, times)

    def spaces_of_kernel(self, times: Int64) -> Int64:
        """The kernel's address space at each time."""
        return self._spaces.at(np.full(len(times), KERNEL, np.int64), times)

    def call(self, tid: int, time: int, name: str) -> None:
        """A thread has a name."""
        number = self._known.setdefault(name, len(self.names))
        if number == len(self.names):
            self.names.append(name)
        self._names.change(tid, time, number)

    def fork(self, pid: int, tid: int, parent: tuple[int, int], time: int) -> None:
        """A thread begins, and has what the one has that made it."""
        if parent[1] in self._names.now:
            self._names.change(tid, time, self._names.now[parent[1]])
        if pid != parent[0] and parent[0] in self._spaces.now:
            self._spaces.change(pid, time, self._spaces.now[parent[0]])
            self._shared.add(self._spaces.now[pid])

    def map(self, pid: int, time: int, mapping: Mapping) -> bool:
        """Something is mapped; False when that is one too much."""
        number = self._spaces.now.get(pid)
        space = AddressSpace() if number is None else self.spaces[number]
        other = space.add(mapping, is_shared=number in self._shared)
        if number is None or other is not space:
            self._spaces.change(pid, time, len(self.spaces))
            self.spaces.append(other)
            self._mappings += len(other.mappings)
        self._mappings += 1
        return self._mappings <= MAX_MAPPINGS


def read_history(records: Records, layout: Layout, builder: TraceBuilder) -> History:
    """What the records say that are no samples. Raises DamagedTrace, TraceTooLarge."""
    rows = records.of_kind(MMAP, COMM, FORK, MMAP2, KSYMBOL)
    times = layout.times(rows)
    order = np.argsort(times, kind="stable")
    history = History()
    for row, time in zip(rows[order].tolist(), times[order].tolist(), strict=True):
        try:
            fits = _take(history, time, int(records.kind[row]), int(records.misc[row]), records.content(row))
        except struct.error as error:
            raise builder.damaged(f"record {row:,} is shorter than its fields.") from error
        if not fits:
            raise TraceTooLarge(
                f"{builder.name}: it tells of more than {MAX_MAPPINGS:,} mappings. Record fewer processes."
            )
    return history


def _take(history: History, time: int, kind: int, misc: int, content: bytes) -> bool:
    in_kernel = misc & MODE in KERNEL_MODES
    if kind == COMM:
        _, tid = struct.unpack_from("<II", content)
        # A new program's mappings replace the old ones as they come: until then its stacks end in the old program.
        history.call(tid, time, _text(content, 8))
    elif kind == FORK:
        pid, parent, tid, parent_tid = struct.unpack_from("<IIII", content)
        history.fork(pid, tid, (parent, parent_tid), time)
    elif kind == KSYMBOL:
        start, size, of_bpf = struct.unpack_from("<QIH", content)
        file = "[bpf]" if of_bpf == 1 else KERNEL_IMAGES[0]
        return not size or history.map(KERNEL, time, Mapping(start, start + size, 0, file, _text(content, 16)))
    elif not misc & NOT_CODE:
        pid, _, start, size, offset = struct.unpack_from("<IIQQQ", content)
        file = _text(content, 32 if kind == MMAP else 64)
        if in_kernel or pid == KERNEL:
            return history.map(KERNEL, time, Mapping(start, start + size if size else 2**64, 0, file))
        return not size or history.map(pid, time, Mapping(start, start + size, offset, file))
    return True


def _text(content: bytes, at: int) -> str:
    return content[at:].partition(b"\0")[0].decode("utf-8", "replace")
