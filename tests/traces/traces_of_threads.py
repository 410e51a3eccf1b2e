"""Files of any number of threads, one sample or slice or two a thread, in each format that has threads."""

import json
import sqlite3
import struct
from collections.abc import Callable
from contextlib import closing
from typing import Any

from opentelemetry.proto.profiles.v1development import profiles_pb2 as otlp

from tests.traces.formats.nettrace import dotnet_recordings
from tests.traces.formats.perf import perf_recordings
from tests.traces.formats.protobuf_messages import message

SPEEDSCOPE = "https://www.speedscope.app/file-format-schema.json"
STACK = "\t    63c inner+0x1a (/app/prog)\n\t    7ff main (/app/prog)\n\n"
PLACE = {"scriptId": "0", "url": "", "lineNumber": 0, "columnNumber": 0}


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def trace_event(threads: int) -> bytes:
    return _json([{"ph": "X", "name": f"f{i % 7}", "ts": i, "dur": 5, "pid": 1, "tid": i} for i in range(threads)])


def trace_event_samples(threads: int) -> bytes:
    samples = [{"pid": 1, "tid": str(i), "ts": str(at), "sf": "1"} for i in range(threads) for at in (1, 2)]
    frames = {"1": {"name": "main", "category": "js"}}
    return _json({"traceEvents": [], "samples": samples, "stackFrames": frames})


def chrome(threads: int) -> bytes:
    nodes = [{"id": 1, "callFrame": {"functionName": "main", **PLACE}}]
    data = {"cpuProfile": {"nodes": nodes, "samples": [1]}, "timeDeltas": [9]}
    events: list[dict[str, Any]] = []
    for i in range(threads):
        common = {"pid": 1, "tid": i, "id": hex(i)}
        events.append({"ph": "M", "name": "thread_name", "pid": 1, "tid": i, "args": {"name": f"worker {i}"}})
        events.append({"ph": "P", "name": "Profile", "ts": 1, "args": {"data": {"startTime": 1}}, **common})
        events.append({"ph": "P", "name": "ProfileChunk", "ts": 2, "args": {"data": data}, **common})
    return _json(events)


def speedscope(threads: int) -> bytes:
    profile = {"type": "sampled", "name": "p", "unit": "none", "startValue": 0, "endValue": 1}
    profiles = [profile | {"samples": [[0]], "weights": [1]}] * threads
    return _json({"$schema": SPEEDSCOPE, "shared": {"frames": [{"name": "main"}]}, "profiles": profiles})


def firefox(threads: int) -> bytes:
    def table(columns: str, *rows: list[Any]) -> dict[str, Any]:
        return {"schema": {name: at for at, name in enumerate(columns.split())}, "data": list(rows)}

    thread = {
        "name": "GeckoMain",
        "samples": table("stack time", [0, 1], [0, 2]),
        "stackTable": table("prefix frame", [None, 0]),
        "frameTable": table("location category", [0, 0]),
        "stringTable": ["main"],
        "markers": table("name startTime endTime phase category data"),
    }
    meta = {"version": 34, "startTime": 0, "interval": 1, "categories": [{"name": "Other"}]}
    named = [thread | {"pid": 1, "tid": i} for i in range(threads)]
    return _json({"libs": [], "meta": meta, "threads": named, "processes": [], "pausedRanges": []})


def austin(threads: int) -> bytes:
    return b"".join(b"P5;T0:%d;/app/main.py:run:3 %d\n" % (i, i + 1) for i in range(threads))


def mojo(threads: int) -> bytes:
    def number(value: int) -> bytes:
        first, left = value & 0x3F, value >> 6
        out = bytes([first | 0x80 * (left > 0)])
        while left:
            out += bytes([left & 0x7F | 0x80 * (left > 127)])
            left >>= 7
        return out

    described = b"\x0b\x05/app.py\0\x0b\x06run\0" + b"\x03\x07\x05\x06\x01\x01\x01\x09"
    sampled = (
        b"\x02\x05\x00%d\0" % i + (b"" if i else described) + b"\x05\x07\x09" + number(i + 1) for i in range(threads)
    )
    return b"MOJ\x03" + b"\x01mode\0wall\0" + b"".join(sampled)


def rbspy(threads: int) -> bytes:
    frame = {"name": "<main>", "relative_path": "app.rb", "absolute_path": None, "lineno": 3}
    stacks = (json.dumps({"trace": [frame], "pid": 4, "thread_id": i, "time": None}) for i in range(threads))
    return "\n".join(["rbspy02", json.dumps({"sample_rate": 99, "rbspy_version": "1"}), *stacks, ""]).encode()


def linux_perf(threads: int) -> bytes:
    return "".join(f"prog 7/{i} [001] {i + 1}.0: 9 cpu-clock:u:\n{STACK}" for i in range(threads)).encode()


def perf_data(threads: int) -> bytes:
    samples = (perf_recordings.sample(i + 1, perf_recordings.PROGRAM, tid=i + 1) for i in range(threads))
    return perf_recordings.recording(perf_recordings.mapped(), *samples)


def nettrace(threads: int) -> bytes:
    kinds = dotnet_recordings.compressed(dotnet_recordings.KINDS)
    rows = b"".join(
        dotnet_recordings.plain(dotnet_recordings.SAMPLE, i, i + 1, 1, struct.pack("<i", 2)) for i in range(threads)
    )
    return dotnet_recordings.recording(
        ("MetadataBlock", kinds),
        ("StackBlock", dotnet_recordings.stacked([(0x1234,)])),
        ("EventBlock", struct.pack("<hhqq", 20, 0, 0, 0) + rows),
    )


def nsys(threads: int) -> bytes:
    ranges = [(i, i + 5, 59, "step", 40 << 24 | i + 1) for i in range(threads)]
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)")
        database.execute("CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT, globalTid INT)")
        database.executemany("INSERT INTO NVTX_EVENTS VALUES (?, ?, ?, ?, ?)", ranges)
        database.commit()
        return bytes(database.serialize())


def perfetto(threads: int) -> bytes:
    packets = []
    for i in range(1, threads + 1):
        packets.append(message((10, 1), (60, message((1, i), (4, message((1, 7), (2, i), (5, b"t")))))))
        for time, kind in ((i, 1), (i + 5, 2)):
            packets.append(message((10, 1), (8, time), (11, message((9, kind), (11, i), (23, b"f")))))
    return b"".join(message((1, packet)) for packet in packets)


def open_telemetry(threads: int) -> bytes:
    strings = ["", "main", "thread.id", "samples", "count"]
    dictionary = otlp.ProfilesDictionary(string_table=strings)
    for table in ("mapping", "location", "function", "link", "attribute", "stack"):
        getattr(dictionary, f"{table}_table").add()
    dictionary.function_table.add(name_strindex=1)
    dictionary.location_table.add().lines.add(function_index=1)
    dictionary.stack_table.add(location_indices=[1])
    profile = otlp.Profile(sample_type=otlp.ValueType(type_strindex=3, unit_strindex=4))
    for i in range(threads):
        dictionary.attribute_table.add(key_strindex=2).value.int_value = i
        profile.samples.add(stack_index=1, attribute_indices=[i + 1], values=[1])
    data = otlp.ProfilesData(dictionary=dictionary)
    data.resource_profiles.add().scope_profiles.add(profiles=[profile])
    return bytes(data.SerializeToString())


def callgrind(threads: int) -> bytes:
    part = "\nthread: {}\n\nevents: Ir\nfn=(1) run\n1 5\n"
    return ("# callgrind format\n" + "".join(part.format(i + 1) for i in range(threads))).encode()


FORMATS: dict[str, Callable[[int], bytes]] = {
    make.__name__: make
    for make in (
        *(trace_event, trace_event_samples, chrome, speedscope, firefox, austin, mojo, rbspy, linux_perf, perf_data),
        *(nettrace, nsys, perfetto, open_telemetry, callgrind),
    )
}
