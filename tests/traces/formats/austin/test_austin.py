"""Austin: header lines are no samples, threads stay apart, every mode measures what it says."""

import gzip
from pathlib import Path

import pytest

from tests.traces.stacks_of_traces import read, stacks, warnings
from traces.errors import DamagedTrace
from traces.reader import read_trace

HEADER = "# austin: 3.7.0\n# interval: 200\n# mode: {mode}\n\n"
MAIN = "/app/main.py:<module>:30;/app/main.py:run:{line}"


def lines(mode: str, *samples: str) -> str:
    return HEADER.format(mode=mode) + "".join(f"{s}\n" for s in samples) + "\n# duration: 59482447\n"


def test_threads_are_profiles_and_a_function_is_one_frame_with_its_lowest_line() -> None:
    trace = read(
        lines(
            "wall",
            f"P5;T0:7;{MAIN.format(line=12)} 100",
            f"P5;T0:worker one;{MAIN.format(line=15)};/app/io.py:wait:3 300",
            "P5;T0:7 50",
            f"P5;T0:7;{MAIN.format(line=9)};:GC: 200",
        )
    )
    assert [(p.name, p.pid, p.tid) for p in trace.profiles] == [
        ("pid 5, thread 7", "5", "7"),
        ("pid 5, thread worker one", "5", "worker one"),
    ]
    assert stacks(trace, 0) == [("<module>;run", 100_000), ("", 50_000), ("<module>;run;(garbage collector)", 200_000)]
    assert stacks(trace, 1) == [("<module>;run;wait", 300_000)]
    run = trace.frame_names.index("run")
    assert (trace.frame_file(run), trace.frame_line(run)) == ("/app/main.py", 9)
    assert warnings(trace) == {}


def test_each_mode_has_its_values() -> None:
    assert read(lines("cpu", "P1;T1;a.py:f:1 7")).profiles[0].values[0].name == "CPU time"
    memory = read(lines("memory", "P1;T1;a.py:f:1 700", "P1;T1;a.py:f:1 -300"))
    assert stacks(memory, value="allocated") == [("f", 700.0), ("f", 0.0)]
    assert stacks(memory, value="freed") == [("f", 0.0), ("f", 300.0)]
    full = read(lines("full", "P1;T1;a.py:f:1 100,0,64", "P1;T1;a.py:g:2 900,1,-32"))
    assert stacks(full) == [("f", 100_000), ("g", 900_000)]
    assert stacks(full, value="CPU time") == [("f", 100_000), ("g", 0)]
    assert [w for _, w in stacks(full, value="freed")] == [0.0, 32.0]


def test_windows_paths_and_older_names_are_taken_apart() -> None:
    trace = read("P1;T0x7f01;C:\\app\\x.py:run:3;load (mod.py) 5\n")
    assert [(n, trace.frame_file(i), trace.frame_line(i)) for i, n in enumerate(trace.frame_names)] == [
        ("run", "C:\\app\\x.py", 3),
        ("load", "mod.py", None),
    ]


def test_lines_that_are_cut_are_counted() -> None:
    trace = read(lines("wall", "P1;T1;a.py:f:1 7", "P1;T1;a.py:f", "P1;T1;a.py:f:1 100,0,64"))
    assert warnings(trace) == {"skipped_lines": 2}
    trace = read(lines("full", "P1;T1;a.py:f:1 7,0,1", "P1;T1;a.py:f", "P1;T1;a.py:f:1 100"))
    assert warnings(trace) == {"skipped_lines": 2}


@pytest.mark.parametrize("text", [lines("wall", "P1;T1;f 9999999999999999999"), lines("full", "P1;T1;f -5,0,3")])
def test_numbers_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(DamagedTrace):
        read(text)


def test_a_long_recording_has_exactly_its_time(shared: Path) -> None:
    with gzip.open(shared / "traces" / "austin-pylint.austin.txt.gz", "rb") as file:
        data = file.read(20_000_000)
    data = data[: data.rindex(b"\n") + 1]
    trace = read_trace(data, name="unknown")
    said = sum(int(line.rpartition(b" ")[2]) for line in data.split(b"\n") if line[:1] == b"P")
    assert trace.format == "austin"
    assert sum(w for _, w in stacks(trace)) == said * 1_000


@pytest.mark.parametrize(("said", "lost"), [("12/3456", 12), ("0/3456", 0), ("/", 0)])
def test_samples_that_austin_could_not_take_are_counted(said: str, lost: int) -> None:
    trace = read(lines("wall", "P5;T0:7;/app/main.py:run:3 100") + f"# saturation: 3/3456\n# errors: {said}\n")
    assert warnings(trace) == ({"lost": lost} if lost else {})
