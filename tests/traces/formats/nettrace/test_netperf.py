"""Recordings of .NET Core 2 (`.netperf`, version 3): objects without a sign, each event with its own stack."""

import struct

import pytest

from tests.traces.formats.nettrace.dotnet_recordings import KINDS, LISTED, MANAGED, RUNDOWN, SAMPLE, SAMPLER, method
from traces.analysis.functions import top_functions
from traces.errors import DamagedTrace, EmptyTrace, UnrecognisedTrace
from traces.invariants import check
from traces.reader import read_trace

STREAM = b"\x14\0\0\0!FastSerialization.1"
MAIN, DRAW = 0x1000, 0x2000


def typed(name: str, version: int) -> bytes:
    return b"\4\4\1" + struct.pack("<iii", version, 0, len(name)) + name.encode() + b"\6"


def event(kind: int, payload: bytes, *stack: int, time: int = 0, thread: int = 7) -> bytes:
    addresses = struct.pack(f"<{len(stack)}Q", *stack)
    content = struct.pack("<Iiq32xi", kind, thread, time, len(payload)) + payload
    content += struct.pack("<i", len(addresses)) + addresses
    size = len(content)
    return struct.pack("<i", size) + content + bytes(-(4 + size) % 4)


def recorded(*events: bytes, version: int = 3) -> bytes:
    moment = struct.pack("<8h", 2018, 2, 1, 5, 9, 23, 53, 806)
    data = STREAM + typed("Trace", version) + moment + struct.pack("<qqiiii", 0, 1_000_000_000, 8, 40, 2, 1) + b"\6"
    described = [event(0, payload) for _, payload in KINDS]
    content = b"".join((*described, *events))
    head = typed("EventBlock", 1) + struct.pack("<i", len(content))
    data += head + bytes(-(len(data) + len(head)) % 4) + content + b"\6"
    return data + b"\1"


def sample(time: int, *stack: int, thread: int = 7) -> bytes:
    return event(SAMPLE, struct.pack("<i", MANAGED), *stack, time=time, thread=thread)


METHODS = (
    event(LISTED, method(MAIN, 256, "App", "Main", "void ()")),
    event(LISTED, method(DRAW, 256, "App", "Draw", "void ()")),
)


def test_samples_have_their_own_stacks_and_the_names_of_the_methods() -> None:
    assert {SAMPLER, RUNDOWN} <= {payload[4:].decode("utf-16-le").split("\0")[0] for _, payload in KINDS}
    samples = (sample(1_000, DRAW + 8, MAIN + 4), sample(2_000, MAIN + 4), sample(3_000, DRAW + 16, MAIN + 4))
    trace = read_trace(recorded(*samples, sample(1_500, MAIN + 1, thread=9), *METHODS), name="recorded")
    check(trace)
    assert trace.format == "nettrace"
    assert sorted(p.tid for p in trace.profiles) == ["7", "9"]
    shown = next(p.index for p in trace.profiles if p.tid == "7")
    rows = {row.name: row.self_value for row in top_functions(trace, profile=shown).rows}
    assert {name.partition("(")[0]: value for name, value in rows.items()} == {"App.Draw": 2_000, "App.Main": 1_000}


def test_a_recording_without_the_sample_profiler_says_so() -> None:
    with pytest.raises(EmptyTrace, match="no events of the sample profiler"):
        read_trace(recorded(*METHODS), name="recorded")


def test_another_version_is_refused_by_name_and_a_cut_one_is_read_or_refused() -> None:
    with pytest.raises(UnrecognisedTrace, match=r"netperf of \.NET Core 2 is of version 2"):
        read_trace(recorded(version=2), name="recorded")
    with pytest.raises((DamagedTrace, EmptyTrace)):
        read_trace(recorded(sample(1, MAIN))[:-30], name="recorded")
