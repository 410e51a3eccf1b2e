"""gperftools' CPU profiles: words of 4 or 8 bytes of either order, then the memory map or Java's names as text.

Five words begin it (0, 3, 0 or for Java 1, microseconds between samples, 0); each stack is a count, a size and its
addresses, and 0, 1, 0 ends them. `cpuProfile` of pprof's legacy_profile.go says which frames are the profiler's own.
"""

from collections import Counter

import numpy as np

from traces.formats.pprof_otlp.legacy_profile import LegacyProfile, value
from traces.formats.pprof_otlp.legacy_signs import HEADER_WORDS
from traces.formats.pprof_otlp.legacy_texts import read_java_names
from traces.formats.pprof_otlp.memory_map import MemoryMap
from traces.values import Unit

SIMILAR_SAMPLES = 32
"""One in as many may lack the frame that the signal's handler put under all others: pprof's own margin."""
OWN_FRAMES = 2
CPU = (value("samples"), value("cpu", Unit.NANOSECONDS))


def read_words(content: memoryview, layout: str) -> LegacyProfile:
    """The samples of a profile of such words. A file that breaks off is read as far as it goes."""
    kind = np.dtype(layout)
    words = np.frombuffer(content, kind, len(content) // kind.itemsize)
    is_java, period_ns = bool(words[2]), int(words[3]) * 1_000
    profile = LegacyProfile(CPU)
    stacks: list[tuple[int, ...]] = []
    known: dict[bytes, tuple[int, ...]] = {}
    at = HEADER_WORDS
    while True:
        if at + 2 > len(words):
            profile.is_cut = True
            break
        count, size = int(words[at]), int(words[at + 1])
        at += 2
        if size > len(words) - at:
            profile.is_cut = True
            break
        packed = words[at : at + size].tobytes()
        at += size
        if count == 0 and size == 1 and not any(packed):
            break
        stack = known.get(packed)
        if stack is None:
            inner, *outer = np.frombuffer(packed, kind).tolist() or [0]
            stack = (inner, *(outer if is_java else (address - 1 for address in outer)))
            known[packed] = stack if size else ()
        stacks.append(known[packed])
        profile.rows.append((count, count * period_ns))
    rest = str(content[at * kind.itemsize :], "utf-8", "replace") if not profile.is_cut else ""
    if is_java:
        profile.names = read_java_names(rest.split("\n"))
    else:
        stacks = without_profiler(stacks)
        profile.mappings = MemoryMap.written(rest)
    profile.stacks = list(stacks)
    return profile


def without_profiler(stacks: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Without the frames of the signal's handler, and without the leaf where it stands there twice."""
    margin = len(stacks) // SIMILAR_SAMPLES
    for _ in range(OWN_FRAMES):
        seconds = Counter(stack[1] for stack in stacks if len(stack) > 1)
        own = {frame for frame, count in seconds.items() if count >= len(stacks) - margin}
        stacks = [(stack[0], *stack[2:]) if len(stack) > 1 and stack[1] in own else stack for stack in stacks]
    return [(stack[0], *stack[2:]) if _has_leaf_twice(stack) else stack for stack in stacks]


def _has_leaf_twice(stack: tuple[int, ...]) -> bool:
    return len(stack) > 1 and stack[0] == stack[1] + 1
