"""How the analyst writes figures, names and places."""

import pytest

from server.analyst.wording import coded, counted, in_calls, located, neighbours, noun, shortened, table, verb
from tests.server.analyst.written_answers import assert_answered
from tests.server.analyst.written_answers import prompts_of as answers_of

ROW = {"name": "work", "handle": "f2", "self_share": 0.25, "self_value": 2e6, "total_share": 0.5, "total_value": 4e6}


@pytest.mark.parametrize(
    ("count", "what", "written"), [(1, "calls", "1 call"), (2, "samples", "2 samples"), (1_200, "calls", "1,200 calls")]
)
def test_a_count_is_written_with_what_is_counted(count: int, what: str, written: str) -> None:
    assert counted({"count": count}, what) == written


def test_calls_are_written_where_there_were_several() -> None:
    assert in_calls({"count": 303}, "calls") == ", in 303 calls"
    assert in_calls({"count": 1}, "calls") == ""
    assert in_calls({"count": 303}, "samples") == ""
    assert in_calls({"count": None}, None) == ""


def test_a_table_has_a_row_a_function_and_a_bar_in_a_name_is_no_column() -> None:
    assert table([ROW, ROW | {"name": "a|b", "frame_handle": "f3"}], "nanoseconds").splitlines() == [
        "| function | self time | total time |",
        "|---|---:|---:|",
        "| [`work`](#f2) | 25.0% (2.00 ms) | 50.0% (4.00 ms) |",
        "| [`a\\|b`](#f3) | 25.0% (2.00 ms) | 50.0% (4.00 ms) |",
    ]
    assert (noun("bytes"), verb("bytes")) == ("memory", "allocated")
    assert (noun("count"), verb("count")) == ("weight", "counted")


def test_neighbours_are_two_sentences_also_where_there_are_none() -> None:
    around = {"frame": ROW, "callers": [ROW | {"name": "main", "handle": "f1", "value": 3e6}], "callees": []}
    first, second = neighbours(around, "nanoseconds").split(". ", 1)
    assert first.startswith("[`work`](#f2) is called from [`main`](#f1) (3.00 ms)")
    assert second == "It calls nothing else."
    others = [{"name": "others", "handle": None}]
    assert neighbours({"frame": ROW, "callers": others, "callees": others}, "nanoseconds") == (
        "Nothing calls [`work`](#f2). It calls nothing else."
    )


def test_a_place_is_written_with_its_line_and_a_long_path_by_its_end() -> None:
    assert located({}) == ""
    assert located({"file": "a.py"}) == " (`a.py`)"
    assert located({"file": "a.py", "line": 7}) == " (`a.py:7`)"
    assert located({"file": "d" * 60}) == f" (`{'d' * 60}`)"
    assert located({"file": "d" * 30 + "e" * 59}) == f" (`…{'e' * 59}`)"
    assert coded(" ` ") == "`'`"
    assert coded(" ") == "`(no name)`"


def test_a_sentence_that_is_cut_has_no_half_of_a_link() -> None:
    text = "Dropped at [657 ms](#q1.c168), " * 12
    assert shortened(text, 400) == text
    cut = shortened(text, 100)
    assert len(cut) == 100
    assert "(#" not in cut


@pytest.mark.parametrize(("module", "trace", "prompt"), answers_of("wording"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)
