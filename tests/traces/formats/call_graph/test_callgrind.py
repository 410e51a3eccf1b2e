"""Callgrind: sums per function as callgrind_annotate gives them, names, positions and threads as the format says."""

import gzip
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.traces.stacks_of_traces import own_values, read, stacks, warnings
from traces.analysis.recorded_edges import Basis
from traces.analysis.sandwich import callers_callees
from traces.errors import DamagedTrace, EmptyTrace
from traces.values import Unit

ROW = re.compile(r"^ *([\d,]+) \( *[\d.]+%\) .*?:(.*?)(?: \[(?:[^\[\]]*/[^\[\]]*|\?\?\?)\])?$", re.MULTILINE)
TOOL = shutil.which("callgrind_annotate")


@pytest.mark.skipif(TOOL is None, reason="callgrind_annotate (valgrind) is not installed")
@pytest.mark.parametrize("name", ["callgrind.cc1", "callgrind.small-instr-cache"])
def test_functions_cost_what_callgrind_annotate_says(name: str, shared: Path, tmp_path: Path) -> None:
    data = gzip.decompress((shared / "traces" / f"{name}.out.gz").read_bytes())
    file = tmp_path / "callgrind.out.1"
    file.write_bytes(data)
    assert TOOL is not None
    command = [TOOL, "--threshold=100", "--auto=no", "--show=Ir", str(file)]
    report = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    expected: dict[str, int] = {}
    for cost, function in ROW.findall(report[report.index("file:function") :]):
        expected[function] = expected.get(function, 0) + int(cost.replace(",", ""))
    ours: dict[str, float] = {}
    for (function, _), cost in own_values(read(data)).items():
        ours[function] = ours.get(function, 0) + cost
    assert len(expected) > 200
    assert {f: ours[f] for f in expected} == pytest.approx(expected, rel=1e-9)
    assert sum(ours.values()) == pytest.approx(sum(expected.values()), rel=1e-9)


def test_every_event_is_a_value_and_instruction_addresses_are_no_cost(shared: Path) -> None:
    trace = read((shared / "traces" / "callgrind.small-instr-cache.out.gz").read_bytes())
    totals = {
        v.name: round(sum(s)) for v, s in zip(trace.profiles[0].values, trace.profiles[0].tree.self_values, strict=True)
    }
    assert (totals["Ir"], totals["Dr"], totals["Dw"], totals["Bcm"]) == (10_040_205, 2_920_298, 1_874_977, 90_433)


def test_positions_names_and_inlined_code_are_read_as_the_format_says() -> None:
    trace = read(
        "version: 1\npositions: instr line\nevents: Ir Time_(10ns)\n\n"
        "ob=(1) /lib/prog\nfl=(1) a.c\nfn=(1) main\n0x10 5 10 1\n+4 * 1\n* +2 2 3\n"
        "fi=(2) inline.h\n-8 9 4\ncfn=(2) helper\ncalls=2 0x30 1\n* * 100 7\n"
        "jump=3 0x20 5\nfe=(1)\n+1 6 1\n\nfl=(2)\nfn=(2)\n0x30 1 100 7\n\ntotals: 118 11\n"
    )
    profile = trace.profiles[0]
    assert [(v.name, v.unit) for v in profile.values] == [
        ("Ir", Unit.COUNT),
        ("Time", Unit.NANOSECONDS),
        ("calls", Unit.COUNT),
    ]
    assert stacks(trace) == [("main;helper", 100.0), ("main", 18.0)]
    assert stacks(trace, value="Time") == [("main;helper", 70), ("main", 40)]
    assert stacks(trace, value="calls") == [("main;helper", 2.0), ("main", 0.0)]
    assert [trace.frame_file(f) for f in (0, 1)] == ["a.c", "inline.h"]
    assert warnings(trace) == {"estimated_paths": 1}


def test_a_callees_file_and_object_hold_for_one_call_only() -> None:
    trace = read(
        "events: Ir\nob=main.so\nfl=a.c\nfn=main\n1 1\ncob=lib.so\ncfi=b.c\ncfn=f\ncalls=1 1\n1 10\n"
        "cfn=f\ncalls=1 1\n2 20\n\nfn=f\n2 20\n\nob=lib.so\nfl=b.c\nfn=f\n1 10\n"
    )
    assert own_values(trace) == {("main", "a.c"): 1.0, ("f", "b.c"): 10.0, ("f", "a.c"): 20.0}


def test_parts_of_one_thread_add_up_and_threads_stay_apart() -> None:
    part = "\npart: {part}\nthread: {thread}\n\nevents: Ir\nfn=(1) run\n1 {cost}\n"
    trace = read("".join(part.format(part=p, thread=t, cost=c) for p, t, c in ((1, 1, 5), (1, 2, 7), (2, 1, 6))))
    assert [(p.tid, p.tree.self_values[0].tolist()) for p in trace.profiles] == [("1", [11.0]), ("2", [7.0])]


def test_cachegrind_has_costs_without_calls() -> None:
    trace = read("desc: I1 cache: 32768 B\ncmd: ./prog\nevents: Ir Dr\nfl=a.c\nfn=main\n1 3 1\n2 4\nsummary: 7 1\n")
    assert own_values(trace) == {("main", "a.c"): 7.0}
    assert own_values(trace, value=1) == {("main", "a.c"): 1.0}
    assert len(trace.edges) == 0
    assert callers_callees(trace, 0).basis is not Basis.RECORDED


def test_costs_may_count_from_those_of_the_line_before() -> None:
    trace = read(
        "events: Ir Dr\nfn=main\n1 20 2\ncfn=one\ncalls=1 5\n* 400 7\ncfn=two\ncalls=3 9\n* * +1\n"
        "fn=one\n+3 400 7\nfn=two\n* * *\n5 -500 1\n"
    )
    assert own_values(trace) == {("main", None): 20, ("one", None): 400, ("two", None): 400}
    assert own_values(trace, value=1) == {("main", None): 2, ("one", None): 7, ("two", None): 7}
    assert warnings(trace)["unread_lines"] == 1


def test_lines_that_are_cut_or_malformed_are_counted() -> None:
    trace = read(
        "events: Ir\n5 5\nfn=f\n1 2\n1 two\n1 2 3\n1 99999999999999999999999\ncalls=many\ncfn=g\ncalls=x 1\nwhat\n"
    )
    assert warnings(trace)["unread_lines"] == 7
    assert own_values(trace) == {("f", None): 2.0}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("fn=f\n1 2\nevents: Ir\n", "which events"),
        ("events: Ir\nfn=f\n1 1\npart: 2\nevents: Dr\nfn=f\n1 1\n", "different events"),
        ("events: " + "Ir " * 300 + "\nfn=f\n1 1\n", "more than 256"),
    ],
)
def test_files_that_contradict_themselves_are_refused(text: str, reason: str) -> None:
    with pytest.raises(DamagedTrace, match=reason):
        read("# callgrind format\n" + text)


def test_a_profile_without_costs_is_empty() -> None:
    with pytest.raises(EmptyTrace):
        read("# callgrind format\nevents: Ir\n")


XDEBUG = """version: 0.9.6
cmd: /app/index.php
part: 1

events: Time Memory

fl=php:internal
fn=php::define
3 40 -260

fl=/app/index.php
fn={main}

summary: 100 0

0 60 -8
cfn=php::define
calls=1 0 0
3 40 -260
"""


def test_a_callee_that_xdebug_names_without_its_file_is_the_function_of_that_name() -> None:
    trace = read(XDEBUG)
    (profile,) = trace.profiles
    assert sorted(stacks(trace)) == [("{main}", 60), ("{main};php::define", 40)]
    assert profile.tree.total_values[0].max() == 100
    assert profile.tree.count.sum() == 1


def test_memory_given_back_costs_no_line_its_time() -> None:
    trace = read(XDEBUG)
    assert own_values(trace)["php::define", "php:internal"] == 40
    assert warnings(trace) == {"negative_cost": 3, "estimated_paths": 1}


def test_a_callee_of_a_name_that_several_files_have_stays_apart() -> None:
    other = "\nfl=b.php\nfn=php::define\n1 5 0\n"
    trace = read(XDEBUG.replace("\nfl=/app/index.php", f"{other}\nfl=/app/index.php"))
    assert own_values(trace)["php::define", "b.php"] == 5
    assert "{main};php::define" not in dict(stacks(trace))
