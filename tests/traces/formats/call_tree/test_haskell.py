"""GHC's profiles: the JSON, the report, and the report with exact numbers say the same."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.traces.stacks_of_traces import own_values, read, stacks, warnings
from traces.errors import DamagedTrace, EmptyTrace

REPORT = """\tSat Nov 21 21:03 2026 Time and Allocation Profiling Report  (Final)

\t   H +RTS -p -RTS

\ttotal time  =        0.20 secs   (200 ticks @ 1000 us, 1 processor)
\ttotal alloc = 1,000,000 bytes  (excludes profiling overheads)

COST CENTRE MODULE SRC                 %time %alloc

ins         Main   H.hs:(6,1)-(8,20)    75.0   60.0

                                                                   individual      inherited
COST CENTRE MODULE               SRC              no.     entries  %time %alloc   %time %alloc{columns}

MAIN        MAIN                 <built-in>        129          0    0.0   10.0   100.0  100.0{main}
 CAF        GHC.IO.Handle.FD     <entire-module>   224          0    0.0    5.0     0.0    5.0{caf}
 main       Main                 H.hs:3:1-20       258          1   25.0   25.0   100.0   85.0{mid}
  ins       Main                 H.hs:(6,1)-(8,20) 259       9000   75.0   60.0    75.0   60.0{ins}
"""
PLAIN = REPORT.format(columns="", main="", caf="", mid="", ins="")
EXACT = REPORT.format(
    columns="  ticks     bytes", main=" 0 100001", caf=" 0 49999", mid=" 50 250000", ins=" 150 600000"
)


def test_the_report_is_a_tree_of_shares() -> None:
    trace = read(PLAIN)
    assert (trace.format, [v.name for v in trace.profiles[0].values]) == ("haskell", ["time", "allocated"])
    assert stacks(trace) == [
        ("MAIN.MAIN;GHC.IO.Handle.FD.CAF", 0),
        ("MAIN.MAIN;Main.main;Main.ins", 150_000_000),
        ("MAIN.MAIN;Main.main", 50_000_000),
        ("MAIN.MAIN", 0),
    ]
    assert [w for _, w in stacks(trace, value="allocated")] == [50_000, 600_000, 250_000, 100_000]
    assert warnings(trace) == {"rounded": 1}
    ins = trace.frame_names.index("Main.ins")
    assert (trace.frame_file(ins), trace.frame_line(ins), int(trace.frames.column[ins])) == ("H.hs", 6, 1)


def test_the_report_with_ticks_and_bytes_is_exact() -> None:
    trace = read(EXACT)
    assert [w for _, w in stacks(trace, value="allocated")] == [49_999, 600_000, 250_000, 100_001]
    assert [w for _, w in stacks(trace)] == [0, 150_000_000, 50_000_000, 0]
    assert warnings(trace) == {}


def test_cut_and_malformed_lines_of_the_report_are_counted() -> None:
    trace = read(PLAIN + "  cut       Main\n ..5 Main H.hs:1:1 1 1 ... ... 0.0 0.0\n")
    assert warnings(trace)["unread_lines"] == 2


def test_a_real_profile_has_its_ticks_and_allocations(shared: Path) -> None:
    trace = read((shared / "traces" / "haskell-real.json.gz").read_bytes())
    assert (sum(own_values(trace).values()), sum(own_values(trace, value=1).values())) == (200_000_000, 185_622_552)
    collector = trace.frame_names.index("GC.GC")
    assert trace.strings[int(trace.frames.category[collector])] == "gc"


def profile(**other: Any) -> str:
    centres = [{"id": 1, "label": "MAIN", "module": "MAIN", "src_loc": "<built-in>", "is_caf": False}]
    tree = {"id": 1, "entries": 0, "alloc": 5, "ticks": 3, "children": []}
    file = {"program": "H", "rts_arguments": ["-pj"], "initial_capabilities": 0, "cost_centres": centres}
    return json.dumps({**file, "tick_interval": 1000, "profile": tree, **other})


def test_ticks_last_as_long_as_the_file_says() -> None:
    assert stacks(read(profile(tick_interval=20_000))) == [("MAIN.MAIN", 60_000_000)]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (profile(profile={"id": 9, "alloc": 0, "ticks": 0, "children": []}), "cost centre that is not"),
        (profile(profile={"id": 1, "alloc": 0, "ticks": -1, "children": []}), "negative"),
        (profile(tick_interval=1 << 62), "out of range"),
        (profile(profile=None), "profile"),
        (PLAIN[: PLAIN.index("individual")], "breaks off"),
    ],
)
def test_contradictions_are_refused(text: str, reason: str) -> None:
    with pytest.raises(DamagedTrace, match=reason):
        read(text)


def test_a_report_without_a_tree_is_empty() -> None:
    with pytest.raises(EmptyTrace):
        read(PLAIN[: PLAIN.index("MAIN        MAIN")])


def test_deep_json_is_refused_or_read() -> None:
    depth = 100_000
    tree = '{"id": 1, "children": [' * depth + "]}" * depth
    with pytest.raises(DamagedTrace, match="deep"):
        read(profile(profile=0).replace('"profile": 0', f'"profile": {tree}'))
