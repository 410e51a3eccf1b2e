"""Answers about queries to a database: what is asked of the first function that is one."""

from typing import Any

import pytest

from server.analyst.evidence import Evidence, Result
from server.analyst.forms import expression
from server.analyst.kinds.database_queries import queries, then_queries
from server.analyst.question import Intent, Question
from tests.server.analyst.written_answers import assert_answered, prompts_of

ASKED = Question(intent=Intent.QUERIES, text="Which queries are slow?")
OF_QUERIES = expression("frames_that_wait", "the database")
QUERY = {"handle": "f3", "name": "Statement.query", "total_share": 0.4, "total_value": 4e6, "self_value": 1e6}


def known(rows: list[dict[str, Any]], kind: str = "sampled") -> Evidence:
    profile = {"handle": "p0", "name": "main", "kind": kind, "unit": "nanoseconds"}
    return Evidence(
        ASKED.text,
        {},
        (
            Result("get_trace_summary", {}, {"default_profile": "p0", "profiles": [profile]}, "", failed=False),
            Result("find_frames", {"pattern": OF_QUERIES}, {"rows": rows}, "", failed=False),
        ),
    )


@pytest.mark.parametrize(("kind", "single_calls"), [("sampled", []), ("evented", ["get_longest_calls"])])
def test_callers_are_asked_for_and_single_calls_where_there_are_any(kind: str, single_calls: list[str]) -> None:
    calls = then_queries(ASKED, known([QUERY], kind))
    assert [name for name, _ in calls] == ["get_callers_callees", *single_calls]
    assert all({"f3", "Statement.query"} & {*map(str, arguments.values())} for _, arguments in calls)


def test_without_a_query_nothing_is_asked_and_that_is_said() -> None:
    assert then_queries(ASKED, known([])) == []
    assert queries(ASKED, known([]))[0].startswith("**No query and no request is recorded in this trace**")


@pytest.mark.parametrize(("module", "trace", "prompt"), prompts_of("database_queries"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)
