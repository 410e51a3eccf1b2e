"""speedscope's own JSON. Schema: https://www.speedscope.app/file-format-schema.json.

Each value of a sampled profile becomes a profile of its own, as the format knows one weight a sample.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from traces.export.document import (
    BATCH,
    EXPORTER,
    Document,
    is_evented,
    notes_of_sums,
    path,
    shown_name,
    text,
    timeline,
)
from traces.kernels.trees import sum_upwards
from traces.model import NONE, Profile, Trace
from traces.values import Unit

SCHEMA = "https://www.speedscope.app/file-format-schema.json"
UNITS = {Unit.NANOSECONDS: "nanoseconds", Unit.BYTES: "bytes", Unit.COUNT: "none"}


def export(trace: Trace, profiles: Sequence[Profile]) -> Document:
    """The profiles as one file, the main one active."""
    notes = notes_of_sums(profiles)
    if any(len(p.values) > 1 for p in profiles):
        notes.append("profiles of several values became one profile a value: the format knows one weight a sample")
    if any(not is_evented(p) and p.unit is not p.axis and p.axis.is_time for p in profiles):
        notes.append("when samples were taken is lost where they do not measure time: the format lays them end to end")
    return Document(_file(trace, profiles), tuple(notes))


def _file(trace: Trace, profiles: Sequence[Profile]) -> Iterator[bytes]:
    frames = ",".join(_frame(trace, frame) for frame in range(len(trace.frames)))
    active = next((i for i, p in enumerate(profiles) if p.index == trace.default_profile), 0)
    active = sum(len(p.values) for p in profiles[:active]) + profiles[active].default_value
    yield (
        f'{{"$schema":"{SCHEMA}","exporter":"{EXPORTER}","name":{text(trace.name)},'
        f'"activeProfileIndex":{active},"shared":{{"frames":[{frames}]}},"profiles":['
    ).encode()
    first = True
    for profile in profiles:
        for value in range(len(profile.values)):
            if not first:
                yield b","
            first = False
            yield from _evented(profile) if is_evented(profile) else _sampled(profile, value)
    yield b"]}\n"


def _frame(trace: Trace, frame: int) -> str:
    said: dict[str, str | int] = {"name": trace.frame_names[frame]}
    if (file := trace.frame_file(frame)) is not None:
        said["file"] = file
    if (line := trace.frame_line(frame)) is not None:
        said["line"] = line
    if (column := int(trace.frames.column[frame])) != NONE:
        said["col"] = column
    return text(said)


def _evented(profile: Profile) -> Iterator[bytes]:
    spans = profile.spans
    assert spans is not None
    yield (
        f'{{"type":"evented","name":{text(shown_name(profile))},"unit":"{UNITS[profile.axis]}",'
        f'"startValue":{profile.axis_start},"endValue":{profile.axis_end},"events":['
    ).encode()
    count = len(spans)
    # A span opens when all before it have opened and all but its ancestors closed; it closes after what lies in it.
    opens = 2 * np.arange(count) - spans.depth
    below = sum_upwards(np.ones(count, np.int64), spans.parent)
    at = np.empty(2 * count, spans.start.dtype)
    frame = np.empty(2 * count, np.int32)
    is_open = np.zeros(2 * count, bool)
    for places, times in ((opens, spans.start), (opens + 2 * below - 1, spans.end)):
        at[places], frame[places] = times, profile.tree.frame[spans.node]
    is_open[opens] = True
    for begin in range(0, 2 * count, BATCH):
        part = slice(begin, begin + BATCH)
        rows = zip(is_open[part].tolist(), at[part].tolist(), frame[part].tolist(), strict=True)
        events = ",".join(f'{{"type":"{"O" if o else "C"}","at":{t},"frame":{f}}}' for o, t, f in rows)
        yield ("," if begin else "").encode() + events.encode()
    yield b"]}"


def _sampled(profile: Profile, value: int) -> Iterator[bytes]:
    line = timeline(profile, value)
    name = shown_name(profile)
    if len(profile.values) > 1:
        name = f"{name} ({profile.values[value].name})"
    end = line.start + line.weight.sum().item()
    yield (
        f'{{"type":"sampled","name":{text(name)},"unit":"{UNITS[profile.values[value].unit]}",'
        f'"startValue":{line.start},"endValue":{end},"samples":['
    ).encode()
    paths: dict[int, str] = {NONE: "[]"}
    for begin in range(0, len(line.leaf), BATCH):
        leaves = line.leaf[begin : begin + BATCH].tolist()
        for leaf in leaves:
            if leaf not in paths:
                paths[leaf] = f"[{','.join(map(str, path(profile.tree, leaf)))}]"
        yield ("," if begin else "").encode() + ",".join([paths[leaf] for leaf in leaves]).encode()
    yield b'],"weights":['
    for begin in range(0, len(line.weight), BATCH):
        yield ("," if begin else "").encode() + ",".join(map(str, line.weight[begin : begin + BATCH].tolist())).encode()
    yield b"]}"
