"""What lies at an address of a process, by its memory map: `libc.so+0x1f3a`, the offset being that in the file.

The forms that a map is written in are those of github.com/google/pprof, profile/legacy_profile.go
(`parseMappingEntry`): /proc/PID/maps, and `START-END: FILE (@OFFSET) BUILD-ID`, with `$NAME`
for what a line `NAME=…` before it gave.
"""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from traces.lazy_regex import lazy_regex

HEX = r"(?:0x)?([0-9a-fA-F]{1,16})"
RANGE = rf"\s*{HEX}[\s-]?\s*{HEX}:?"
PROC_MAPS = lazy_regex(
    rf"{RANGE}(?:\s+([-rwxps]+))?(?:\s+([0-9a-fA-F]{{1,16}}))?\s+[0-9a-fA-F]+:[0-9a-fA-F]+\s+\d+(?:\s+(\S+))?"
)
BRIEF = lazy_regex(rf"{RANGE}(?:\s+([-rwxp]+))?(?:\s+(\S+))?(?:\s+\(@([0-9a-fA-F]{{1,16}})\))?")
LOGGED = lazy_regex(r"^[^\[\]]+:[0-9]+]\s")
"""What a logging library puts before a line."""
ASSIGNMENT = lazy_regex(r"\s*(\w+)\s*=\s*(.*?)\s*")
DELETED = " (deleted)"


@dataclass(frozen=True, slots=True)
class Mapping:
    """`start` to `end` hold what is at `offset` of a file and behind it."""

    start: int
    end: int
    offset: int
    file: str


class MemoryMap:
    """Mappings of code, to be asked for an address."""

    def __init__(self, mappings: Iterable[Mapping]) -> None:
        self._mappings = sorted(mappings, key=lambda mapping: mapping.start)
        self._starts = [mapping.start for mapping in self._mappings]

    @classmethod
    def written(cls, text: str) -> Self:
        """The map that lines of a text give; other lines are skipped."""
        found: list[Mapping] = []
        variables: dict[str, str] = {}
        for written in text.splitlines():
            line = LOGGED.sub("", written)
            for name, value in variables.items():
                line = line.replace(name, value)
            if (match := PROC_MAPS.match(line)) is not None:
                start, end, permissions, offset, file = match.groups()
            elif (match := BRIEF.match(line)) is not None:
                start, end, permissions, file, offset = match.groups()
            else:
                if (match := ASSIGNMENT.fullmatch(line)) is not None and len(variables) < 16:
                    variables[f"${match[1]}"] = match[2]
                continue
            if permissions is None or "x" in permissions:
                found.append(Mapping(int(start, 16), int(end, 16), int(offset or "0", 16), file or ""))
        return cls(found)

    def name_of(self, address: int) -> str:
        """What lies at an address, as `place_name` says it."""
        at = bisect_right(self._starts, address) - 1
        found = self._mappings[at] if at >= 0 else None
        if found is None or address >= found.end:
            # Some writers leave out the first part of what was mapped in several.
            after = self._mappings[at + 1] if at + 1 < len(self._mappings) else None
            found = after if after is not None and after.start - after.offset <= address else None
        return place_name(address, found)


def place_name(address: int, mapping: Mapping | None) -> str:
    """The file's name and the offset in it; the bare address where no file is known to lie there."""
    if mapping is None or not mapping.file:
        return f"0x{address:x}"
    file = mapping.file.removesuffix(DELETED)
    return f"{file.rpartition('/')[2] or file}+0x{max(0, address - mapping.start + mapping.offset):x}"
