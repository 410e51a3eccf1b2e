"""Numbers that know their address: what keeps it, what makes a formula of two, and what loses it."""

import pytest

from server.agent.verification.references.addresses import Address, parse_address
from server.analyst.figures import WINDOW, Count, Figure, linked, referenced, remainder
from tests.server.analyst.written_answers import assert_answered
from tests.server.analyst.written_answers import prompts_of as answers_of

SELF, OTHER = Figure(3e6, "f1.self"), Figure(2e6, "f2.self")


@pytest.mark.parametrize(
    ("value", "address"),
    [
        (SELF, "f1.self"),
        (SELF / 1e6, "f1.self"),
        (SELF * 1_000_000, "f1.self"),
        (abs(SELF), "f1.self"),
        (sum([SELF]), "f1.self"),
        (max(SELF, OTHER), "f1.self"),
        (SELF + OTHER, "f1.self+f2.self"),
        (SELF - OTHER, "f1.self-f2.self"),
        (SELF / OTHER, "f1.self/f2.self"),
        (SELF / Count(4, "f1.calls"), "f1.self/f1.calls"),
        (Count(4, "q1.c2") / 1e6, "q1.c2"),
        (Figure(0.5, "p0.idle/p0") + Figure(0.1, "p1.idle/p1"), "p0.idle/p0+p1.idle/p1"),
    ],
)
def test_an_address_is_kept_or_joined(value: float, address: str) -> None:
    assert linked("3", value) == f"[3](#{address})"
    assert isinstance(parse_address(address), Address)


@pytest.mark.parametrize(
    "value", [SELF * 0.5, SELF / 3, 1 - SELF, SELF + OTHER + SELF, (SELF / OTHER) / OTHER, round(SELF, 3), SELF + 1]
)
def test_what_is_something_else_has_none(value: float) -> None:
    assert linked("3", value) == "3"


def test_a_count_is_a_link_in_a_text() -> None:
    assert f"{Count(4500, 'f1.calls'):,} calls" == "[4,500](#f1.calls) calls"


def test_rows_of_functions_have_addresses_of_the_trace_in_the_scope_of_their_result() -> None:
    row = {"handle": "f2", "name": "parse", "line": 7, "self_value": 6.0, "self_share": 0.6, "count": 3}
    data = {"profile": "p1", "unit": "nanoseconds", "counted": "calls", "rows": [row]}

    def of(arguments: dict[str, object], **other: object) -> list[str]:
        (found,) = referenced(data | other, 7, "get_top_functions", arguments)["rows"]
        assert found["line"] == 7
        assert not isinstance(found["line"], Count)
        return [found[key].address for key in ("self_value", "self_share", "count")]

    assert of({}) == ["f2.self", "f2.self/p1", "f2.calls"]
    assert of({"profile": "p1"}) == ["p1.f2.self", "p1.f2.self/p1", "p1.f2.calls"]
    assert of({"profile": "all"}, profile="all") == ["t.f2.self", "t.f2.self/t", "t.f2.calls"]
    assert of({"my_code": True}) == ["w7.f2.self", "w7.f2.self/w7", "w7.f2.calls"]
    windowed = referenced(data, 7, "get_top_functions", {"start_time_ms": 1.0, "end_time_ms": 2.0})
    assert [figure.address for figure in windowed[WINDOW]] == ["w7.start", "w7.end"]


def test_sentences_and_findings_have_their_own_numbers() -> None:
    data = {"insights": [{"id": "a", "template": "{0} takes 3 ms (40%)", "share": 0.4}], "passed": 2}
    found = referenced(data, 3, "get_insights", {})
    assert found["insights"][0]["template"] == "{0} takes [3 ms](#i301.c1) ([40%](#i301.c2))"
    assert found["insights"][0]["share"].address == "i301.c3"


def test_what_a_part_leaves_has_the_addresses_of_total_and_part() -> None:
    left, share = remainder(Figure(3e6, "f1.total"), Figure(0.75, "f1.total/p0"))
    assert (float(left), float(share)) == (1e6, 0.25)
    assert linked("1 ms", left) == "[1 ms](#p0.total-f1.total)"
    assert linked("25 %", share) == "[25 %](#p0.total/p0-f1.total/p0)"
    assert isinstance(parse_address("p0.total/p0-f1.total/p0"), Address)
    assert linked("1 ms", remainder(3e6, 0.75)[0]) == "1 ms"


@pytest.mark.parametrize(("module", "trace", "prompt"), answers_of("figures"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)
