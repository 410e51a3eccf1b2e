"""pprof's text forms from before protobuf, as `go tool pprof` reads them: heaps, growth, contention, threads, counts.

Each reader takes the lines of a file and gives its profile; ValueError for a line that is not of its form.
"""

import re
from collections.abc import Iterable, Iterator

from traces.formats.pprof_otlp.legacy_profile import LegacyProfile, Place, addresses, calls, scaled, value
from traces.formats.pprof_otlp.memory_map import MemoryMap
from traces.formats.time_units import unit_named
from traces.values import Unit

HEAP = re.compile(r"heap profile: *(\d+): *(\d+) *\[ *(\d+): *(\d+) *\] *@ *([a-z]\w*)/?(\d*)")
HEAP_ROW = re.compile(r"(-?\d+): *(-?\d+) *\[ *(\d+): *(\d+) *\] @(.*)")
CONTENTION_ROW = re.compile(r"(\d+) +(\d+) @(.*)")
NUMBER = re.compile(r"[1-9]\d{0,18}|0x[0-9a-fA-F]{1,16}|0")
COUNT = re.compile(r"(\S+) profile: total \d+")
COUNT_ROW = re.compile(r"(\d+) @((?: 0x[0-9a-f]+)+)")
THREAD = re.compile(r"--- Thread [0-9a-fA-F]+ \(name: .*/\d+\) stack: ---")
JEMALLOC_ROW = re.compile(r"t(\S+): (\d+): (\d+) \[(\d+): (\d+)\]")
GO_COMMENT = re.compile(r"#\t(0x[0-9a-f]+)\t(.+?)(?:\+0x[0-9a-f]+)?\t+(.+):(\d+)")
ADDRESS_ALONE = re.compile(r"0x[0-9a-fA-F]{1,16}")
JAVA_NAME = re.compile(r"\s*0x([0-9a-fA-F]{1,16})\s+(.*?)\s*")
JAVA_PLACE = re.compile(r"(.*)\s+\((.+):(-?\d+)\)")
JAVA_LIBRARY = re.compile(r"(.*)\s+\((.*)\)")
MAPS = ("--- Memory map: ---", "MAPPED_LIBRARIES:")
JAVA_HEAP_RATE = 524_288
GHZ = 1e9
USED = (value("objects"), value("space", Unit.BYTES))
ALLOCATED_AND_USED = (
    value("alloc_objects"),
    value("alloc_space", Unit.BYTES),
    value("inuse_objects"),
    value("inuse_space", Unit.BYTES),
)
CONTENTIONS = (value("contentions"), value("delay", Unit.NANOSECONDS))


def attribute(text: str) -> int:
    """The number of a line `name = number`. Raises ValueError."""
    if NUMBER.fullmatch(text) is None:
        raise ValueError("what should be a number is none")
    return int(text, 0)


def read_heap(lines: Iterable[str]) -> LegacyProfile:
    """What is in use (and what was allocated, where both are told apart), of a heap, its growth or fragmentation."""
    rows = iter(lines)
    header = HEAP.search(next(rows))
    if header is None:
        raise ValueError("its first line is not that of a heap")
    used, space, allocated, allocated_space, kind, written_rate = header.groups()
    has_both = (allocated not in (used, "0")) or (allocated_space not in (space, "0"))
    rate = int(written_rate or 0) if kind in ("heapz_v2", "heap_v2") else 0
    if kind == "heap":
        rate = int(written_rate or 0) // 2  # Go writes twice its rate
    if not kind.startswith("heap"):
        has_both = False
    profile = LegacyProfile(ALLOCATED_AND_USED if has_both else USED)
    for line in _rows(rows, profile):
        match = HEAP_ROW.match(line.strip())
        if match is None:
            profile.unread += 1
            continue
        numbers = [int(number) for number in match.groups()[:4]]
        in_use, in_all = scaled(numbers[0], numbers[1], rate), scaled(numbers[2], numbers[3], rate)
        profile.add(calls(addresses(match[5])), (*in_all, *in_use) if has_both else in_use)
    return profile


def read_jemalloc(lines: Iterable[str]) -> LegacyProfile:
    """jemalloc's heap: a line `@ ADDRESSES` for each stack, behind it a line a thread, of which `t*` is their sum."""
    rows = iter(lines)
    rate = int(next(rows).partition("/")[2])
    entries: list[tuple[tuple[int, ...], tuple[int, int], tuple[int, int]]] = []
    profile = LegacyProfile(USED)
    stack: tuple[int, ...] | None = None
    for line in _rows(rows, profile):
        text = line.strip()
        if text.startswith("@"):
            stack = calls(addresses(text))
        elif (match := JEMALLOC_ROW.fullmatch(text)) is None:
            profile.unread += 1
        elif match[1] == "*" and stack is not None:
            used, space, allocated, allocated_space = (int(number) for number in match.groups()[1:])
            entries.append((stack, scaled(used, space, rate), scaled(allocated, allocated_space, rate)))
    if any(in_all[1] for _, _, in_all in entries):
        profile.values = ALLOCATED_AND_USED
    for stack, in_use, in_all in entries:
        profile.add(stack, in_use if profile.values is USED else (*in_all, *in_use))
    return profile


def read_contention(lines: Iterable[str]) -> LegacyProfile:
    """How often and how long was waited for locks; cycles become nanoseconds, and samples what they stand for."""
    rows = iter(lines)
    next(rows)
    period, cycles_a_second = 1, 0
    profile = LegacyProfile(CONTENTIONS)
    for line in _rows(rows, profile):
        key, is_attribute, text = (part.strip() for part in line.partition("="))
        if is_attribute:
            if key == "cycles/second":
                cycles_a_second = attribute(text)
            elif key == "sampling period":
                period = attribute(text)
            continue
        match = CONTENTION_ROW.match(line.strip())
        if match is None:
            profile.unread += 1
            continue
        delay, count = int(match[1]), int(match[2])
        if period > 0:
            delay = int(delay * float(period) / (cycles_a_second / GHZ)) if cycles_a_second > 0 else delay
            count *= period
        profile.add(calls(addresses(match[3])), (count, delay))
    return profile


def read_count(lines: Iterable[str]) -> LegacyProfile:
    """Go's counts of goroutines, threads and the like, by where they are."""
    rows = iter(lines)
    header = next(line for line in rows if line.strip() and not line.strip().startswith("#"))
    match = COUNT.fullmatch(header.strip())
    if match is None:
        raise ValueError("its first line names no count")
    profile = LegacyProfile((value(match[1]),))
    for line in _rows(rows, profile):
        row = COUNT_ROW.fullmatch(line.strip())
        if row is None:
            profile.unread += 1
            continue
        profile.add(calls(addresses(row[2])), (int(row[1]),))
    return profile


def read_threads(lines: Iterable[str]) -> LegacyProfile:
    """The stacks of all threads at one moment, each counting once."""
    profile = LegacyProfile((value("thread"),))
    stack: list[int] | None = None
    rows = iter(lines)
    for line in rows:
        if any(sign in line for sign in MAPS) or line.startswith("---- no stack trace for"):
            break
        if THREAD.search(line) is not None:
            _add_thread(profile, stack)
            stack = []
        elif "same as previous thread" in line:
            stack = None
            if profile.rows:
                profile.rows[-1] = (profile.rows[-1][0] + 1,)
        elif stack is not None:
            stack += addresses(line)
    _add_thread(profile, stack)
    _read_map(rows, profile)
    return profile


def _add_thread(profile: LegacyProfile, stack: list[int] | None) -> None:
    if stack:
        inner, outer = stack[0], calls(stack[1:])
        is_twice = bool(outer) and inner == outer[0] + 1
        profile.add((inner, *(outer[1:] if is_twice else outer)), (1,))


def read_java(lines: Iterable[str]) -> LegacyProfile:
    """Heap or contention of a Java program: rows of numbers in place of addresses, then what they are."""
    rows = list(lines)
    is_heap = rows[0].strip() == "--- heapz 1 ---"
    period, unit = 1, (Unit.BYTES, 1) if is_heap else (Unit.COUNT, 1)
    profile = LegacyProfile(())
    for at, line in enumerate(rows[1:], 1):
        key, is_attribute, text = (part.strip() for part in line.partition("="))
        match = CONTENTION_ROW.match(line.strip())
        if match is not None:
            size, count = int(match[1]), int(match[2])
            if is_heap:
                count, size = scaled(count, size, JAVA_HEAP_RATE)
            profile.add(addresses(match[3]), (count * period, size * unit[1] * period))
        elif is_attribute and key == "resolution":
            unit = unit_named(text)
        elif is_attribute and key == "sampling period":
            period = attribute(text) or 1
        elif JAVA_NAME.fullmatch(line) is not None:
            profile.names = read_java_names(rows[at:])
            break
    names = ("inuse_objects", "inuse_space") if is_heap else ("contentions", "delay")
    profile.values = (value(names[0]), value(names[1], unit[0]))
    return profile


def read_java_names(lines: Iterable[str]) -> dict[int, tuple[Place, ...]]:
    """What the numbers in a Java program's stacks are: a function with file and line, a library's, or a state."""
    names: dict[int, tuple[Place, ...]] = {}
    for line in lines:
        match = JAVA_NAME.fullmatch(line)
        if match is None:
            continue
        text = match[2]
        if (place := JAVA_PLACE.fullmatch(text)) is not None:
            found = Place(place[1], place[2], max(0, int(place[3])))
        elif (library := JAVA_LIBRARY.fullmatch(text)) is not None:
            found = Place(library[1], library[2].rpartition("/")[2] or None)
        else:
            found = Place("STUB" if "generated stub/JIT" in text else text)
        names[int(match[1], 16)] = (found,)
    return names


def _rows(rows: Iterator[str], profile: LegacyProfile) -> Iterator[str]:
    """The lines of samples; what Go's comments behind one name is its stack, and the map behind all is read."""
    named: list[Place] = []
    for line in rows:
        text = line.strip()
        if not text:
            continue
        if text.startswith("#"):
            if (match := GO_COMMENT.fullmatch(text)) is not None:
                named.append(Place(match[2], match[3], int(match[4])))
            continue
        _name_last(profile, named)
        if any(sign in text for sign in MAPS):
            _read_map(rows, profile)
            return
        if text.startswith("---"):
            continue
        yield line
    _name_last(profile, named)


def _name_last(profile: LegacyProfile, named: list[Place]) -> None:
    if named and profile.stacks:
        profile.stacks[-1] = tuple(named)
    named.clear()


def _read_map(rows: Iterator[str], profile: LegacyProfile) -> None:
    profile.mappings = MemoryMap.written("\n".join(rows))


def read_symbols(text: str) -> dict[int, tuple[Place, ...]]:
    """gperftools' list of names before a profile: an address and its functions, inlined ones first, between `--`."""
    names: dict[int, tuple[Place, ...]] = {}
    for line in text.splitlines():
        number, _, functions = line.strip().partition(" ")
        if ADDRESS_ALONE.fullmatch(number) and functions:
            address = int(number, 16)
            names[address] = tuple(Place(function) for function in functions.split("--") if function)
            names.setdefault(address - 1, names[address])  # of a return address: the call before it
    return names
