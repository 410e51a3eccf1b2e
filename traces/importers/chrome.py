"""V8's sampling profiles inside a Chrome performance trace.

A profile arrives in pieces: a `Profile` event on the profiled thread, then `ProfileChunk` events of the same process
and id (ids are unique per process only); old Chrome wrote one `CpuProfile` event.
"""

from dataclasses import dataclass, field

import msgspec

from traces.builder import TraceBuilder
from traces.importers.events import Event, ThreadKey, Threads, id_text
from traces.importers.v8 import ON_TOP, Node, V8Profile, add_v8_profile

MAIN_THREAD = "CrRendererMain"

WORKER_LEAD = 1.5
"""A worker is shown first when it is busier than the page's main thread by this factor: the main thread is what people
feel, so a little more work elsewhere is not the first thing to look at."""


class CpuProfile(msgspec.Struct):
    nodes: list[Node] = []
    samples: list[int] = []
    deltas: list[float | int] = msgspec.field(name="timeDeltas", default_factory=list)
    start: float | int | None = msgspec.field(name="startTime", default=None)


class Data(msgspec.Struct):
    profile: CpuProfile | None = msgspec.field(name="cpuProfile", default=None)
    deltas: list[float | int] = msgspec.field(name="timeDeltas", default_factory=list)
    start: float | int | None = msgspec.field(name="startTime", default=None)


class Args(msgspec.Struct):
    data: Data = msgspec.field(default_factory=Data)


@dataclass(slots=True)
class Recording:
    """One V8 profile while its pieces are collected."""

    thread: ThreadKey
    profile: V8Profile = field(default_factory=V8Profile)


def read_profiles(events: list[Event], threads: Threads, builder: TraceBuilder) -> int:
    """Feed V8's profiles. The main thread of the busiest renderer becomes the default, or a worker that is far busier.

    Returns how many there were.
    """
    recordings = _collect(events, builder)
    heaviest: tuple[float, int] | None = None
    added = 0
    for recording in recordings:
        if not recording.profile.samples:
            continue
        key = recording.thread
        index = add_v8_profile(builder, recording.profile, threads.short_name(key), pid=key[0], tid=key[1])
        added += 1
        busy: float = builder.busy(index, but=ON_TOP)  # a renderer that waits shows (program)
        if threads.threads.get(key) == MAIN_THREAD:
            busy *= WORKER_LEAD
        if heaviest is None or busy > heaviest[0]:
            heaviest = busy, index
    if heaviest is not None:
        builder.default_profile = heaviest[1]
    return added


def _collect(events: list[Event], builder: TraceBuilder) -> list[Recording]:
    pieces = [e for e in events if e.name in {"Profile", "ProfileChunk", "CpuProfile"} and e.args and e.ph != "M"]
    try:
        pieces.sort(key=lambda event: float(event.ts or 0))
    except ValueError as error:
        raise builder.damaged("a time is not a number.") from error
    recordings: dict[tuple[str, str], Recording] = {}
    orphans = 0
    for event in pieces:
        data = msgspec.json.decode(event.args, type=Args).data
        pid = id_text(event.pid)
        key = (pid, id_text(event.id) if event.id is not None else f"thread {id_text(event.tid)}")
        if event.name == "ProfileChunk":
            recording = recordings.get(key)
            if recording is None:
                orphans += 1
                continue
        else:
            recording = recordings[key] = Recording(event.thread)
            recording.profile.start = _start(data, event)
        part = data.profile
        if part is not None:
            recording.profile.nodes += part.nodes
            recording.profile.samples += part.samples
        recording.profile.deltas += data.deltas or (part.deltas if part is not None else [])
    builder.warn("orphan_chunk", "pieces of profiles whose beginning is not in the file were dropped", orphans)
    return list(recordings.values())


def _start(data: Data, event: Event) -> float:
    if data.start is not None:
        return data.start
    if data.profile is not None and data.profile.start is not None:
        return data.profile.start
    return float(event.ts or 0)
