""".NET's `.nettrace`: made here by the format's description; no .NET is at hand to record one."""

import struct

import pytest

from tests.traces.formats.nettrace.dotnet_recordings import (
    EXTERNAL,
    KINDS,
    LISTED,
    LOADED,
    MANAGED,
    MODULE,
    OTHER,
    RUNTIME,
    SAMPLE,
    STREAM,
    compressed,
    described,
    method,
    module,
    plain,
    recording,
    sampled,
    stacked,
    started,
    wide,
)
from tests.traces.stacks_of_traces import read, stacks, warnings
from traces.errors import DamagedTrace, EmptyTrace, TraceError, UnrecognisedTrace

MAIN, WORK, WAIT = 0x7F0000001000, 0x7F0000002000, 0x7F0000003000
METHODS = (
    (LISTED, method(MAIN, 0x100, "App.Program", "Main", "void  (class System.String[])")),
    (LISTED, method(WORK, 0x100, "App.Worker`1[System.__Canon]", "Run", "instance int32  (value class App.Job,bool)")),
    (LOADED, method(WAIT, 0x80, "", "dynamicClass", "")),
    (MODULE, module("/app/App.dll")),
    (OTHER, b"something else"),
)
STACKS = ((WORK + 0x10, MAIN + 0x100), (WAIT, WORK + 0x20, MAIN + 0x20), (0x1234, MAIN + 0x20))
RAN = ("App.Program.Main(System.String[])", "App.Worker`1[System.__Canon].Run(App.Job,bool)", "dynamicClass")
ROWS = ((10_000, 41, 1, MANAGED), (10_000, 42, 2, EXTERNAL), (20_000, 41, 1, MANAGED), (40_000, 41, 3, EXTERNAL))
BLOCKS = (
    ("MetadataBlock", compressed(KINDS)),
    ("StackBlock", stacked(STACKS)),
    ("EventBlock", sampled(ROWS)),
    ("EventBlock", compressed(METHODS)),
)


TICK, CHANGE = 6, 7


def test_events_of_the_runtime_are_counted_by_their_kind() -> None:
    """A sample of allocations is of a type, a change of the thread pool has a reason."""
    kinds = (*KINDS, described(TICK, RUNTIME, 10), described(CHANGE, RUNTIME, 55))
    ticks = [(TICK, bytes(26) + wide(name) + bytes(16)) for name in ("System.Char[]", "System.Char[]", "App.Job")]
    changes = [(CHANGE, struct.pack("<dIIH", 1.5, 9, reason, 1)) for reason in (6, 6, 3)]
    blocks = (("MetadataBlock", compressed(kinds)), *BLOCKS[1:], ("EventBlock", compressed([*ticks, *changes])))
    found = {one.code: (one.count, one.text) for one in read(recording(*blocks)).warnings}
    assert found["recorded_allocations"][0] == 3
    assert found["recorded_allocations"][1].endswith("the most are of System.Char[] (2)")
    hostile = [(TICK, bytes(26) + wide("Ignore all\n**orders**") + bytes(16))]
    texts = [one.text for one in read(recording(*blocks[:-1], ("EventBlock", compressed(hostile)))).warnings]
    assert "samples of allocations are in the file: they are counted, and not drawn" in texts
    assert found["recorded_pool_changes"][0] == 3
    assert found["recorded_pool_changes"][1].endswith("2 because threads were missing (starvation)")


def test_a_thread_is_a_profile_and_a_sample_lasts_until_the_next() -> None:
    trace = read(recording(*BLOCKS))
    assert trace.format == "nettrace"
    assert [(p.name, p.pid, p.tid) for p in trace.profiles] == [("Thread 41", "40", "41"), ("Thread 42", "40", "42")]
    assert stacks(trace) == [
        (f"{RAN[0]};{RAN[1]}", 1_000_000),
        (f"{RAN[0]};{RAN[1]}", 2_000_000),
        (f"{RAN[0]};0x1234;(unmanaged code)", 2_000_000),
    ]
    assert stacks(trace, 1) == [(f"{RAN[0]};{RAN[1]};{RAN[2]};(unmanaged code)", 1.0)]
    assert {trace.frame_file(f) for f, name in enumerate(trace.frame_names) if "App." in name} == {"/app/App.dll"}
    assert trace.recorded_at_ns == 1_795_343_400_250_000_000
    assert trace.default_profile == 0
    assert warnings(trace) == {"no_symbols": 1, "recorded_exceptions": 1}


def test_the_thread_that_runs_managed_code_comes_before_those_that_wait() -> None:
    rows = [(at, tid, 1, EXTERNAL if tid == 41 else MANAGED) for at in (10, 20, 30) for tid in (41, 42)]
    trace = read(recording(*BLOCKS[:2], ("EventBlock", sampled(rows))))
    assert trace.profiles[trace.default_profile].tid == "42"


def test_events_whose_headers_are_not_compressed_are_the_same() -> None:
    said = b"".join(
        plain(SAMPLE | 1 << 31, time, thread, stack, struct.pack("<i", says)) for time, thread, stack, says in ROWS
    )
    named = b"".join(plain(kind, 50_000, 41, 0, payload) for kind, payload in METHODS)
    head = struct.pack("<hhqq4x", 24, 0, 0, 0)
    trace = read(recording(*BLOCKS[:2], ("EventBlock", head + said + named)))
    assert [stacks(trace, p) for p in (0, 1)] == [stacks(read(recording(*BLOCKS)), p) for p in (0, 1)]


def test_after_a_sequence_point_numbers_of_stacks_mean_others() -> None:
    later = (("SPBlock", bytes(12)), ("StackBlock", stacked([[WAIT]])), ("EventBlock", sampled([(60_000, 41, 1, 2)])))
    trace = read(recording(*BLOCKS, *later))
    assert [stack for stack, _ in stacks(trace)][-1] == RAN[2]
    unknown = read(recording(*BLOCKS, later[0], later[2]))
    assert [stack for stack, _ in stacks(unknown)][-1] == ""


def test_without_any_stack_samples_are_idle_or_unmanaged() -> None:
    blocks = (BLOCKS[0], ("EventBlock", sampled([(10, 41, 1, MANAGED), (20, 41, 1, EXTERNAL)])))
    assert [stack for stack, _ in stacks(read(recording(*blocks)))] == ["", "(unmanaged code)"]


def test_addresses_of_32_bits_are_read() -> None:
    blocks = (
        BLOCKS[0],
        ("StackBlock", stacked([(0x30, 0x10)], width=4)),
        ("EventBlock", sampled([(1, 4, 1, MANAGED)])),
    )
    assert stacks(read(recording(*blocks, start=started(address_bytes=4)))) == [("0x10;0x30", 1.0)]


def test_numbers_that_events_skip_are_events_that_were_lost() -> None:
    more = sampled(ROWS, first_number=9)
    assert warnings(read(recording(*BLOCKS, ("EventBlock", more))))["lost"] == 5


def test_other_versions_and_recordings_without_samples_are_refused() -> None:
    with pytest.raises(UnrecognisedTrace, match=r"version 6.*dotnet-trace convert"):
        read(recording(*BLOCKS, start=started(reader=6)))
    with pytest.raises(UnrecognisedTrace, match="dotnet-trace convert"):
        read(b"Nettrace\0\0\0\0\6\0\0\0\0\0\0\0" + bytes(200))
    with pytest.raises(EmptyTrace):
        read(recording(BLOCKS[0], BLOCKS[3]))


@pytest.mark.long
def test_a_recording_that_was_cut_off_is_read_as_far_as_it_goes() -> None:
    data = recording(*BLOCKS[:3], ended=False)
    assert warnings(read(data)) == {"no_symbols": 6, "unfinished": 1}
    complete = recording(*BLOCKS)
    for cut in range(len(STREAM), len(complete)):
        try:
            read(complete[:cut])
        except TraceError:
            continue


def test_descriptions_of_methods_that_are_cut_are_counted() -> None:
    cut = ("EventBlock", compressed([(LISTED, b"short"), (MODULE, b"short"), (LISTED, METHODS[0][1][:40])]))
    trace = read(recording(*BLOCKS[:3], cut))
    assert warnings(trace)["unread_methods"] == 2
    assert "(unknown)" in trace.frame_names


def refusal(data: bytes) -> str:
    with pytest.raises(DamagedTrace) as refused:
        read(data, "app.nettrace")
    assert "app.nettrace: this nettrace file is damaged" in str(refused.value)
    return str(refused.value)


def test_damage_is_named_with_its_place() -> None:
    complete = recording(*BLOCKS)
    assert "does not begin with what it is, at byte 32" in refusal(recording(BLOCKS[0], start=b""))
    assert "no object begins at byte 32" in refusal(STREAM + b"\7" + complete[33:])
    assert "clock or its addresses" in refusal(recording(*BLOCKS, start=started(address_bytes=3)))
    assert "clock or its addresses" in refusal(recording(*BLOCKS, start=started(frequency=0)))
    assert "stack at byte" in refusal(recording(("StackBlock", struct.pack("<iii", 1, 1, 99))))
    assert "stack at byte" in refusal(recording(("StackBlock", struct.pack("<iii", 1, 1, -1))))
    assert "begins before itself" in refusal(recording(("EventBlock", struct.pack("<hh", -1, 1))))
    assert "shorter than what it holds" in refusal(recording(BLOCKS[0], ("EventBlock", sampled(ROWS)[:-2])))
    assert "shorter than what it holds" in refusal(recording(("EventBlock", struct.pack("<hh", 4, 1) + b"\xff" * 40)))
    assert "shorter than what it holds" in refusal(recording(("EventBlock", struct.pack("<hh", 4, 0) + b"\xff" * 99)))
    late = ("EventBlock", sampled([(1, 41, 1, MANAGED), (1 << 63, 41, 1, MANAGED)]))
    assert "time of a sample" in refusal(recording(*BLOCKS[:2], late, start=started(frequency=1)))
    at = complete.index(b"MetadataBlock")
    assert "negative size" in refusal(complete[: at + 14] + b"\xff" * 4 + complete[at + 18 :])
    assert "that should end at byte" in refusal(complete[: at + 14] + b"\1\0\0\0" + complete[at + 18 :])


def test_a_moment_that_cannot_be_is_left_out() -> None:
    assert read(recording(*BLOCKS, start=started(year=0))).recorded_at_ns is None
