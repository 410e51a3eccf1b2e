"""cProfile: what pstats says about each function, and no trust in the file."""

import cProfile
import gzip
import marshal
import profile
import pstats
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.traces.stacks_of_traces import own_values, read
from traces.analysis.recorded_edges import Basis
from traces.analysis.sandwich import callers_callees
from traces.errors import DamagedTrace, EmptyTrace
from traces.formats.call_graph.marshal_subset import BrokenMarshal, read_marshal
from traces.model import Trace
from traces.reader import read_trace

Stats = dict[tuple[str, int, str], tuple[int, int, float, float, dict[Any, Any]]]


def said_by_pstats(file: Path) -> Stats:
    return pstats.Stats(str(file)).stats  # type: ignore[attr-defined,no-any-return]


def check_against_pstats(data: bytes, file: Path) -> None:
    file.write_bytes(data)
    expected_time: dict[tuple[str, str | None], float] = {}
    expected_calls: dict[tuple[str, str | None], float] = {}
    for (place, _, name), (_, calls, own, _, _) in said_by_pstats(file).items():
        key = (name, None if place == "~" else place)
        expected_time[key] = expected_time.get(key, 0) + own * 1e9
        expected_calls[key] = expected_calls.get(key, 0) + calls
    trace = read(data)
    samples = len(trace.profiles[0].samples or ())
    time, calls_of = own_values(trace), own_values(trace, value=1)
    for key, own in expected_time.items():
        assert time.get(key, 0) == pytest.approx(own, rel=1e-9, abs=samples)
        assert calls_of.get(key, 0) == pytest.approx(expected_calls[key], rel=1e-6)
    check_callers(trace, file)


def check_callers(trace: Trace, file: Path) -> None:
    """What `pstats` has of each function with its callers, and of each caller: calls and cumulative time."""
    frames = {(trace.frame_name(f), trace.frame_file(f), trace.frame_line(f)): f for f in range(len(trace.frames))}

    def frame(key: tuple[str, int, str]) -> int:
        place, line, name = key
        return frames[name, None if place == "~" else place, None if place == "~" or line < 1 else line]

    said = said_by_pstats(file)
    keys = [frame(key) for key in said]
    assert len(set(keys)) == len(keys)
    everything = sum(own for _, _, own, _, _ in said.values())
    heaviest = sorted(said, key=lambda key: -said[key][3])[:120]
    for key in heaviest:
        primitive, calls, _, total, callers = said[key]
        found = callers_callees(trace, frame(key), limit=10_000)
        assert found.basis is Basis.RECORDED
        total = min(total, everything)  # cProfile's cumulative times exceed all own times by 1e-4
        assert found.frame.count == calls
        assert found.frame.total_value == pytest.approx(total * 1e9, abs=2, rel=1e-7)
        assert found.recursive == (primitive < calls)
        expected = {frame(caller): row[0] for caller, row in callers.items() if caller != key}
        assert {row.frame: row.calls for row in found.callers if row.handle} == expected
        for row in found.callers:
            if row.handle:
                spent = next(numbers[3] for caller, numbers in callers.items() if frame(caller) == row.frame)
                assert row.value == pytest.approx(spent * 1e9, abs=1)
        assert found.calls_itself == callers.get(key, (0,))[0]


@pytest.mark.parametrize("name", ["cprofile-pylint.prof.gz"])
@pytest.mark.long
def test_functions_have_the_time_and_calls_that_pstats_prints(name: str, shared: Path, tmp_path: Path) -> None:
    check_against_pstats(gzip.decompress((shared / "traces" / name).read_bytes()), tmp_path / "stats.prof")


def test_the_recorded_profile_agrees_with_pstats(fixtures: Path, tmp_path: Path) -> None:
    check_against_pstats((fixtures / "redact-documents.cprofile.prof").read_bytes(), tmp_path / "stats.prof")


def test_a_profile_of_this_python_is_read(tmp_path: Path) -> None:
    def fib(n: int) -> int:
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    profile = cProfile.Profile()
    profile.runcall(fib, 12)
    profile.dump_stats(tmp_path / "own.prof")
    trace = read((tmp_path / "own.prof").read_bytes())
    assert (trace.format, trace.frame_file(0)) == ("pstats", __file__)
    assert own_values(trace, value=1)[("fib", __file__)] == 465
    check_callers(trace, tmp_path / "own.prof")


def test_functions_that_call_each_other_have_what_pstats_prints(tmp_path: Path) -> None:
    def even(n: int) -> int:
        return odd(n - 1) + len(str(n)) if n else 0

    def odd(n: int) -> int:
        return even(n - 1) + sum(sorted(range(n), key=lambda k: -k)) if n else 0

    def main() -> None:
        even(8)
        odd(5)
        sorted(range(50), key=lambda k: even(k % 3))

    profile = cProfile.Profile()
    profile.runcall(main)
    profile.dump_stats(tmp_path / "own.prof")
    check_callers(read((tmp_path / "own.prof").read_bytes()), tmp_path / "own.prof")


FUNCTION = ("app.py", 3, "run")
BAD: list[tuple[dict[Any, Any], str]] = [
    ({FUNCTION: (1, 1, 0.5, 0.5)}, "row of numbers"),
    ({FUNCTION: (1, 1, float("nan"), 0.5, {})}, "finite"),
    ({FUNCTION: (1, 1, 1e300, 0.5, {})}, "finite"),
    ({FUNCTION: (1, 1, 0.5, 0.5, {("x", 1, "y"): (5,)})}, "row of numbers"),
    ({FUNCTION: (1, 1, 0.5, 0.5, {("x", 1, "y"): 5, ("z", 1, "z"): 1 << 4000})}, "out of range"),
    ({FUNCTION: (1, 1, 0.5, 0.5, ())}, "callers"),
    ({("app.py", "3", "run"): (1, 1, 0.5, 0.5, {})}, "key"),
    ({FUNCTION: (1, 1 << 200, 0.5, 0.5, {})}, "out of range"),
    ({FUNCTION: (1, 1, 0.5, 0.5, {}), 5: 1}, "key"),
    ({FUNCTION: (1, 1, 0.5, 0.5, [1])}, "no profile has"),
]


@pytest.mark.parametrize(("stats", "reason"), BAD)
def test_what_cprofile_never_writes_is_refused(stats: dict[Any, Any], reason: str) -> None:
    with pytest.raises(DamagedTrace, match=f"pstats.*{reason}"):
        read(marshal.dumps(stats))


def test_a_profile_in_which_nothing_took_time_is_empty() -> None:
    with pytest.raises(EmptyTrace):
        read(marshal.dumps({FUNCTION: (0, 0, 0.0, 0.0, {})}))


@pytest.mark.parametrize("version", [2, 3, 4])
def test_every_version_of_the_format_is_read(version: int) -> None:
    stats = {
        FUNCTION: (1, 2, 0.5, 1.0, {("~", 0, "<built-in>"): (1, 1, 0.25, 0.5)}),
        ("~", 0, "<built-in>"): (1, 1, 0.5, 1.5, {}),
    }
    data = marshal.dumps(stats, version)
    assert own_values(read(data)) == {("run", "app.py"): 500_000_000, ("<built-in>", None): 500_000_000}


keys = st.tuples(st.text(max_size=300), st.integers(-(2**40), 2**70), st.text(max_size=5))
scalars = st.none() | st.booleans() | st.integers(-(2**100), 2**100) | st.floats(allow_nan=False) | st.text(max_size=20)
values = st.recursive(
    scalars, lambda inner: st.dictionaries(keys, inner, max_size=3) | st.tuples(inner, inner), max_leaves=8
)


@given(st.dictionaries(keys, values, max_size=4))
def test_what_marshal_writes_is_read_back(value: dict[Any, Any]) -> None:
    written = marshal.dumps(value)
    assert read_marshal(written) == (value, len(written))


def test_mutated_profiles_are_read_or_refused(fixtures: Path) -> None:
    data = (fixtures / "redact-documents.cprofile.prof").read_bytes()[:6_000]
    chance = random.Random(5)
    for _ in range(600):
        mutated = bytearray(data)
        for _ in range(chance.randrange(1, 6)):
            mutated[chance.randrange(len(mutated))] = chance.randrange(256)
        try:
            read_marshal(bytes(mutated[: chance.randrange(1, len(mutated))]))
        except BrokenMarshal:
            continue


@pytest.mark.parametrize(
    "data",
    [
        b"{)\x03z\x01a" + b"i\1\0\0\0" + b"z\x01b" + b"(\xff\xff\xff\x7f",
        b"{" + b")\x03z\x01ai\1\0\0\0z\x01b" + b"{" * 50_000,
        b"{)\x03z\x01ar\x05\0\0\0",
        b"\xfb)\x03z\x01ai\1\0\0\0z\x01br\x00\0\0\x000",
        b"{)\x03z\xffshort",
        b"{)\x03z\x01a{0z\x01b",
    ],
    ids=["huge tuple", "deep", "reference to nothing", "holds itself", "cut text", "dictionary as a key"],
)
def test_hostile_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(DamagedTrace, match="pstats"):
        read_trace(data.ljust(20, b"\0"), name="hostile.prof")


def test_what_the_module_profile_saves_has_calls_alone_of_callers(tmp_path: Path) -> None:
    def fib(n: int) -> int:
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    recorder = profile.Profile()
    recorder.runcall(lambda: (sorted(range(50)), fib(8)))
    file = tmp_path / "plain.prof"
    recorder.dump_stats(str(file))
    trace = read(file.read_bytes())
    said = {name: row for (_, _, name), row in said_by_pstats(file).items()}
    assert any(isinstance(count, int) for row in said.values() for count in row[4].values())
    time, calls = own_values(trace), own_values(trace, value=1)
    for name in ("fib", "sorted"):
        (found,) = [key for key in calls if key[0] == name]
        assert calls[found] == pytest.approx(said[name][1])
        assert time.get(found, 0) == pytest.approx(said[name][2] * 1e9, abs=len(trace.profiles[0].samples or ()))
    (again,) = [f for f in range(len(trace.frames)) if trace.frame_name(f) == "sorted"]
    found_callers = callers_callees(trace, again)
    assert found_callers.basis is Basis.ESTIMATED
    assert [row.name for row in found_callers.callers] == ["<lambda>"]
    (again,) = [f for f in range(len(trace.frames)) if trace.frame_name(f) == "fib"]
    assert [row.name for row in callers_callees(trace, again).callers] == ["<lambda>"]  # calls of itself are no callers


def test_counts_below_zero_are_none() -> None:
    callers = {("x", 1, "y"): -5, ("z", 1, "z"): 5}
    trace = read(marshal.dumps({FUNCTION: (1, 5, 0.5, 0.5, callers)}))
    assert own_values(trace)["run", "app.py"] == pytest.approx(5e8)
