"""Trace event JSON: Chrome performance traces, viztracer, PyTorch (Kineto), Hermes and many others.

Format: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU (Trace Event Format). Read are
B, E and X events and thread names; V8's samples go to `chrome`, samples with stack frames to `trace_event_samples`.
Arguments are not part of a frame's identity: the same call with other arguments is the same function.
"""

import re
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
import numpy as np

from traces.builder import TraceBuilder
from traces.importers import chrome, trace_event_samples
from traces.importers.events import Event, Threads
from traces.importers.head import Head
from traces.importers.time import nanoseconds
from traces.model import Int32, Int64
from traces.nesting import Nested, match_begin_end, nest_slices

VIZTRACER_CATEGORIES = frozenset({"fee", "FEE"})
VIZTRACER_NAME = re.compile(r"(.+) \((.+):(\d{1,9})\)")
"""viztracer's function slices carry their place in the name: `walk (/app/walker.py:72)`."""
UNNAMED = "(unnamed)"
HERMES_ARGS = frozenset({"url", "line", "column", "allocatedName"})
"""Hermes writes where a function is into the arguments of every event."""


class File(msgspec.Struct):
    events: list[Event | None] = msgspec.field(name="traceEvents", default_factory=list)
    samples: list[trace_event_samples.Sample] | None = None
    stack_frames: dict[str, trace_event_samples.StackFrame] | None = msgspec.field(name="stackFrames", default=None)


class HermesArgs(msgspec.Struct):
    url: str | None = None
    line: float | int | None = None
    column: float | int | None = None


@dataclass(slots=True)
class Lane:
    """The slices of one thread, in file order."""

    time: list[Any] = field(default_factory=list)
    duration: list[Any] = field(default_factory=list)
    frame: list[int] = field(default_factory=list)
    phase: list[str] = field(default_factory=list)


def looks_like(head: Head) -> bool:
    """An array of events, or an object that holds one."""
    if head.json is None:
        return False
    if head.json.root == "array":
        return "ph" in head.json.element_keys
    return "traceEvents" in head.json.keys or {"samples", "stackFrames"} <= head.json.keys


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed one profile a thread, and those of V8's profiler first. Raises DamagedTrace."""
    file = _decode(content, builder)
    events = [event for event in file.events if event is not None]
    threads = Threads.of(events)
    if file.samples is not None and file.stack_frames is not None:
        trace_event_samples.read(file.samples, file.stack_frames, threads, builder)
    profiled = chrome.read_profiles(events, threads, builder)
    if profiled:
        builder.format = "chrome"
    lanes = _lanes(events, builder)
    largest = 0
    for key in sorted(lanes, key=lambda key: tuple(part.zfill(10) for part in key)):
        lane = lanes[key]
        name = threads.short_name(key) + " tasks" if profiled else threads.full_name(key)
        index = builder.add_evented(name, _nest(lane, builder), pid=key[0], tid=key[1])
        if not profiled and file.samples is None and len(lane.time) > largest:
            largest, builder.default_profile = len(lane.time), index


def _decode(content: memoryview, builder: TraceBuilder) -> File:
    start = bytes(content[:256]).lstrip()[:1]
    if start == b"{":
        return msgspec.json.decode(content, type=File)
    try:
        return File(events=msgspec.json.decode(content, type=list[Event | None]))
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        # The format lets the array end anywhere after an event: the recorder may have died.
        repaired = bytes(content).rstrip().rstrip(b",") + b"]"
        try:
            events = msgspec.json.decode(repaired, type=list[Event | None])
        except msgspec.DecodeError:
            cut = repaired.rfind(b"},")
            if cut < 0:
                raise
            events = msgspec.json.decode(repaired[: cut + 1] + b"]", type=list[Event | None])
        builder.warn("unterminated", "the list of events breaks off; what came before was read")
        return File(events=events)


def _lanes(events: list[Event], builder: TraceBuilder) -> dict[tuple[str, str], Lane]:
    by_ids: dict[tuple[Any, Any], Lane] = {}
    lanes: dict[tuple[str, str], Lane] = {}
    frames: dict[str, int] = {}
    hermes = _is_hermes(events)
    skipped = timeless = 0
    for event in events:
        phase = event.ph
        if phase not in {"X", "B", "E"}:
            skipped += phase not in {"M", "P"}
            continue
        if event.ts is None:
            timeless += 1
            continue
        ids = (event.pid, event.tid)
        lane = by_ids.get(ids)
        if lane is None:
            lane = by_ids[ids] = lanes.setdefault(event.thread, Lane())
        name = event.name if isinstance(event.name, str) and event.name else UNNAMED
        frame = frames.get(name)
        if frame is None or hermes:
            frame = frames[name] = _hermes_frame(builder, name, event) if hermes else _frame(builder, name, event)
        lane.time.append(event.ts)
        lane.frame.append(frame)
        lane.phase.append(phase)
        lane.duration.append(event.dur if event.dur is not None else event.tdur or 0)
    builder.warn(
        "not_drawn", "instant, counter, async, flow and other events that are no slices were not read", skipped
    )
    builder.warn("no_time", "events without a time were dropped", timeless)
    return lanes


def _frame(builder: TraceBuilder, name: str, event: Event) -> int:
    category = event.cat if isinstance(event.cat, str) and event.cat else None
    place = VIZTRACER_NAME.fullmatch(name) if category in VIZTRACER_CATEGORIES else None
    if place is not None:
        return builder.frame(place[1], place[2], int(place[3]), category=category)
    return builder.frame(name, category=category)


def _is_hermes(events: list[Event]) -> bool:
    for event in events:
        if event.ph in {"X", "B", "E"}:
            return bool(event.args) and _keys(event.args) >= HERMES_ARGS
    return False


def _keys(args: msgspec.Raw) -> set[str]:
    try:
        return set(msgspec.json.decode(args, type=dict[str, msgspec.Raw]))
    except msgspec.ValidationError:
        return set()  # arguments that are no object say nothing


def _hermes_frame(builder: TraceBuilder, name: str, event: Event) -> int:
    args = msgspec.json.decode(event.args, type=HermesArgs) if event.args else HermesArgs()
    line = int(args.line) if args.line is not None else None
    return builder.frame(name, args.url, line, int(args.column) if args.column is not None else None)


def _nest(lane: Lane, builder: TraceBuilder) -> Nested:
    try:
        time = nanoseconds(lane.time, 1_000)
        duration = nanoseconds(lane.duration, 1_000)
    except ValueError as error:
        raise builder.damaged(f"{error}.") from error
    builder.warn("negative_duration", "negative durations were read as 0", int((duration < 0).sum()))
    frame = np.array(lane.frame, np.int32)
    phase = np.array(lane.phase)
    complete = np.flatnonzero(phase == "X")
    paired = np.flatnonzero(phase != "X")
    if len(paired) == 0:
        return nest_slices(time, time + duration.clip(0), frame)
    paired = paired[np.argsort(time[paired], kind="stable")]
    latest = (time[complete] + duration[complete]).max().item() if len(complete) else None
    matched = match_begin_end(time[paired], frame[paired], (phase[paired] == "B").tolist(), latest)
    if len(complete) == 0:
        return matched
    return _nest_all(matched, paired[matched.source], complete, time, duration, frame)


def _nest_all(matched: Nested, begins: Int64, complete: Int64, time: Int64, duration: Int64, frame: Int32) -> Nested:
    """Slices of both kinds on one thread nest together; file order decides between equals."""
    order = np.argsort(np.concatenate((begins, complete)), kind="stable")
    start = np.concatenate((matched.start, time[complete]))[order]
    end = np.concatenate((matched.end, time[complete] + duration[complete].clip(0)))[order]
    nested = nest_slices(start, end, np.concatenate((matched.frame, frame[complete]))[order])
    return replace(
        nested,
        unmatched_ends=matched.unmatched_ends,
        unclosed=matched.unclosed,
        too_deep=nested.too_deep + matched.too_deep,
    )
