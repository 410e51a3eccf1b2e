"""Sentences of writers who had never seen the checker: true ones once called wrong, right figures in false ones."""

import pytest

from evals.claims.known_facts import known_facts
from server.agent.verification.claims import claims_of
from server.agent.verification.recompute import Recomputation
from tests.server.agent.verification.test_more_than_figures import claims_of as checks_of

CPROFILE, HEAP, BOARD = "redact-documents.cprofile.prof", "session-cache.heapprofile.gz", "board.chrome-object.json.gz"
UFTRACE, PERF = "thumbnails.uftrace.json.gz", "thumbnails.linux-perf.txt.gz"


@pytest.mark.parametrize(
    ("trace", "sentence"),
    [
        (PERF, "`blur` alone lasts roughly 786 ms."),
        (PERF, "| `blur` | 11.0 ms itself | 786 ms including callees |"),
        (PERF, "Inside `main`, smoothing the pictures weighs about 786 ms."),
        (BOARD, "`measureColumns` takes 833 ms on the renderer's main thread, but 2 ms on the thread that compiles."),
        (CPROFILE, "`luhn_sum` takes gut 250 ms selbst."),
        (CPROFILE, "`random.choice` itself takes 37.7 ms."),
        (CPROFILE, "`builtins.ord` is called 1,397,585 times."),
        (CPROFILE, "`str.join` takes 128 ms with what it calls."),
    ],
)
def test_what_is_right_in_another_reading_is_not_called_wrong(trace: str, sentence: str) -> None:
    assert "contradicted" not in {one.status for one in checks_of(trace, sentence)}


@pytest.mark.parametrize(
    ("trace", "sentence"),
    [
        (PERF, "`blur` itself lasts roughly 786 ms."),
        (PERF, "| `blur` | 786 ms itself | 786 ms including callees |"),
        (CPROFILE, "`random.choice` itself takes 98.8 ms."),
        (HEAP, "`rememberSession` takes 21.5 ms by itself."),
        (UFTRACE, "`new_picture` is called only twice."),
        (UFTRACE, "`new_picture` wird dreimal aufgerufen."),
        (UFTRACE, "`new_picture` n'est appelée qu'une seule fois."),
        (BOARD, "`measureColumns`, with its 833 ms, is part of vendor.js."),
        (CPROFILE, "`choice` belongs to the file encoder.py."),
    ],
)
def test_what_the_trace_decides_otherwise_is_called_wrong(trace: str, sentence: str) -> None:
    assert "contradicted" in {one.status for one in checks_of(trace, sentence)}


@pytest.mark.parametrize(
    ("trace", "sentence"),
    [
        (UFTRACE, "`new_picture` is called six times."),
        (UFTRACE, "`new_picture` wird sechsmal aufgerufen."),
        (BOARD, "`measureColumns` is part of board.js."),
        (CPROFILE, "`choice` is defined in random.py."),
    ],
)
def test_what_the_trace_decides_so_holds(trace: str, sentence: str) -> None:
    assert {one.status for one in checks_of(trace, sentence)} == {"verified"}


@pytest.mark.parametrize(
    "further",
    [
        "so it is where almost all of the time is burned",
        "so that is the cause",
        "therefore the program is slow",
        "did the most actual work",
        "donc il faut l'optimiser",
    ],
)
def test_a_conclusion_from_a_right_figure_stays_open(further: str) -> None:
    found = checks_of(PERF, f"`checksum` takes 65 ms by itself, and {further}.")
    assert {"verified", "unchecked"} <= {one.status for one in found}


def test_samples_are_no_calls_whatever_they_add_up_to() -> None:
    (found,) = (one for one in checks_of(PERF, "`checksum` was called 65 times.") if one.kind != "name")
    assert (found.status, found.actual) == ("contradicted", "65 samples: calls were not counted")
    assert {one.status for one in checks_of(PERF, "`checksum` was called 66 times.")} == {"unchecked"}


def test_two_figures_of_one_unit_are_both_of_it() -> None:
    found = claims_of("It waits 83 of 86 seconds, and takes 3 or 5 MB.").numbers
    assert [mention.value for one in found for mention in one.mentions] == [83e9, 86e9, 3e6, 5e6]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("random.choice", "choice"),
        ("builtins.ord", "<built-in method builtins.ord>"),
        ("ord", "<built-in method builtins.ord>"),
        ("str.join", "<method 'join' of 'str' objects>"),
    ],
)
def test_a_name_may_have_its_module(written: str, name: str) -> None:
    trace = known_facts(CPROFILE).trace
    assert name in {trace.frame_name(frame) for frame in Recomputation(trace).frames(written)}


def test_a_module_that_it_is_not_of_is_no_name() -> None:
    assert not Recomputation(known_facts(CPROFILE).trace).frames("encoder.choice")


@pytest.mark.parametrize(
    ("sentence", "status"),
    [
        ("About 10.8 % of the time belongs to the file encoder.py.", "derived"),
        ("About 43 % of the time belongs to the file encoder.py.", "contradicted"),
        ("The json package takes 11 % itself, the module random.py 14 %.", "derived"),
        ("Half of it is not in the json package, which has 55 %.", "unchecked"),
    ],
)
def test_a_share_of_a_file_or_a_package_is_that_of_its_functions(sentence: str, status: str) -> None:
    figures = [one.status for one in checks_of(CPROFILE, sentence) if one.kind == "percentage"]
    assert set(figures) == {status}
