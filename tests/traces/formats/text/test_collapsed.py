"""Collapsed stacks: what flamegraph.pl takes is read, and what only ends in numbers is not taken for stacks."""

import pytest

from tests.traces.stacks_of_traces import read, stacks, warnings
from traces.errors import UnrecognisedTrace
from traces.reader import read_trace
from traces.values import Counts


def test_weights_with_decimals_behind_tabs_are_read_and_count_nothing() -> None:
    trace = read("main;draw\t1.5\nmain;load\t\t2.\nmain 0.25\n")
    assert sorted(stacks(trace)) == [("main", 0.25), ("main;draw", 1.5), ("main;load", 2.0)]
    assert trace.profiles[0].facts.counts is Counts.NONE
    assert read("main;draw\t1\nmain 2\n").profiles[0].facts.counts is Counts.SAMPLES


def test_two_weights_a_line_are_a_profile_before_and_one_after() -> None:
    trace = read_trace(b"main;draw 10 20\nmain;new 0 5\nmain;old 3 0.0\n", name="change.txt")
    assert [profile.name for profile in trace.profiles] == ["change.txt (before)", "change.txt (after)"]
    assert sorted(stacks(trace)) == [("main;draw", 10.0), ("main;old", 3.0)]
    assert sorted(stacks(trace, 1)) == [("main;draw", 20.0), ("main;new", 5.0)]
    assert warnings(trace) == {}


def test_functions_whose_names_end_in_numbers_are_no_second_weight() -> None:
    assert sorted(stacks(read("main;worker 1 20\nmain;worker 2 30\n"))) == [
        ("main;worker 1", 20.0),
        ("main;worker 2", 30.0),
    ]


def test_a_line_without_two_weights_among_those_with_two_is_counted() -> None:
    rows = "".join(f"main;f{number} {number} {number + 1}\n" for number in range(1, 41))
    assert warnings(read(f"# comment\n{rows}main;broken\n")) == {"skipped_lines": 1}


def test_a_line_without_a_weight_among_stacks_is_counted() -> None:
    rows = "".join(f"main;f{number} {number}\n" for number in range(1, 41))
    assert warnings(read(f"# comment\n{rows}main;broken\n")) == {"skipped_lines": 1}


def test_a_byte_that_is_no_character_is_replaced_and_counted() -> None:
    trace = read_trace(b"main;caf\xe9 2\nmain;draw 3\n", name="short.txt")
    assert sorted(stacks(trace)) == [("main;caf\ufffd", 2.0), ("main;draw", 3.0)]
    assert warnings(trace) == {"not_utf8": 1}


STACKS = {
    "one stack": "main;draw;line 5",
    "brackets": "[unknown];main 3\n[kernel];irq 4\n",
    "a remark before": "a remark\nmain;draw 3\nmain;load 2\n",
    "remarks behind": "main;draw 3\nmain;load 2\nmain 4\n\nWrote 3 stacks to\nout.svg\n",
    "C++": "a.out;std::vector<int, std::allocator<int> >::at(unsigned long) const 5\na.out;operator new[] 3\n",
    "Rust": "app;<[u8; 32] as Debug>::fmt 3\napp;<[u8; 32] as Hash>::hash 9\napp;main 3\n",
    "Java": "java/lang/Thread.run;com/foo/Bar$1.run_[j];do_syscall_64_[k] 3\njava/lang/Thread.run;x_[j] 4\n",
    "Python": "<module> (app.py:10);run (app.py:3) 40\n<module> (app.py:10);stop (lib/a b.py:5) 4\n",
    "PHP": "<main> /app/index.php:3;foo /app/x.php:9 1\n<main> /app/index.php:3;bar /app/x.php:10 1\n",
    "many programs": "idle;a 8\nsshd;entry;x 1\nbash;a 1\nperf;b 1\nsshd;c 1\n",
}


@pytest.mark.parametrize("text", STACKS.values(), ids=STACKS)
@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["unix", "windows"])
def test_stacks_of_many_tools_are_stacks(text: str, newline: str) -> None:
    assert read_trace(text.replace("\n", newline).encode(), name="unknown").format == "collapsed"


OTHERS = {
    "access log": "".join(
        f'10.0.0.{i} - - [22/Nov/2026:10:00:{i:02}] "GET /{i} HTTP/1.1" 200 6 "-" "Mozilla/5.0 (X11; rv:1)" 0.{i}\n'
        for i in range(9)
    ),
    "user agents first": "Mozilla/5.0 (X11; Linux x86_64; rv:1) 200 12\n" * 9,
    "pairs": "name;value 3\nother;value 4\nthird;value 5\n",
    "a table with a header": "city;street\nBerlin;Parkweg 12\nBerlin;Seeweg 3\nBonn;Kai 2\n",
    "a table of dates": "2026-01-02;job;took 12\n2026-01-02;job;took 14\n2026-01-03;job;took 15\n",
    "a log": "ERROR;db;timeout after 30\nERROR;db;timeout after 31\nINFO;web;served 200\n",
    "settings": "Server=x;Database=y;Timeout 30\nServer=x;Database=z;Timeout 30\n",
    "cookies": "/a;jsessionid=AA 200\n/a;jsessionid=BB 200\n",
    "comments": ";; Chapter 1\n;; Chapter 2\n; note 3\n",
    "colours": "\x1b[1;31mERROR\x1b[0m retries 3\n\x1b[1;31mERROR\x1b[0m retries 5\n",
    "markup": "<p>a &amp;b;c 3\n<p>a &amp;b;d 4\n",
    "German": "Er kam; sie ging; das war 1989\nEr kam; dann war es 1990\nEr blieb; und so begann das Jahr 1991\n",
    "songs": "Queen;Bohemian Rhapsody 1975\nQueen;Radio Ga Ga 1984\nABBA;Waterloo 1974\nABBA;SOS 1975\n",
    "numbers": "10;20;30 40\n10;20;31 41\n",
    "assembly": "mov eax, 5 ; line 5\nadd eax, 6 ; line 6\n",
    "mostly other lines": "main;a 1\nmain;b 2\n" + "a line of another kind\n" * 9 + "main;c 3\n",
    "sizes": "total 12\nfile;a 3\nother 4\nthird 5\nfourth 6\nfifth 7\n",
}


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_what_only_ends_in_numbers_is_no_stack(text: str) -> None:
    with pytest.raises(UnrecognisedTrace):
        read_trace(text.encode(), name="notes.txt")


def test_a_line_of_blanks_costs_no_more_than_its_length() -> None:
    with pytest.raises(UnrecognisedTrace):
        read_trace(b"a" + b" 1" * 200_000 + b" " * 400_000 + b"x", name="notes.txt")
