"""What every one of pprof's forms from before protobuf gives: stacks of addresses with values, names, a memory map."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import exp

from traces.formats.pprof_otlp.memory_map import MemoryMap
from traces.values import Unit, ValueType

ADDRESS = re.compile(r"0x[0-9a-f]+")
MAX_ADDRESS = 1 << 64


@dataclass(frozen=True, slots=True)
class Place:
    """A function by name, with its file and the line that was sampled in it."""

    name: str
    file: str | None = None
    line: int = 0


Stack = tuple[int | Place, ...]
"""Innermost first: addresses, or what a form names itself."""


@dataclass(slots=True)
class LegacyProfile:
    """`rows` hold a number for each of `values`; `names` what addresses are (several places: inlined ones first)."""

    values: tuple[ValueType, ...]
    stacks: list[Stack] = field(default_factory=list)
    rows: list[tuple[int, ...]] = field(default_factory=list)
    names: dict[int, tuple[Place, ...]] = field(default_factory=dict)
    mappings: MemoryMap = field(default_factory=lambda: MemoryMap(()))
    unread: int = 0
    is_cut: bool = False

    def add(self, stack: Stack, row: tuple[int, ...]) -> None:
        self.stacks.append(stack)
        self.rows.append(row)


def value(name: str, unit: Unit = Unit.COUNT) -> ValueType:
    return ValueType(name, unit)


def addresses(text: str) -> tuple[int, ...]:
    """Every hexadecimal number in a text. Raises ValueError for one that is no address."""
    found = tuple(int(number, 16) for number in ADDRESS.findall(text))
    if found and max(found) >= MAX_ADDRESS:
        raise ValueError("an address is longer than 64 bits")
    return found


def calls(stack: Iterable[int]) -> tuple[int, ...]:
    """Return addresses as those of the calls: each one lower, so that it lies within the call's line."""
    return tuple(max(0, address - 1) for address in stack)


def scaled(count: int, size: int, rate: int) -> tuple[int, int]:
    """Sampled allocations of a mean size, divided by the chance that one of that size is sampled once in `rate` bytes
    (a Poisson process): `scaleHeapSample` of pprof."""
    if count == 0 or size == 0:
        return 0, 0
    if rate <= 1:
        return count, size
    chance = 1 - exp(-(size / count) / rate)
    return (int(count / chance), int(size / chance)) if chance > 0 else (count, size)


def lines_of(content: memoryview) -> Iterator[str]:
    """The lines of a text, without what ends them."""
    return (line.rstrip("\r") for line in str(content, "utf-8", "replace").split("\n"))
