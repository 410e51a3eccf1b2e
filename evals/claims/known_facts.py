"""Facts of the traces that statements are made of, by the engine's public questions and the columns of the trace.
Nothing of the checker is used here: it is what is measured."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from evals.case import ROOT
from evals.questions import SHARED
from traces.analysis.functions import FunctionRow, top_functions
from traces.analysis.sandwich import Sandwich, callers_callees
from traces.analysis.thread_time import thread_time
from traces.model import Profile, Trace
from traces.reader import read_trace

FIXTURES = Path(__file__).parents[2] / "fixtures"
_ELSEWHERE = {"evals/": ROOT, "shared/": SHARED.parent}
TRACES = (
    "sample/order-service.speedscope.json.gz",
    "redact-documents.viztracer.json.gz",
    "redact-documents.cprofile.prof",
    "thumbnails.callgrind.out.gz",
    "settlement.go-cpu.pb.gz",
    "settlement.go-heap.pb.gz",
    "search-index.cpuprofile.gz",
    "invoices.jfr.gz",
)
FUNCTIONS = 9
ABSENT = ("parse_headers", "HttpClient.send", "flush_cache", "resize_image", "JsonWriter.write", "acquire_lock")


@dataclass(frozen=True)
class KnownFacts:
    """One trace. `rows` are its heaviest functions by self in the main profile, each of a name of its own."""

    trace: Trace

    @cached_property
    def main(self) -> Profile:
        return self.trace.profiles[self.trace.default_profile]

    @cached_property
    def rows(self) -> tuple[FunctionRow, ...]:
        names = [self.trace.frame_name(frame) for frame in range(len(self.trace.frames))]
        table = top_functions(self.trace, limit=60, durations=True)
        lone = [row for row in table.rows if names.count(row.name) == 1]
        return tuple(row for row in lone if row.self_value > 0 and " " not in row.name)[:FUNCTIONS]

    @cached_property
    def ranked(self) -> tuple[FunctionRow, ...]:
        return top_functions(self.trace, limit=60).rows

    @cached_property
    def total(self) -> float:
        return top_functions(self.trace, limit=1).scope_total

    def around(self, frame: int) -> Sandwich:
        return callers_callees(self.trace, frame, limit=1_000)

    @cached_property
    def edges(self) -> frozenset[tuple[int, int]]:
        """Who calls whom directly, in any profile."""
        found = set()
        for profile in self.trace.profiles:
            tree = profile.tree
            inner = tree.parent >= 0
            found |= set(zip(tree.frame[tree.parent[inner]].tolist(), tree.frame[inner].tolist(), strict=True))
        recorded = self.trace.edges  # what the file has: call paths of a call graph are estimates
        found |= {
            pair for pair in zip(recorded.caller.tolist(), recorded.callee.tolist(), strict=True) if min(pair) >= 0
        }
        return frozenset(found)

    @cached_property
    def paths(self) -> frozenset[tuple[int, int]]:
        """Who stands above whom in some stack, at any distance."""
        found: set[tuple[int, int]] = set()
        for profile in self.trace.profiles:
            above: list[frozenset[int]] = []
            for frame, parent in zip(profile.tree.frame.tolist(), profile.tree.parent.tolist(), strict=True):
                mine = above[parent] | {int(profile.tree.frame[parent])} if parent >= 0 else frozenset()
                above.append(mine)
                found |= {(one, frame) for one in mine}
        return frozenset(found | self.edges)

    def first_start(self, frame: int) -> float | None:
        """When it first runs in the main profile; None where that has no times."""
        profile = self.main
        if not profile.has_times:
            return None
        inside = profile.tree.levels.at_or_below(profile.tree.frame == frame)
        if profile.spans is not None:
            begins = profile.spans.start[np.flatnonzero(profile.tree.frame[profile.spans.node] == frame)]
        else:
            assert profile.samples is not None
            begins = profile.samples.time[np.append(inside, np.False_)[profile.samples.leaf]]
        return float(begins.min()) if len(begins) else None

    def self_on(self, profile: Profile, frame: int) -> float:
        """What a function spends itself in one profile."""
        values = profile.tree.self_values[profile.default_value]
        return float(values[profile.tree.frame == frame].sum())

    def waiting_share(self, profile: Profile) -> float | None:
        time = thread_time(self.trace, profile)
        return None if time is None or not time.length else time.waiting / time.length


def recording(name: str) -> Path:
    """Where a recording is: a fixture, one of other evaluations, or one of the samples next to the repository."""
    base = next((base for begin, base in _ELSEWHERE.items() if name.startswith(begin)), None)
    if base is None:
        return FIXTURES / name
    return base / name if base == ROOT else SHARED / name.removeprefix("shared/")


def known_facts(name: str) -> KnownFacts:
    """The facts of a recording. Raises TraceError, OSError where it is not here."""
    path = recording(name)
    return KnownFacts(read_trace(path.read_bytes(), name=path.name))
