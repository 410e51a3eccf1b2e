"""How many threads there are and a function runs on, threads of one name, shares of all of a recording."""

import pytest

from server.agent.verification.answer_checks import checked
from server.agent.verification.facts import Facts
from server.protocol.wire_values import Check
from tests.traces.insights.recorded import timeline

TRACE = timeline(
    [("scan", 0, 90), ("read_block", 0, 80), ("NCCL_send", 80, 85)],
    [("upload", 0, 30), ("read_block", 0, 10)],
    [("upload", 0, 20)],
    names=("pool (tid 0)", "pool (tid 1)", "render (tid 2)"),
)


def checks(sentence: str) -> list[Check]:
    return [one for one in checked(TRACE, sentence, Facts(), "", ()).checks if one.kind != "name"]


@pytest.mark.parametrize(
    ("sentence", "status"),
    [
        ("`read_block` runs on several threads.", "verified"),
        ("`read_block` runs on two threads.", "verified"),
        ("`read_block` runs on three threads.", "contradicted"),
        ("`scan` runs on several threads.", "contradicted"),
        ("`scan` runs on one thread only, `pool` 0.", "verified"),
        ("`scan` runs on one thread only, `pool` 1.", "contradicted"),
        ("Three threads were recorded.", "verified"),
        ("Two threads were recorded.", "contradicted"),
        ("Everything ran on a single thread.", "contradicted"),
        ("The run used four threads.", "contradicted"),
        ("`pool` 0 is the busiest thread.", "verified"),
        ("`pool` 1 is the busiest thread.", "contradicted"),
        ("This trace has no calls of NCCL.", "contradicted"),
        ("`read_block` is not on the path to `NCCL_send`.", "verified"),
        ("`scan` is not on the path to `NCCL_send`.", "contradicted"),
    ],
)
def test_a_statement_of_threads_is_decided(sentence: str, status: str) -> None:
    assert {one.status for one in checks(sentence)} == {status}


@pytest.mark.parametrize(
    "sentence",
    [
        "`scan` would run on several threads.",
        "This trace has no waiting for a disk.",
        "`scan` runs on one of the threads that wait.",
        "A run on a larger machine used four threads more.",
    ],
)
def test_what_the_trace_does_not_decide_stays_open(sentence: str) -> None:
    assert "contradicted" not in {one.status for one in checks(sentence)}


def test_a_number_behind_a_threads_name_is_no_figure() -> None:
    assert [one.claim for one in checks("On `pool` 0 `scan` takes 90.0 ms in total.")] == ["90.0 ms"]
    assert [one.claim for one in checks("On `pool` 4711 `scan` takes 90.0 ms in total.")] != ["90.0 ms"]


def test_a_share_of_one_thread_is_no_share_of_the_recording() -> None:
    assert {one.status for one in checks("`upload` makes up 100 % of `render` in total.")} == {"verified"}
    assert {one.status for one in checks("`upload` makes up 100 % of the recording in total.")} == {"contradicted"}
