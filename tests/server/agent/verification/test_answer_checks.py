"""An answer verified against the tool results: what holds, what is contradicted, what is no claim."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import ToolMessage

from server.agent.tools.get_top_functions import TopFunctions, answer_top_functions
from server.agent.verification.answer_checks import checked
from server.agent.verification.citations import resolve_citations
from server.agent.verification.facts import gathered
from server.agent.verification.statements.agreement import SLIPPED
from server.agent.verification.written_numbers import Dimension, mentions
from server.protocol.wire_values import Check
from tests.server.agent.turns import HOSTILE, MS, small_trace


def checks_of(answer: str, *, question: str = "Why is this slow?", hostile: bool = False) -> list[Check]:
    """The checks of an answer after one call of get_top_functions over the small trace."""
    trace = small_trace(hostile=hostile)
    outcome = answer_top_functions(trace, TopFunctions())
    result = ToolMessage(outcome.text, tool_call_id="call_1", artifact={"data": outcome.data, "arguments": {}})
    return list(checked(trace, answer, gathered([result], {}), question, ["get_top_functions"]).checks)


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        ("600 ms", "verified"),
        ("0.6 s", "verified"),
        ("600,000 µs", "verified"),
        ("60.0%", "verified"),
        ("60%", "verified"),
        ("60 percent", "verified"),
        ("61%", "contradicted"),
        ("1.0 s", "contradicted"),
        ("about 590 ms", "derived"),
        ("about 400 ms", "contradicted"),
        ("600 MB", "contradicted"),
        ("12,345 calls", "unchecked"),
    ],
)
def test_a_figure_of_a_function_is_verified_by_its_value_its_rounding_or_its_share(claim: str, status: str) -> None:
    (_, check) = checks_of(f"`parse_json` takes {claim}.")
    assert check.status == status
    assert check.tool_call_id == ("call_1" if status in ("verified", "derived") else None)
    assert (check.actual is not None) is (status == "contradicted")


@pytest.mark.parametrize("claim", ["600 ms", "61%", "1.2 s", "12,345 calls"])
def test_a_figure_of_nothing_in_particular_is_not_called_right(claim: str) -> None:
    (check,) = checks_of(f"It takes {claim} here.")
    assert check.status == "unchecked"


def test_offsets_point_at_the_claim_in_the_answer() -> None:
    answer = "First, [`parse_json`](#f2) takes 600 ms; then `draw` takes 31%."
    found = checks_of(answer)
    assert [answer[check.start : check.end] for check in found] == ["parse_json", "600 ms", "draw", "31%"]
    assert [check.status for check in found] == ["verified", "verified", "verified", "contradicted"]
    assert [check.kind for check in found] == ["name", "number", "name", "percentage"]


@pytest.mark.parametrize(
    "text",
    [
        "The three heaviest are below.",
        "Look at the 5 widest boxes.",
        "1. First\n2. Second",
        "See `get_top_functions` and `--cpu-prof`.",
        "Set `OPENAI_API_KEY`.",
        "```\nsleep(9999)\n```",
        "[the parser](#f2)",
    ],
)
def test_what_claims_nothing_is_not_checked(text: str) -> None:
    assert checks_of(text) == []


def test_a_function_nobody_returned_is_not_found() -> None:
    (check,) = checks_of("It is `XmlReader.readAll` that is slow.")
    assert (check.kind, check.status, check.claim) == ("name", "not_found", "XmlReader.readAll")


@pytest.mark.parametrize("citation", ["[`parse_json`](f99)", "[`draw`](#f2)"])
def test_a_citation_of_nothing_or_of_something_else_is_not_found(citation: str) -> None:
    (check,) = checks_of(f"{citation} is slow")
    assert check.status == "not_found"


def test_numbers_of_the_question_are_not_claims() -> None:
    assert checks_of("A frame of 16.6 ms is missed.", question="Why do we miss 16.6 ms?") == []


def test_a_number_inside_a_function_name_proves_nothing() -> None:
    assert "99.9%" in HOSTILE
    (check,) = checks_of("It takes 99.9%.", hostile=True)
    assert check.status == "unchecked"


def test_citations_resolve_with_and_without_a_hash_and_only_when_they_exist() -> None:
    answer = (
        "[`parse_json`](#f2), [draw](f3), main (#f0), [`MainThread`](#p0), [x](#n1), [gone](#f77), [`f(a)[0]`](#f1)"
    )
    found = resolve_citations(small_trace(), answer)
    assert [one.citation.handle for one in found] == ["f2", "f3", "f0", "p0", "n1", "f1"]
    assert [one.citation.name for one in found] == ["parse_json", "draw", "main", "MainThread", "load", "load"]
    assert (found[0].citation.file, found[0].citation.line) == ("json/decoder.py", 120)
    assert found[0].citation.engine_version


@pytest.mark.parametrize(
    ("text", "value", "dimension"),
    [
        ("3 min 12 s", 192e9, Dimension.TIME),
        ("1.5 GiB", 1.5 * 2**30, Dimension.BYTES),
        ("2 seconds", 2e9, Dimension.TIME),
        ("1,234", 1234, Dimension.COUNT),
        ("<0.1%", 0.1, Dimension.SHARE),
    ],
)
def test_numbers_are_read_as_people_write_them(text: str, value: float, dimension: Dimension) -> None:
    (mention,) = mentions(f"took {text}, so")
    assert mention.value == pytest.approx(value)
    assert mention.dimension is dimension


@pytest.mark.parametrize("text", ["f12", "utf8", "v3.11.2", "parse2", "a1b2", "main.c:30"])
def test_numbers_that_belong_to_a_word_are_not_numbers(text: str) -> None:
    assert list(mentions(text)) == []


@pytest.mark.parametrize(
    ("answer", "statuses"),
    [
        ("`parse_json` takes 600 ms, 2.4x as long as `draw` (250 ms)", {"600 ms": "verified", "2.4x": "derived"}),
        ("`parse_json` takes 600 ms, 3.4x as long as `draw` (250 ms)", {"3.4x": "contradicted"}),
        ("`parse_json` takes twice as long as `draw`", {"twice": "contradicted"}),
        ("`parse_json` and `draw` together take 850 ms, 85%", {"850 ms": "derived", "85%": "derived"}),
        ("`draw` takes 350 ms less than `parse_json`", {"350 ms": "derived"}),
        ("`draw` takes a quarter of the time", {"a quarter": "verified"}),
        ("`draw` takes half of the time", {"half": "contradicted"}),
        ("`parse_json` takes more than half of it", {"half": "derived"}),
        ("`parse_json` takes over 50%", {"50%": "derived"}),
        ("`parse_json` takes over 70%", {"70%": "contradicted"}),
        ("It was called 14 times", {"14": "unchecked"}),
        ("`parse_json` runs between 0 ms and 600 ms", {"0 ms and 600 ms": "verified"}),
        ("`draw` begins at 600 ms", {"600 ms": "verified"}),
        ("`draw` begins at 640 ms", {"640 ms": "contradicted"}),
        ("The top 2 functions add up to 85%", {"85%": "derived"}),
        ("Of the 600 ms in `parse_json`, by half would be 300 ms", {"600 ms": "verified", "300 ms": "derived"}),
    ],
)
def test_what_follows_from_neighbouring_figures_is_derived_and_says_how(answer: str, statuses: dict[str, str]) -> None:
    found = {check.claim: check for check in checks_of(answer)}
    assert {claim: found[claim].status for claim in statuses} == statuses
    assert all(check.how for check in found.values() if check.status == "derived")


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("600 ms", "number"),
        ("60%", "percentage"),
        ("3x faster", "ratio"),
        ("three times as long", "ratio"),
        ("14 calls", "count"),
        ("×14", "count"),
        ("`draw`", "name"),
        ("between 1 s and 2 s", "window"),
        ("from 100 to 250 ms", "window"),
    ],
)
def test_a_claim_has_its_kind(answer: str, kind: str) -> None:
    (check,) = checks_of(f"It says {answer} here")
    assert check.kind == kind


def test_one_functions_figure_does_not_prove_anothers() -> None:
    (name, check) = checks_of("`draw` takes 60% of the time.")
    assert (name.status, check.status) == ("verified", "contradicted")
    row, other = (checks_of(f"| `parse_json` | {share} |")[-1] for share in ("60%", "25%"))
    assert (row.status, other.status) == ("verified", "contradicted")


def test_a_function_that_no_tool_returned_is_looked_up_in_the_trace() -> None:
    trace = small_trace()
    found = checked(trace, "`draw` takes 250 ms itself, and `load` 600 ms.", gathered([], {}), "", []).checks
    assert [(check.claim, check.status) for check in found] == [
        ("draw", "verified"),
        ("250 ms", "verified"),
        ("load", "verified"),
        ("600 ms", "verified"),
    ]
    assert found[1].how == "self value of f3 in p0"


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ("`parse_json` is slow because `load` calls it", "unchecked"),
        ("`parse_json` is slow because of `main`", "unchecked"),
        ("`main` leads to [`parse_json`](#f2)", "unchecked"),
        ("`draw` is slow because of `parse_json`", "contradicted"),
        ("[`draw`](#f3) is caused by [`load`](#f1)", "contradicted"),
    ],
)
def test_a_cause_off_every_path_is_contradicted_and_a_path_alone_proves_none(answer: str, status: str) -> None:
    (cause,) = [check for check in checks_of(answer) if check.kind == "cause"]
    assert cause.status == status


@pytest.mark.parametrize(
    "text",
    [
        "line 42, app.py:9, lines 30 to 35",
        "Python 3.11, Node 20, version 2.5, HTTP 404, port 8080",
        "on 2026-01-02 at 10:30, 21 November 2026",
        "step 3, top 20, the 99th percentile, p99, 64-bit",
        "fib35, h264, utf8, O(n^2), O(100)",
        "Cache it with `functools.lru_cache`, or use `numpy`.",
        "17. Seventeenth",
    ],
)
def test_digits_that_measure_nothing_are_no_claims(text: str) -> None:
    assert checks_of(text) == []


WAYS = st.sampled_from([(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")])


@given(
    which=st.sampled_from([("parse_json", 600), ("draw", 250), ("load", 600), ("main", 1000)]),
    way=WAYS,
    digits=st.integers(0, 4),
    off=st.sampled_from([0.0, 0.02, -0.03, 0.11]),
)
def test_any_rounding_in_any_unit_is_verified_and_another_value_is_not(
    which: tuple[str, int], way: tuple[float, str], digits: int, off: float
) -> None:
    name, ms = which
    size, unit = way
    said = ms * MS * (1 + off) / size
    written = f"{said:,.{digits}f}"
    precise = 0.5 * 10**-digits * size < 0.005 * ms * MS
    (claim,) = [check for check in checks_of(f"`{name}` takes {written} {unit} there") if check.kind == "number"]
    if off == 0.0:
        assert claim.status == "verified" or float(written.replace(",", "")) == 0
    elif precise and abs(off) > SLIPPED:
        assert claim.status == "contradicted"


@given(
    which=st.sampled_from([("parse_json", 60.0), ("draw", 25.0), ("main", 15.0), ("main", 100.0)]),
    digits=st.integers(0, 3),
    off=st.sampled_from([0.0, 1.4, -2.3]),
)
def test_a_share_is_verified_as_written_and_not_when_it_is_another(
    which: tuple[str, float], digits: int, off: float
) -> None:
    name, share = which
    (claim,) = [check for check in checks_of(f"`{name}` takes {share + off:.{digits}f}%") if check.kind == "percentage"]
    nearly = abs(off) <= SLIPPED * (share + abs(off)) or abs(off) <= 0.5 * 10**-digits + 1e-9
    if off == 0.0 or not nearly:
        assert claim.status == ("verified" if off == 0.0 else "contradicted")


def test_names_and_figures_belong_to_their_own_sentence() -> None:
    answer = "### Why\n`parse_json` takes 600 ms. `draw` takes 600 ms.\n\n1. `draw`: 250 ms\n2. `parse_json`: 250 ms"
    found = [check.status for check in checks_of(answer) if check.kind == "number"]
    assert found == ["verified", "contradicted", "verified", "contradicted"]


@pytest.mark.parametrize(
    ("answer", "claim", "status"),
    [
        ("Without `parse_json` it would be 2.5x faster", "2.5x", "derived"),
        ("Without `parse_json` it would be 4x faster", "4x", "unchecked"),
        ("`parse_json` takes 600 ms. The next, `draw`, is 2.4x cheaper.", "2.4x", "derived"),
        ("1. `parse_json`: 600 ms\n2. `draw`: 250 ms\n\nTogether they save 850 ms.", "850 ms", "derived"),
        ("1. `parse_json`: 600 ms\n2. `draw`: 250 ms\n\nTogether they save 950 ms.", "950 ms", "unchecked"),
    ],
)
def test_what_follows_from_the_sentences_before_is_derived_too(answer: str, claim: str, status: str) -> None:
    (check,) = [one for one in checks_of(answer) if one.claim == claim]
    assert check.status == status


@pytest.mark.parametrize("text", ["Replace it by `datetime.fromisoformat`.", "Index them in a `dict` by product."])
def test_what_an_answer_recommends_in_place_is_no_claim(text: str) -> None:
    assert checks_of(text) == []


def test_part_of_a_profiles_name_is_that_profile() -> None:
    row = {"handle": "p3", "name": 'Thread 19 "http-4"', "unit": "nanoseconds", "total": 1e9}
    facts = gathered([], {"profiles": [row]})
    (check, other) = checked(small_trace(), "It is `http-4`, not `http-44`.", facts, "", []).checks
    assert (check.status, other.status) == ("verified", "not_found")


def test_a_fraction_of_no_function_is_the_share_of_the_sentence_before() -> None:
    *_, fraction = checks_of("`parse_json` has 60.0% of it. More than half of the time is lost there.")
    assert (fraction.kind, fraction.status) == ("ratio", "derived")
    assert fraction.how == "60.0% (self share of f2 in p0)"
