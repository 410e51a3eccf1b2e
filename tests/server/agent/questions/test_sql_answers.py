"""What is answered to SQL: each cell with what it measures, by the ending of its column."""

import pytest

from server.agent.questions.question_schema import SqlQuery
from server.agent.questions.sql_answers import sql_answer
from server.ports.traces import SqlColumnType, SqlRows


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        ("took_ns", {"value_ns": 7}),
        ("took_ms", {"value_ns": 7e6}),
        ("held_bytes", {"value_bytes": 7}),
        ("part_share", {"value_share": 7}),
        ("runs", {"value": 7}),
    ],
)
def test_a_number_is_of_what_its_column_ends_in(column: str, cell: dict[str, float]) -> None:
    rows = SqlRows(columns=(SqlColumnType(column, "BIGINT"),), rows=((7,),), more=False)
    answer = sql_answer(SqlQuery(form="sql", sql="SELECT 7"), rows)
    assert answer.data["rows"] == [[{"column": column, **cell}]]
