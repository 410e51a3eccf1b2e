"""Threads whose names are ordinary words, as a sentence has them: where it begins, and after `on`, `of` and `than`."""

import pytest

from server.agent.verification.answer_checks import checked
from server.agent.verification.facts import Facts
from tests.traces.insights.recorded import timeline

TRACE = timeline(
    [("scan", 0, 90), ("read_block", 0, 80), ("poll.wait", 90, 100)],
    [("upload", 0, 30), ("read_block", 0, 10), ("poll.wait", 30, 100)],
    names=('Thread 1 "scanner"', 'Thread 2 "uploader"'),
)


def statuses(sentence: str) -> set[str]:
    return {one.status for one in checked(TRACE, sentence, Facts(), "", ()).checks if one.kind != "name"}


@pytest.mark.parametrize(
    ("sentence", "status"),
    [
        ("`read_block` takes 80 ms of the uploader.", "contradicted"),
        ("`read_block` takes 10 ms on the uploader.", "verified"),
        ("uploader is the busiest thread.", "contradicted"),
        ("scanner waits longer than the uploader.", "contradicted"),
    ],
)
def test_a_thread_is_known_by_an_ordinary_word(sentence: str, status: str) -> None:
    assert statuses(sentence) == {status}


def test_waiting_is_compared_by_waiting_and_not_by_work() -> None:
    assert "verified" not in statuses("scanner waits as long as the uploader.")
    assert statuses("uploader waits longer than the scanner.") == {"derived"}


def test_a_word_elsewhere_and_a_functions_name_are_no_thread() -> None:
    assert statuses("The uploader code was written last year, and 80 ms is what `read_block` takes.") != {
        "contradicted"
    }
