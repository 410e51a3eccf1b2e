"""Nsight Systems exports: made here by the schema that its user guide describes, for no GPU is at hand."""

import sqlite3
from collections.abc import Iterable
from contextlib import closing

import pytest

from tests.traces.stacks_of_traces import read, stacks, warnings
from traces.errors import DamagedTrace, EmptyTrace, TraceError, UnrecognisedTrace
from traces.formats.nsys import nsys

THREAD = 40 << 24 | 41
SCHEMA = """
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE ThreadNames (nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER,
    correlationId INTEGER, nameId INTEGER, returnValue INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
    streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, bytes INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, textId INTEGER);
CREATE TABLE COMPOSITE_EVENTS (id INTEGER PRIMARY KEY, start INTEGER, cpu INTEGER, globalTid INTEGER);
CREATE TABLE SAMPLING_CALLCHAINS (id INTEGER, symbol INTEGER, module INTEGER, stackDepth INTEGER);
INSERT INTO StringIds VALUES (1, 'main'), (2, 'cudaLaunchKernel'), (3, 'gemm(float*)'), (4, 'work'), (5, '/app/prog');
"""
ROWS = f"""
INSERT INTO ThreadNames VALUES (1, 0, {THREAD});
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1010, 1030, 0, {THREAD}, 1, 2, 0);
INSERT INTO NVTX_EVENTS VALUES (1000, 1100, 59, 'step', {THREAD}, NULL), (1000, NULL, 34, 'mark', {THREAD}, NULL);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1040, 1090, 0, 1, 7, 1, {40 << 24}, 3, 3);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1090, 1095, 0, 7, 4096);
INSERT INTO COMPOSITE_EVENTS VALUES (1, 1005, 0, {THREAD}), (2, 1055, 0, {THREAD});
INSERT INTO SAMPLING_CALLCHAINS VALUES (1, 4, 5, 0), (1, 1, 5, 1), (2, 1, 5, 0);
"""


def export(*statements: str, schema: str = SCHEMA) -> bytes:
    with closing(sqlite3.connect(":memory:")) as database:
        for statement in (schema, *statements):
            database.executescript(statement)
        return bytes(database.serialize())


def spans(data: bytes) -> Iterable[tuple[str, str, int, int]]:
    trace = read(data)
    for profile in trace.profiles:
        if profile.spans is not None:
            for node, start, end in zip(profile.spans.node, profile.spans.start, profile.spans.end, strict=True):
                yield profile.name, trace.frame_names[profile.tree.frame[node]], int(start), int(end)


def test_threads_streams_and_samples_become_profiles_on_one_clock() -> None:
    assert list(spans(export(ROWS))) == [
        ("main (pid 40, tid 41)", "step", 0, 100),
        ("main (pid 40, tid 41)", "cudaLaunchKernel", 10, 30),
        ("GPU 0, stream 7", "gemm(float*)", 40, 90),
        ("GPU 0, stream 7", "(memory copy)", 90, 95),
    ]
    trace = read(export(ROWS))
    samples = trace.profiles[2]
    assert (trace.format, samples.name, samples.pid, samples.tid) == (
        "nsys",
        "main (pid 40, tid 41), CPU samples",
        "40",
        "41",
    )
    assert stacks(trace, 2) == [("main;work", 1.0), ("main", 1.0)]
    assert samples.samples is not None
    assert samples.samples.time.tolist() == [5, 55]
    assert warnings(trace) == {"not_drawn": 1}


def test_columns_that_an_exporter_does_not_write_are_missed_by_nothing() -> None:
    schema = "CREATE TABLE StringIds (id, value); CREATE TABLE OSRT_API (start, end, globalTid);"
    data = export("INSERT INTO OSRT_API VALUES (5, 9, 1), (5, 'late', 1), (NULL, 7, 1);", schema=schema)
    assert [row[1:] for row in spans(data)] == [("(unnamed)", 0, 4)]
    assert warnings(read(data)) == {"unread_rows": 2}


def test_an_export_that_was_not_closed_properly_is_read() -> None:
    data = bytearray(export(ROWS))
    data[18:20] = b"\2\2"
    assert len(read(bytes(data)).profiles) == 3


def test_an_export_without_events_is_empty() -> None:
    with pytest.raises(EmptyTrace):
        read(export())


def test_a_view_that_never_ends_is_not_read() -> None:
    rows = "SELECT x AS start, x AS end, x AS globalTid FROM n"
    forever = f"WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) {rows}"
    with pytest.raises(EmptyTrace):
        read(export("DROP TABLE NVTX_EVENTS;", f"CREATE VIEW NVTX_EVENTS AS {forever};"))


def test_a_query_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nsys, "MAX_STEPS", 1)
    monkeypatch.setattr(nsys, "STEPS_AT_ONCE", 5)
    with pytest.raises(DamagedTrace, match="database"):
        read(export(ROWS))


@pytest.mark.parametrize("damage", [slice(4_096, 6_000), slice(100, 140), slice(16, 24)])
def test_a_damaged_database_is_refused_or_read(damage: slice) -> None:
    data = bytearray(export(ROWS))
    data[damage] = b"\xff" * (damage.stop - damage.start)
    with pytest.raises(TraceError):
        read(bytes(data))


def test_other_databases_are_not_taken_for_it() -> None:
    with pytest.raises(UnrecognisedTrace):
        read(export(schema="CREATE TABLE people (id, name);"))
