"""`perf.data` that is damaged, cut off, or too much."""

import struct

import pytest
import zstandard

from tests.traces.formats.perf.perf_recordings import (
    FIELDS,
    LIBRARY,
    PROGRAM,
    READ,
    attribute,
    comm,
    compressed,
    mapped,
    mapping,
    piped,
    record,
    recording,
    sample,
)
from tests.traces.stacks_of_traces import read, warnings
from traces.errors import DamagedTrace, EmptyTrace, TraceError, TraceTooLarge, UnrecognisedTrace
from traces.formats.perf import perf_data, perf_data_history
from traces.reader import read_trace

STEP = 1_000_000
SESSION = (
    mapped(),
    sample(3 * STEP, PROGRAM, period=7),
    sample(STEP, LIBRARY, PROGRAM, period=8),
    comm("late", 4 * STEP),
)


def refusal(data: bytes) -> str:
    with pytest.raises(DamagedTrace) as refused:
        read(data, "perf.data")
    assert "perf.data: this perf-data file is damaged" in str(refused.value)
    return str(refused.value)


def changed(data: bytes, at: int, value: int) -> bytes:
    return data[:at] + struct.pack("<Q", value) + data[at + 8 :]


COMPLETE = recording(*SESSION, names=("cpu-clock",))
START = 104 + 128


def test_damage_is_named_with_its_place() -> None:
    assert "byte 60" in refusal(COMPLETE[:60])
    assert "before its records, which begin at byte 999,999" in refusal(changed(COMPLETE, 40, 999_999))
    assert "list of events, at byte 999,999" in refusal(changed(COMPLETE, 24, 999_999))
    assert "list of events" in refusal(changed(COMPLETE, 16, 3))
    assert "numbers of an event, at byte 2,000,000" in refusal(changed(COMPLETE, 104 + 112, 2_000_000))
    assert f"record at byte {START}" in refusal(changed(COMPLETE, START, 3))
    assert "record 3, a sample" in refusal(recording(mapped(), record(9, bytes(16))))
    assert "record 3, a sample" in refusal(recording(mapped(), changed(sample(1, PROGRAM), 40, 2)))
    assert "record 3, a sample" in refusal(recording(mapped(), changed(sample(1, PROGRAM), 40, 2**63)))
    assert "record 0 is shorter" in refusal(recording(record(10, bytes(16)), sample(1, PROGRAM)))
    assert "time of a sample" in refusal(recording(sample(2**63, PROGRAM)))
    assert "period of a sample" in refusal(recording(sample(1, PROGRAM, period=2**63)))
    assert "which events were recorded" in refusal(recording(sample(1), attributes=(), ids=()))
    assert "do not say which event" in refusal(
        recording(sample(1), attributes=(attribute(), attribute()), ids=((), ()))
    )
    assert "event 0" in refusal(piped(sample(1), attr=changed(attribute(), 0, 1)))
    odd = struct.pack("<I", 113)
    assert read(piped(*SESSION, attr=attribute()[:4] + odd + attribute()[8:])).profiles  # no full words
    with pytest.raises(DamagedTrace, match="zstd"):
        read(recording(record(81, b"no zstd at all!!")))
    assert "no recorder compresses" in refusal(recording(compressed(b"\x51\0\0\0\0\0\x08\0" + sample(1), 99)))
    assert "shorter than it says" in refusal(recording(record(83, struct.pack("<Q", 99))))


@pytest.mark.parametrize("samples", [1, 2])
def test_a_recording_that_breaks_off_is_read_as_far_as_its_records_go(samples: int) -> None:
    end = START + sum(len(one) for one in SESSION[: samples + 1])
    for more in (0, 3, 9):
        trace = read(COMPLETE[: end + more], "perf.data")
        assert sum(len(profile.samples or ()) for profile in trace.profiles) == samples
        assert {"prog", "libwork.so.1"} & {name.partition("+")[0] for name in trace.frame_names}
        (said,) = [warning.text for warning in trace.warnings if warning.code == "unterminated"]
        assert f"what came before was read: {end + more:,} bytes" in said
    with pytest.raises(EmptyTrace):
        read(COMPLETE[: START + len(SESSION[0])], "perf.data")


def test_counters_that_fill_no_sample_are_refused() -> None:
    grouped = attribute(FIELDS | READ, read_format=1 << 3)
    for behind in (b"", struct.pack("<Q", 2**63), struct.pack("<QQ", 1, 5)):
        refusal(recording(record(9, struct.pack("<QIIQQ", 1, 7, 7, 5, 1) + behind), attributes=(grouped,)))


@pytest.mark.long
def test_a_file_that_ends_anywhere_is_read_or_refused() -> None:
    for data in (COMPLETE, piped(*SESSION), recording(compressed(b"".join(SESSION), 41))):
        for cut in range(16, len(data), 5):
            try:
                read(data[:cut])
            except TraceError:
                continue


def test_a_recording_without_samples_is_empty() -> None:
    with pytest.raises(EmptyTrace):
        read(recording(mapped()))


def test_a_bomb_is_not_unpacked() -> None:
    bomb = zstandard.ZstdCompressor().compress(bytes(100 << 20))
    pieces = [record(83, struct.pack("<Q", len(piece)) + piece) for piece in (bomb[:4_000], bomb[4_000:])]
    with pytest.raises(TraceTooLarge):
        read(recording(*pieces))


def test_mappings_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(perf_data_history, "MAX_MAPPINGS", 5)
    again = [mapping(f"/{n}", PROGRAM, 0x1000) for n in range(5)]
    with pytest.raises(TraceTooLarge, match="more than 5 mappings"):
        read(recording(mapped(), *again, sample(1, PROGRAM)))


def test_places_have_a_bound_beyond_which_modules_stand_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(perf_data, "MAX_ADDRESSES", 2)
    trace = read(
        recording(mapped(), mapping("//anon", 0x10000, 0x1000), sample(1, 0x10000, PROGRAM, LIBRARY, PROGRAM + 1))
    )
    assert warnings(trace)["too_many_addresses"] == 2
    assert {"prog", "libwork.so.1"} & set(trace.frame_names)


@pytest.mark.parametrize("sign", [b"PERFFILE", b"2ELIFREP", b"PERFILE2"])
def test_other_kinds_of_it_are_refused_with_advice(sign: bytes) -> None:
    with pytest.raises(UnrecognisedTrace, match="perf script"):
        read_trace(sign + struct.pack(">Q", 104) + bytes(200), name="perf.data")
