"""Points in time and requests that a recording names, where no function is called so."""

from typing import Any

from server.analyst.evidence import Evidence, Result
from server.analyst.kinds.marked_moments import marked, said_of_marks
from server.analyst.question import Intent, Question


def cell(column: str, value: Any) -> dict[str, Any]:
    key = "name" if column in ("name", "profile", "url", "found_in") else "value_ns"
    return {"column": column, key: value}


def answer_of(question: Question, **rows: list[dict[str, Any]]) -> str:
    """What is written where the queries that hold these words have these rows."""
    none = [Result("find_frames", {"pattern": name}, {"rows": []}, "", failed=False) for name in question.names]
    evidence = Evidence(question.text, {}, tuple(none))
    asked = [
        Result(
            tool, arguments, {"rows": [row for key, row in rows.items() if key in arguments["sql"]]}, "", failed=False
        )
        for tool, arguments in marked(question, evidence)
    ]
    return said_of_marks(question, Evidence(question.text, {}, (*none, *asked)))


def mark(name: str, at: float) -> list[dict[str, Any]]:
    count = {"column": "marks", "value": 1}
    return [cell("name", name), cell("profile", "p0"), cell("at_ms", at), {"column": "dur_ms"}, count]


def test_the_time_between_two_marks_is_from_the_earlier_one() -> None:
    names = ("cells fitted", "grid drawn")
    question = Question(intent=Intent.TWO_FUNCTIONS, text="time between `cells fitted` and `grid drawn`", names=names)
    text = answer_of(question, cells=mark("cells fitted", 1.99e9), grid=mark("grid drawn", 1.14e9))
    assert text == "**From `grid drawn`, marked at 1.14 s, to `cells fitted`, at 1.99 s, it is 850 ms.**"
    assert "it is" not in answer_of(question, grid=mark("grid drawn", 1.14e9))


def test_a_file_that_no_function_lies_in_is_looked_for_among_the_requests() -> None:
    question = Question(intent=Intent.GROUP, text="why is slow-words.js late", names=("slow-words.js",))
    request = [cell("url", "https://a.example/slow-words.js"), cell("start_ms", 149e6), cell("dur_ms", 984e6)]
    request += [cell("server_ms", 923e6), cell("found_in", "https://a.example/")]
    text = answer_of(question, requests=request)
    assert text.startswith(
        "**`https://a.example/slow-words.js` was requested from 149 ms on and took 984 ms**, 923 ms of"
    )
    assert text.endswith("It was found in `https://a.example/`.")
    assert answer_of(question) == ""
    assert marked(Question(intent=Intent.GROUP, text="slow words", names=("words",)), Evidence("", {}, ())) == []
