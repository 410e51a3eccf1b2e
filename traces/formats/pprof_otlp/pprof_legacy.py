"""pprof's forms from before protobuf, of gperftools, Go's `?debug=1`, Java and jemalloc: which it is, and its profile.

Format: github.com/google/pprof, profile/legacy_profile.go and legacy_java_profile.go; the figures are those that
`go tool pprof` reckons: sampled heaps are scaled by the chance of each size to be sampled, contentions by their period
and cycles. Beyond it are read: the names that Go writes as comments or gperftools before a profile (`--- symbol`), and
jemalloc's heaps. Addresses without a name are those in the file that the memory map names.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from traces.builder import TraceBuilder
from traces.counting import counting
from traces.formats.pprof_otlp.legacy_profile import LegacyProfile, Place, Stack, lines_of
from traces.formats.pprof_otlp.legacy_signs import HEAD_BYTES, SYMBOLS, LegacyForm, text_form, word_layout
from traces.formats.pprof_otlp.legacy_texts import (
    read_contention,
    read_count,
    read_heap,
    read_java,
    read_jemalloc,
    read_symbols,
    read_threads,
)
from traces.formats.pprof_otlp.legacy_words import read_words
from traces.formats.pprof_otlp.locations import NO_STACK
from traces.formats.pprof_otlp.sample_values import waits_of
from traces.stacks import StackTable

MAX_COUNT = 1 << 53
"""Counts and bytes are float64: beyond this one more would be none more."""
READERS: dict[LegacyForm, Callable[[Iterable[str]], LegacyProfile]] = {
    LegacyForm.HEAP: read_heap,
    LegacyForm.JEMALLOC: read_jemalloc,
    LegacyForm.JAVA: read_java,
    LegacyForm.CONTENTION: read_contention,
    LegacyForm.THREADS: read_threads,
    LegacyForm.COUNT: read_count,
}


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed the one profile. Raises DamagedTrace."""
    symbols = SYMBOLS.match(content)
    rest = content[symbols.end() :] if symbols else content
    start = bytes(rest[:HEAD_BYTES])
    form, layout = text_form(start), word_layout(start)
    try:
        if layout is not None:
            profile = read_words(rest, layout)
        elif form is not None:
            profile = READERS[form](lines_of(rest))
        else:
            raise builder.damaged("behind its names is no profile.")
    except ValueError as error:
        raise builder.damaged(f"{error}.") from error
    if symbols:
        profile.names |= read_symbols(symbols[1].decode("utf-8", "replace"))
    builder.warn("unread_lines", "lines that are cut or malformed were skipped", profile.unread)
    builder.warn("unterminated", "the recording breaks off; what came before was read", profile.is_cut)
    _add(profile, builder)


def _add(profile: LegacyProfile, builder: TraceBuilder) -> None:
    table = np.array(profile.rows, np.float64).reshape(-1, len(profile.values)).T
    kept = (table >= 0).all(axis=0)
    builder.warn("negative", "samples that freed more than was allocated were left out", int((~kept).sum()))
    counts = [k for k, kind in enumerate(profile.values) if not kind.unit.is_time]
    if table.size and table[counts].max() > MAX_COUNT:
        raise builder.damaged("a count is out of range.")
    stacks = StackTable()
    leaves = np.array(stacks.leaves(Frames(profile, builder).of_stacks()), np.int32)[kept]
    columns = [column[kept] for column in table]
    shown = len(profile.values) - 1
    facts = replace(builder.facts, waits=waits_of(profile.values[shown]))
    builder.add_sampled(
        builder.name,
        stacks,
        leaves,
        columns,
        values=profile.values,
        default_value=shown,
        facts=counting(facts, profile.values, shown, may_count_calls=False),
    )


class Frames:
    """The builder's frames of a profile's stacks: a function is one, with the lowest line that was sampled in it."""

    def __init__(self, profile: LegacyProfile, builder: TraceBuilder) -> None:
        self._profile = profile
        self._builder = builder
        self._lines: dict[tuple[str, str | None], int] = {}
        self._frames: dict[int | Place, list[int]] = {}

    def of_stacks(self) -> list[list[int]]:
        """Each stack's frames, outermost first."""
        for element in dict.fromkeys(element for stack in set(self._profile.stacks) for element in stack):
            for place in self._places(element):
                key = (place.name, place.file)
                if place.line > 0:
                    self._lines[key] = min(place.line, self._lines.get(key, place.line))
        of_stack: dict[Stack, list[int]] = {}
        for stack in self._profile.stacks:
            if stack not in of_stack:
                frames = [frame for element in reversed(stack) for frame in self._of(element)]
                of_stack[stack] = frames or [self._builder.frame(NO_STACK)]
        return [of_stack[stack] for stack in self._profile.stacks]

    def _places(self, element: int | Place) -> tuple[Place, ...]:
        if isinstance(element, Place):
            return (element,)
        return self._profile.names.get(element) or (Place(self._profile.mappings.name_of(element)),)

    def _of(self, element: int | Place) -> list[int]:
        """Outermost first."""
        known = self._frames.get(element)
        if known is None:
            known = self._frames[element] = [
                self._builder.frame(place.name, place.file, self._lines.get((place.name, place.file)))
                for place in reversed(self._places(element))
            ]
        return known
