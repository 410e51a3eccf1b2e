"""What a sentence says next to right figures, of calls between two functions, and by a profile's other values."""

import pytest

from evals.claims.known_facts import known_facts
from server.agent.verification.answer_checks import checked
from server.agent.verification.facts import Facts
from server.agent.verification.statements.measures import Measures
from server.agent.verification.statements.stack_relations import StackRelations
from server.agent.verification.statements.value_words import names_value
from server.protocol.wire_values import Check
from traces.edges import EVERYONE


def claims_of(trace: str, sentence: str) -> list[Check]:
    found = checked(known_facts(trace).trace, sentence, Facts(), "Is that so?", ()).checks
    return [one for one in found if one.kind != "name"]


UFTRACE, HEAP, PERF = "thumbnails.uftrace.json.gz", "settlement.go-heap.pb.gz", "thumbnails.linux-perf.txt.gz"


@pytest.mark.parametrize(
    ("sentence", "status"),
    [
        ("`blur` calls `new_picture` 2 times.", "verified"),
        ("`blur` calls `new_picture` 6 times.", "contradicted"),
        ("`new_picture` is called 2 times by `make_thumbnail`.", "verified"),
        ("`new_picture` is called 6 times by `blur`.", "contradicted"),
        ("`blur` ruft `new_picture` 2 Mal auf.", "verified"),
        ("`blur` ruft `new_picture` 6 Mal auf.", "contradicted"),
        ("`new_picture` est appelée 6 fois par `blur`.", "contradicted"),
        ("Of the 6 calls of `new_picture`, 2 come from `blur`.", "verified"),
        ("Of the 6 calls of `new_picture`, 5 come from `blur`.", "contradicted"),
        ("`blur` is responsible for 3 of the 6 calls to `new_picture`.", "contradicted"),
        ("`new_picture` is called 2 times per thumbnail by `blur`.", "unchecked"),
        ("`main` calls `new_picture` 6 times.", "unchecked"),
    ],
)
def test_how_often_one_function_calls_another_is_no_ones_own_count(sentence: str, status: str) -> None:
    of_calls = [one for one in claims_of(UFTRACE, sentence) if one.kind in ("number", "count")]
    assert status in {one.status for one in of_calls}
    assert status == "contradicted" or "contradicted" not in {one.status for one in of_calls}


CPROFILE, CALLGRIND = "redact-documents.cprofile.prof", "thumbnails.callgrind.out.gz"


@pytest.mark.parametrize(
    ("trace", "sentence", "status"),
    [
        (CALLGRIND, "`blur` calls `window_mean` 8,192 times.", "verified"),
        (CALLGRIND, "`blur` calls `window_mean` 8,193 times.", "contradicted"),
        (CPROFILE, "`_parse` calls `_parse_sub` 7 times.", "verified"),
        (CPROFILE, "`_parse` calls `_parse_sub` 8 times.", "contradicted"),
        (CPROFILE, "`choice` calls `_randbelow_with_getrandbits` 116,464 times.", "verified"),
        (CPROFILE, "`_parse_sub` is called 6 times by `parse`.", "verified"),
        (CPROFILE, "`_parse_sub` is called 13 times by `parse`.", "contradicted"),
    ],
)
def test_of_a_call_graph_the_file_says_how_often_one_calls_another(trace: str, sentence: str, status: str) -> None:
    of_calls = [one for one in claims_of(trace, sentence) if one.kind in ("number", "count")]
    assert {one.status for one in of_calls} == {status}


def test_who_calls_whom_is_known_from_the_file_also_where_no_path_has_it() -> None:
    trace = known_facts(CALLGRIND).trace
    relations = StackRelations(Measures(trace))
    in_paths = {
        (int(one.tree.frame[parent]), int(frame))
        for one in trace.profiles
        for frame, parent in zip(one.tree.frame.tolist(), one.tree.parent.tolist(), strict=True)
        if parent >= 0
    }
    edges = zip(trace.edges.caller.tolist(), trace.edges.callee.tolist(), strict=True)
    missing = [(a, b) for a, b in edges if a != EVERYONE and (a, b) not in in_paths]
    assert missing
    assert all(relations.calls((a,), (b,)) for a, b in missing)


@pytest.mark.parametrize(
    "further",
    [
        "comes last",
        "is the most expensive step",
        "never rests",
        "is only used by tests",
        "is explained by the team's wish to keep it readable",
        "would be four times as slow on a phone",
        "is about equally long each time",
        "s'explique par la mémoire",
        "wird nur von Tests benutzt",
        "more than drawing the rest",
    ],
)
def test_right_figures_do_not_make_the_rest_of_a_sentence_true(further: str) -> None:
    of_figure = claims_of(PERF, "`checksum` takes 65 ms by itself.")
    assert {one.status for one in of_figure} == {"verified"}
    of_more = claims_of(PERF, f"`checksum` takes 65 ms by itself and {further}.")
    assert any(one.kind == "relation" and one.status in ("unchecked", "contradicted") for one in of_more)


@pytest.mark.parametrize(
    ("sentence", "status"),
    [
        ("`main.makeTrades` allocated 95 MB over its life.", "verified"),
        ("`main.makeTrades` has allocated 99 MB over its life.", "contradicted"),
        ("`main.makeTrades` keeps 95 MB.", "unchecked"),
        ("`main.makeTrades` itself is behind 53 % of all allocations.", "verified"),
    ],
)
def test_a_figure_is_looked_up_by_every_value_of_the_profile(sentence: str, status: str) -> None:
    assert [one.status for one in claims_of(HEAP, sentence)] == [status]


@pytest.mark.parametrize(
    ("sentence", "status"),
    [
        ("Compared with `checksum`, `window_mean` is only 0.08× as heavy.", "contradicted"),
        ("Compared with `checksum`, `window_mean` is 12× as heavy.", "derived"),
        ("`checksum` costs 0.08× what `window_mean` costs.", "derived"),
        ("While `checksum` works, `window_mean` takes 12 times as long.", "derived"),
    ],
)
def test_a_ratio_has_its_base_where_the_sentence_puts_it(sentence: str, status: str) -> None:
    assert [one.status for one in claims_of(PERF, sentence) if one.kind == "ratio"] == [status]


def test_totals_that_stand_in_one_another_are_no_sum() -> None:
    claims = claims_of(
        PERF, "Together `make_thumbnail` (794 ms), `blur` (786 ms) and `window_mean` (780 ms) take 2.36 s."
    )
    assert claims[-1].status == "contradicted"
    assert "794 ms" in (claims[-1].actual or "")


def test_this_thread_is_the_one_that_is_shown() -> None:
    claims = claims_of(
        "startup.perfetto-trace.gz", "`V8PerIsolateData::Initialize` is the hottest function of this thread."
    )
    assert [one.status for one in claims] == ["contradicted"]


@pytest.mark.parametrize(
    ("text", "value", "is_named"),
    [
        ("allocated 95 MB", "alloc_space", True),
        ("requested 95 MB", "alloc_space", True),
        ("holds 95 MB", "alloc_space", False),
        ("allocated 95 objects", "alloc_objects", True),
        ("garde 2 Mo", "inuse_space", True),
        ("95 contentions", "contentions", True),
    ],
)
def test_a_value_is_named_by_each_part_of_its_name(text: str, value: str, is_named: bool) -> None:
    assert names_value(text, value) is is_named
