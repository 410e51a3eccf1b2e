"""Numbers of results, for each connection."""

from server.agent.tools.contract.tool import Outcome
from server.edges.mcp.numbered_results import MOST_CALLERS, MOST_RESULTS, NumberedResults, ResultsByCaller
from tests.server.running_server import ANNA, BEN, person

OUTCOME = Outcome(text="1 row", data={"rows": []})


def test_the_newest_results_are_kept_and_numbers_never_come_again() -> None:
    results = NumberedResults()
    numbers = [results.keep("t1", "find_frames", {}, OUTCOME) for _ in range(MOST_RESULTS + 5)]
    assert numbers == list(range(1, MOST_RESULTS + 6))
    assert [kept.number for kept in results.of("t1")] == numbers[5:]
    assert results.of("t2") == ()


def test_each_caller_has_results_of_their_own() -> None:
    results = ResultsByCaller()
    number = results.of(ANNA).keep("t1", "find_frames", {}, OUTCOME)
    assert number >= 100_000
    assert results.of(BEN).of("t1") == ()
    assert len(results.of(ANNA).of("t1")) == 1


def test_those_of_the_callers_who_asked_longest_ago_are_gone() -> None:
    results = ResultsByCaller()
    results.of(ANNA).keep("t1", "find_frames", {}, OUTCOME)
    results.of(BEN).keep("t1", "find_frames", {}, OUTCOME)
    results.of(ANNA)
    for index in range(MOST_CALLERS - 1):
        results.of(person(f"caller {index}"))
    assert len(results.of(ANNA).of("t1")) == 1
    assert results.of(BEN).of("t1") == ()
