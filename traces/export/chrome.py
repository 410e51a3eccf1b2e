"""Trace event JSON, for Chrome's DevTools, Perfetto and speedscope.

Format: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU (Trace Event Format).
Spans become slices (viztracer's way where a function has a place: category `FEE`, name `walk (app.py:72)`); samples of
time become V8 profiles (`Profile` and `ProfileChunk` events).
"""

import re
from collections.abc import Iterator, Sequence

import numpy as np

from traces.errors import InvalidQuestion
from traces.export.document import (
    BATCH,
    EXPORTER,
    Document,
    Timeline,
    is_evented,
    notes_of_sums,
    shown_name,
    text,
    timeline,
)
from traces.model import NONE, Int32, Profile, Trace, Values

Ids = tuple[int | str, int | str]
PROFILER = "disabled-by-default-v8.cpu_profiler"
IDLE = 2
"""The second node of every V8 profile; the first is the root, the trace's own follow."""
PROGRAM = "(program)"
LONGEST_NS = 30 * 60 * 10**9


def export(trace: Trace, profiles: Sequence[Profile]) -> Document:
    """The profiles whose axis and value are time. Raises InvalidQuestion when none is."""
    timed = [p for p in profiles if p.axis.is_time and p.unit.is_time]
    if not timed:
        units = ", ".join(sorted({p.unit.value for p in profiles}))
        raise InvalidQuestion(
            f"{trace.name} measures {units}, and this format holds time alone: convert to speedscope, pprof or "
            "collapsed instead."
        )
    notes = notes_of_sums(timed)
    if len(timed) < len(profiles):
        notes.append(f"{len(profiles) - len(timed)} profiles that do not measure time were left out")
    if any(len(p.values) > 1 for p in timed):
        notes.append("only the first shown value of each profile is in the file")
    if any(p.spans is not None and (p.spans.args_length > 0).any() for p in timed):
        notes.append("arguments of calls were left out")
    return Document(_file(trace, timed), tuple(notes))


def _file(trace: Trace, profiles: Sequence[Profile]) -> Iterator[bytes]:
    yield f'{{"otherData":{{"exporter":"{EXPORTER}"}},"traceEvents":[\n'.encode()
    first = True
    named: set[tuple[str, object]] = set()
    all_ids = _ids(profiles)
    order = _order([ids for profile, ids in zip(profiles, all_ids, strict=True) if is_evented(profile)])
    for profile, ids in zip(profiles, all_ids, strict=True):
        for chunk in _names(profile, ids, named) + order.pop(ids, []):
            yield (b"" if first else b",\n") + chunk
            first = False
        events = _slices(trace, profile, ids) if is_evented(profile) else _samples(trace, profile, ids)
        for chunk in events:
            yield (b"" if first else b",\n") + chunk
            first = False
    yield b"\n]}\n"


def _ids(profiles: Sequence[Profile]) -> list[Ids]:
    """Process and thread of each profile: two of one kind on one thread get a thread of their own."""
    taken: set[tuple[Ids, bool]] = set()
    found: list[Ids] = []
    for profile in profiles:
        ids = _ident(profile.pid or "1"), _ident(profile.tid or str(profile.index + 1))
        while (ids, is_evented(profile)) in taken:
            ids = ids[0], f"{ids[1]}'"
        taken.add((ids, is_evented(profile)))
        found.append(ids)
    return found


def _order(threads: Sequence[Ids]) -> dict[Ids, list[bytes]]:
    """Metadata that keeps threads in this order, for each; none where readers sort them so by their ids."""
    if list(threads) == sorted(threads, key=lambda ids: [str(part).zfill(10) for part in ids]):
        return {}
    said: dict[Ids, list[bytes]] = {}
    processes: set[int | str] = set()
    for place, (pid, tid) in enumerate(threads):
        kinds = ["thread_sort_index"] if pid in processes else ["process_sort_index", "thread_sort_index"]
        processes.add(pid)
        where = {"ph": "M", "cat": "__metadata", "pid": pid, "tid": tid, "ts": 0, "args": {"sort_index": place}}
        said[pid, tid] = [text(where | {"name": kind}).encode() for kind in kinds]
    return said


def _ident(said: str) -> int | str:
    return int(said) if re.fullmatch(r"0|[1-9]\d{0,15}", said) else said


def _names(profile: Profile, ids: Ids, named: set[tuple[str, object]]) -> list[bytes]:
    """Metadata that names the process and thread, without the ids that reading the file adds again."""
    name = shown_name(profile).removesuffix(" tasks") if is_evented(profile) else shown_name(profile)
    pid, tid = re.escape(profile.pid), re.escape(profile.tid)
    process = None
    if both := re.fullmatch(rf"(.+) \(pid {pid}\), (.+) \(tid {tid}\)", name, re.DOTALL):
        process, name = both[1], both[2]
    elif one := re.fullmatch(rf"(.+) \(pid {pid}(?:, tid {tid})?\)", name, re.DOTALL):
        name = one[1]
    elif re.fullmatch(rf"pid {pid}, tid {tid}", name):
        return []
    said = []
    where = {"ph": "M", "cat": "__metadata", "pid": ids[0], "tid": ids[1], "ts": 0}  # speedscope looks for a category
    for kind, value, key in (("process_name", process, ids[0]), ("thread_name", name, ids)):
        if value is not None and (kind, key) not in named:
            named.add((kind, key))
            said.append(text(where | {"name": kind, "args": {"name": value}}).encode())
    return said


def _micros(nanoseconds: int) -> str:
    """Microseconds as a decimal that is exact to the nanosecond."""
    microseconds, rest = divmod(nanoseconds, 1000)
    return f"{microseconds}.{rest:03}".rstrip("0").rstrip(".")


def _slices(trace: Trace, profile: Profile, ids: Ids) -> Iterator[bytes]:
    """Complete events; begins and ends where a span is empty, as only their order says what lies in what. Of what never
    ended the begin alone."""
    spans = profile.spans
    assert spans is not None
    common = f'"pid":{text(ids[0])},"tid":{text(ids[1])}'
    heads = [_head(trace, frame) for frame in range(len(trace.frames))]
    frame = profile.tree.frame[spans.node]
    paired = bool((spans.start == spans.end).any())
    stack: list[tuple[int, str] | None] = []
    is_open = np.zeros(len(spans), np.bool_)
    is_open[spans.unfinished] = True
    for begin in range(0, len(spans), BATCH):
        part = slice(begin, begin + BATCH)
        rows = zip(
            frame[part].tolist(),
            spans.start[part].tolist(),
            spans.end[part].tolist(),
            spans.depth[part].tolist(),
            is_open[part].tolist(),
            strict=True,
        )
        events: list[str] = []
        for which, start, end, depth, never_ended in rows:
            head = heads[which]
            if not paired and not never_ended:
                events.append(f'{{"ph":"X",{head},"ts":{_micros(start)},"dur":{_micros(end - start)},{common}}}')
                continue
            while len(stack) > depth:
                events += [_end(*ended, common) for ended in (stack.pop(),) if ended is not None]
            events.append(f'{{"ph":"B",{head},"ts":{_micros(start)},{common}}}')
            stack.append(None if never_ended else (end, head))
        if begin + BATCH >= len(spans):
            events += [_end(*opened, common) for opened in reversed(stack) if opened is not None]
        yield ",\n".join(events).encode("utf-8", "replace")


def _end(at: int, head: str, common: str) -> str:
    return f'{{"ph":"E",{head},"ts":{_micros(at)},{common}}}'


def _head(trace: Trace, frame: int) -> str:
    name, file, line = trace.frame_names[frame], trace.frame_file(frame), trace.frame_line(frame)
    if file and line:
        return f'"name":{text(f"{name} ({file}:{line})")},"cat":"FEE"'
    category = int(trace.frames.category[frame])
    said = f'"name":{text(name)}'
    return said if category == NONE else f'{said},"cat":{text(trace.strings[category])}'


def _samples(trace: Trace, profile: Profile, ids: Ids) -> Iterator[bytes]:
    """A V8 profile: the call tree in one chunk, then the samples. A last idle sample ends what came before."""
    line, tree = timeline(profile, profile.default_value), profile.tree
    common = f'"pid":{text(ids[0])},"tid":{text(ids[1])},"id":"0x{profile.index + 1:x}","cat":"{PROFILER}"'
    start = _micros(int(line.start))
    yield (f'{{"ph":"P","name":"Profile","ts":{start},{common},"args":{{"data":{{"startTime":{start}}}}}}}').encode()
    nodes = [
        '{"id":1,"callFrame":{"functionName":"(root)","scriptId":"0"}}',
        f'{{"id":{IDLE},"parent":1,"callFrame":{{"functionName":"(idle)","scriptId":"0"}}}}',
    ]
    frames = [_call_frame(trace, frame) for frame in range(len(trace.frames))]
    pairs = zip(tree.frame.tolist(), tree.parent.tolist(), strict=True)
    nodes += [f'{{"id":{i + 3},"parent":{p + 3 if p >= 0 else 1},{frames[f]}}}' for i, (f, p) in enumerate(pairs)]
    leaf, weight = _as_sampled(trace, profile, line)
    deltas = np.concatenate(([0], weight)).astype(np.int64)
    ids_of = np.append(np.where(leaf >= 0, leaf + 3, IDLE), IDLE)
    for begin in range(0, max(len(ids_of), len(nodes)), BATCH):
        part = slice(begin, begin + BATCH)
        parts = []
        profile_parts = []
        if nodes[part]:
            profile_parts.append(f'"nodes":[{",".join(nodes[part])}]')
        if len(ids_of[part]):
            profile_parts.append(f'"samples":[{",".join(map(str, ids_of[part].tolist()))}]')
            parts.append(f'"timeDeltas":[{",".join(map(_micros, deltas[part].tolist()))}]')
        parts.append(f'"cpuProfile":{{{",".join(profile_parts)}}}')
        yield (
            f'{{"ph":"P","name":"ProfileChunk","ts":{start},{common},"args":{{"data":{{{",".join(parts)}}}}}}}'
        ).encode("utf-8", "replace")


def _as_sampled(trace: Trace, profile: Profile, line: Timeline) -> tuple[Int32, Values]:
    """Leaf and weight of each sample. Readers repair a single sample of `(program)`, and leave out jumps of the clock:
    so the one is followed by a sample that lasts no time, and no sample lasts long."""
    pieces = np.maximum(-(-line.weight.astype(np.int64) // LONGEST_NS), 1)
    leaf, weight = np.repeat(line.leaf, pieces), np.repeat(line.weight.astype(np.int64) // pieces, pieces)
    last = np.cumsum(pieces) - 1
    weight[last] += line.weight.astype(np.int64) % pieces
    unknown = np.array([trace.frame_names[frame] == PROGRAM for frame in profile.tree.frame.tolist()] + [False])
    rows = np.flatnonzero(unknown[leaf])
    return np.insert(leaf, rows + 1, leaf[rows]), np.insert(weight, rows + 1, 0)


def _call_frame(trace: Trace, frame: int) -> str:
    said: dict[str, str | int] = {"functionName": trace.frame_names[frame], "scriptId": "0"}
    said["url"] = trace.frame_file(frame) or ""
    if (line := trace.frame_line(frame)) is not None:
        said["lineNumber"] = line - 1
    if (column := int(trace.frames.column[frame])) != NONE:
        said["columnNumber"] = column - 1
    return f'"callFrame":{text(said)}'
