"""What is answered to SQL: its rows as they are, and a chart where they have one text and one number."""

from typing import Any

from server.agent.questions.question_schema import SqlQuery, as_json
from server.agent.questions.run_answers import LABEL_CHARACTERS, RunsAnswer
from server.ports.traces import SqlColumnType, SqlRows
from server.quoting import plain

Cell = str | int | float | bool | None
CELL_CHARACTERS = 200
CHARTED = 200
"""Points: more are no chart that anybody reads."""
TRACE = "trace"
"""A column of this name has ids of recordings: a point leads to its own."""


def sql_answer(question: SqlQuery, found: SqlRows, notes: tuple[str, ...] = ()) -> RunsAnswer:
    """The rows of a query."""
    count = len(found.rows)
    more = "More than " if found.more else ""
    said = (*notes, *([found.note] if found.note else []))
    if found.more:
        said = (*said, "The rest was not read: aggregate, or LIMIT.")
    data: dict[str, Any] = {
        "columns": [column.name for column in found.columns],
        "row_count": count,
        "more": found.more,
        "rows": [_cells(found.columns, row) for row in found.rows],
    }
    return RunsAnswer(
        as_json(question),
        f"**{more}{count:,} {'row' if count == 1 else 'rows'}.**",
        said,
        data,
        tuple(plain(column.name, CELL_CHARACTERS) for column in found.columns),
        tuple(tuple(_text(cell) for cell in row) for row in found.rows),
        _chart(found),
    )


def _cells(columns: tuple[SqlColumnType, ...], row: tuple[Cell, ...]) -> list[dict[str, Any]]:
    """With what each measures, as answers are verified against it."""
    return [_cell(column.name, cell) for column, cell in zip(columns, row, strict=True)]


def _cell(column: str, cell: Cell) -> dict[str, Any]:
    if isinstance(cell, str):
        return {"column": column, "name": cell}
    if _is_number(cell) and column.endswith(("_ms", "_ns")):
        return {"column": column, "value_ns": cell * (1e6 if column.endswith("_ms") else 1)}  # type: ignore[operator]
    if _is_number(cell) and column.endswith("_bytes"):
        return {"column": column, "value_bytes": cell}
    if _is_number(cell) and column.endswith("_share"):
        return {"column": column, "value_share": cell}
    return {"column": column, "value": cell}


def _text(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float):
        return f"{cell:,.6g}"
    return plain(str(cell), CELL_CHARACTERS)


def _is_number(cell: Cell) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def _chart(found: SqlRows) -> dict[str, Any]:
    """Bars, where one column is a text (or a time) and one a number; with recordings' ids."""
    names = [column.name for column in found.columns]
    trace = names.index(TRACE) if TRACE in names else None
    others = [place for place in range(len(names)) if place != trace]
    numbers = [place for place in others if _column_is_number(found, place)]
    texts = [place for place in others if place not in numbers]
    if len(numbers) != 1 or len(texts) > 1 or not found.rows or (not texts and trace is None):
        return {}
    label = texts[0] if texts else trace
    assert label is not None
    points: list[dict[str, Any]] = []
    for row in found.rows[:CHARTED]:
        if row[numbers[0]] is not None:
            point = {"label": plain(str(row[label]), LABEL_CHARACTERS), "value": row[numbers[0]]}
            points.append(point | ({} if trace is None else {"traceId": str(row[trace])}))
    column = names[numbers[0]]
    of_time = {"_ms": 1e6, "_ns": 1.0}.get(column[-3:])
    if of_time is not None:
        points = [one | {"value": one["value"] * of_time} for one in points]
    unit = "nanoseconds" if of_time is not None else "share" if column.endswith("share") else "number"
    is_time = bool(texts) and found.columns[texts[0]].type.startswith(("TIMESTAMP", "DATE"))
    return {"kind": "line" if is_time else "bars", "unit": unit, "points": points}


def _column_is_number(found: SqlRows, place: int) -> bool:
    cells = [row[place] for row in found.rows if row[place] is not None]
    return bool(cells) and all(map(_is_number, cells))
