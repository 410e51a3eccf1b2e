"""`node --prof`: the log as V8 writes it, and as `--prof-process --preprocess` leaves it."""

import json
from pathlib import Path
from typing import Any

import pytest

from traces.analysis.functions import top_functions
from traces.errors import DamagedTrace, EmptyTrace
from traces.formats.v8.code_map import CodeMap
from traces.invariants import check
from traces.model import Trace
from traces.reader import read_trace

HEADER = "v8-version,11,3,244,8,-node.38,0\nshared-library,/usr/bin/node,0x400000,0x500000,0\n"


def read(text: str) -> Trace:
    trace = read_trace(text.encode(), name="log")
    check(trace)
    return trace


def stacks(trace: Trace) -> list[tuple[str, int]]:
    (profile,) = trace.profiles
    assert profile.samples is not None
    paths: list[str] = []
    for frame, parent in zip(profile.tree.frame.tolist(), profile.tree.parent.tolist(), strict=True):
        name = trace.frame_names[frame]
        paths.append(name if parent < 0 else f"{paths[parent]};{name}")
    weights = profile.samples.weights[0].tolist()
    return [("" if leaf < 0 else paths[leaf], w) for leaf, w in zip(profile.samples.leaf, weights, strict=True)]


def test_a_tick_is_charged_the_time_since_the_one_before() -> None:
    trace = read(
        HEADER + "code-creation,Function,10,100,0x1000,256,run file:///srv/my app.js:3:5,0x99,~\n"
        "code-creation,Builtin,2,100,0x2000,256,ArrayMap\n"
        "tick,0x2004,1000,0,0x0,0,0x1010\n"
        "tick,0x1004,3000,0,0x0,0\n"
        "tick,0x400010,4000,0,0x0,6,0x1010,-0x8\n"
    )
    assert stacks(trace) == [
        ("run;(builtin) ArrayMap", 1_000_000),
        ("run", 2_000_000),
        ("run;run;(LIB) /usr/bin/node", 1_000_000),
    ]
    assert (trace.frame_file(0), trace.frame_line(0)) == ("file:///srv/my app.js", 3)


def test_code_is_found_where_it_lay_at_that_moment() -> None:
    trace = read(
        HEADER + "code-creation,Eval,10,100,0x1000,256,one a.js:1:1,0x99,*\n"
        "tick,0x1004,1000,0,0x0,0\n"
        "code-move,0x1000,0x3000\n"
        "code-creation,Eval,10,100,0x1080,256,two a.js:2:1,0x98,\n"
        "tick,0x1084,2000,0,0x0,0,0x3004\n"
        "code-delete,0x3000\n"
        "tick,0x1084,3000,0,0x0,0,0x3004\n"
    )
    assert [path for path, _ in stacks(trace)] == ["one", "one;two", "two"]


def test_a_callback_stands_for_wherever_inside_it_the_counter_was() -> None:
    trace = read(
        HEADER
        + "code-creation,Callback,10,100,0x1000,1,readFile\ncode-creation,Eval,10,100,0x2000,64,main a.js:1:1,0x99,\n"
        "tick,0x400010,1000,1,0x1000,6,0x2004\n"
    )
    assert stacks(trace) == [("main;readFile", 1_000_000)]


def test_garbage_collection_lies_on_top_and_idle_ticks_are_gaps() -> None:
    trace = read(
        HEADER + "code-creation,Eval,10,100,0x2000,64,main a.js:1:1,0x99,\n"
        "tick,0x2001,1000,0,0x0,1\ntick,0x2001,2000,0,0x0,8\n"
    )
    assert stacks(trace) == [("main;(garbage collector)", 1_000_000), ("", 1_000_000)]


def test_names_with_commas_and_quotes_are_read_as_old_and_new_versions_write_them() -> None:
    trace = read(
        HEADER + 'code-creation,Eval,10,100,0x1000,64,"old ""x"", y",0x99,\n'
        "code-creation,RegExp,10,100,0x2000,64,a\\x2cb\\u0041\\n\ntick,0x1001,1000,0,0x0,0,0x2001\n"
    )
    assert stacks(trace) == [('(regexp) a,bA\n;old "x", y', 1_000_000)]


def test_lines_that_break_off_are_counted() -> None:
    trace = read(
        HEADER
        + "code-creation,Eval,10\ncode-creation,Eval,1,1,0x1000,99999999999,big\ntick,0x400010,5,0,0x0,6\ntick,0x4\n"
    )
    assert [(w.code, w.count) for w in trace.warnings] == [("unread_lines", 3)]


def test_the_log_and_what_node_makes_of_it_agree_about_functions(fixtures: Path) -> None:
    trace = read_trace((fixtures / "search-index.v8.log.gz").read_bytes(), name="unknown")
    check(trace)
    profile = trace.profiles[0]
    names = [trace.frame_names[frame] for frame in profile.tree.frame.tolist()]
    total = sum(
        weight
        for name, weight, outer in zip(
            names, profile.tree.total_values[0].tolist(), profile.tree.outermost, strict=True
        )
        if name == "addArticle" and outer
    )
    # `node --prof-process --preprocess` on the recording machine: 2,019,761 µs with `addArticle` on the stack.
    assert total == 2_019_761_000


def preprocessed(ticks: list[dict[str, Any]]) -> str:
    code = [
        {"name": "/usr/bin/node", "type": "SHARED_LIB"},
        {"name": "t v8::internal::Heap::Scavenge(int)", "type": "CPP"},
        {"name": "draw /srv/app.js:4:2", "type": "JS", "kind": "Opt", "func": 0},
        {"name": " app.js:1:1", "type": "JS", "kind": "Unopt", "func": 1},
        {"name": "A load IC from the snapshot", "type": "CODE", "kind": "LoadIC"},
        None,
    ]
    return json.dumps({"code": code, "functions": [], "ticks": ticks})


def test_the_processed_form_names_code_by_its_kind() -> None:
    trace = read(
        preprocessed(
            [
                {"tm": 30, "vm": 0, "s": [1, 0, 4, 0, 2, 9, 3, 1]},
                {"tm": 10, "vm": 0, "s": [0, 5, -1, 77, 3, 1]},
                {"tm": 40, "vm": 0, "s": [5, 0, 99, 1]},
            ]
        )
    )
    assert stacks(trace) == [
        ("(anonymous app.js:1);(LIB) /usr/bin/node", 10_000),
        ("(anonymous app.js:1);draw;(IC) A load IC from the snapshot;(c++) v8::internal::Heap::Scavenge", 20_000),
        ("0x63;(unknown type)", 10_000),
    ]


@pytest.mark.parametrize(
    "tick", [{"tm": "soon", "s": []}, {"tm": -5, "s": []}, {"tm": 1e300, "s": [0, 0]}, {"tm": 1, "s": ["x"]}]
)
def test_a_tick_that_is_none_is_refused(tick: dict[str, Any]) -> None:
    with pytest.raises(DamagedTrace, match="v8-log"):
        read(preprocessed([tick]))


def test_a_log_without_ticks_is_empty() -> None:
    with pytest.raises(EmptyTrace):
        read(HEADER)


def test_later_code_replaces_all_that_it_covers() -> None:
    code = CodeMap()
    code.add_library(0x0, 0x100000, 7)
    code.add(0x8000, 0x8000, 1)  # over a page's end
    code.add(0xF000, 0x10, 2)
    assert [code.find(at) for at in (0x8000, 0xF000, 0xF00F, 0xF010, 0x200000)] == [7, 2, 2, 7, -1]
    code.remove(0xF000)
    code.remove(0xF000)
    assert code.find(0xF000) == 7


def test_a_log_from_before_2016_begins_with_libraries_and_has_no_times_of_code() -> None:
    log = (
        'shared-library,"/lib/libc.so",0x400000,0x500000\nprofiler,"begin",1\n'
        'code-creation,LazyCompile,2,0x1000,256,"draw app.js:3",0x9000,*\n'
        "tick,0x1010,1000,0,0x0,0\ntick,0x400010,2000,0,0x0,0,0x1010\n"
    )
    trace = read(log)
    assert trace.format == "v8-log"
    rows = {row.name: row.self_value for row in top_functions(trace).rows}
    assert rows == {"(LIB) /lib/libc.so": 1_000_000, "draw app.js:3": 1_000_000}


def test_samples_that_found_the_buffer_full_are_said() -> None:
    trace = read(HEADER + "tick,0x401000,1000,0,0x0,0,overflow\ntick,0x401000,2000,0,0x0,0\n")
    assert [(w.code, w.count) for w in trace.warnings] == [("lost", 1)]
