"""Figures of tool results: cells, rows, findings, groups of functions, changes between two recordings."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from server.agent.verification.facts import OF_MEMORY, OF_UNIT
from server.agent.verification.references.addressed_values import (
    GONE,
    NO_MEASURE,
    NOT_MEASURED,
    NOTHING,
    Unknown,
    Value,
    measured,
)
from server.agent.verification.references.addresses import FigureAddress
from server.agent.verification.references.figure_places import place_in
from server.agent.verification.references.result_figures import Cell, cells
from server.agent.verification.references.tool_results import FINDINGS_OF_A_RESULT, Conversation, ToolOutcome, data_of
from server.agent.verification.written_numbers import Dimension, mentions
from traces.model import Trace
from traces.values import Unit

VALUE = "value"
"""The column that a row is about, whatever it is called."""
ROW_KEYS = {
    "self": "self_value",
    "total": "total_value",
    "calls": "count",
    "samples": "count",
    "p50": "median",
    "max": "longest",
}
"""Keys of a result's rows that mean a measure, where they are not its own word."""


COLUMN_KEYS = {"self": VALUE, "total": VALUE, "self_share": VALUE, "total_share": VALUE, "calls": VALUE} | {
    "median": "middle",
    "reached": "found",
    "share": VALUE,
    "longest": "highest",
}
"""What columns of tables over recordings are called in a result's rows, without the unit."""
OVER_RECORDINGS = "ask_traces"
_CELL = re.compile(r"c[0-9]{1,12}")
_UNIT_AT_END = re.compile(r"_(?:ns|ms|bytes|count|share)\Z")


class ReturnedFigures:
    """Resolves what the results of a conversation returned. `frames_of` gives the function behind a row's handle.
    Raises TraceError for a handle that does not exist."""

    def __init__(
        self, trace: Trace, conversation: Conversation, frames_of: Callable[[str | None], frozenset[int]]
    ) -> None:
        self._trace = trace
        self._conversation = conversation
        self._frames_of = frames_of
        self._data: dict[int, dict[str, Any] | None] = {}
        self._cells: dict[str, list[Cell]] = {}

    def value(self, figure: FigureAddress) -> Value | Unknown:
        """The figure; its base is not looked at."""
        scope = figure.scope or ""
        if scope[:1] == "c":
            return self._change(figure)
        if scope[:1] in ("q", "i"):
            return self._row(figure)
        if figure.subject[0] == "g":
            return self._group(figure)
        if figure.measure[1:].isdigit() and figure.measure[0] == "c":
            return self._cell(figure)
        return self._finding(figure) if figure.subject[0] == "i" else NO_MEASURE

    def _result(self, number: int) -> tuple[ToolOutcome, dict[str, Any] | None] | Unknown:
        outcome = self._conversation.results.get(number)
        if outcome is None:
            return GONE
        if outcome.tool in OF_MEMORY:
            return NOT_MEASURED
        if number not in self._data:
            self._data[number] = data_of(self._trace, outcome)
        return outcome, self._data[number]

    def _part(self, thing: str) -> tuple[ToolOutcome, Any] | Unknown:
        """The data behind `q7` or `i702`."""
        number = int(thing[1:])
        found = self._result(number if thing[0] == "q" else number // FINDINGS_OF_A_RESULT)
        if isinstance(found, Unknown) or found[1] is None:
            return found if isinstance(found, Unknown) else GONE
        if thing[0] == "q":
            return found
        listed, place = found[1].get("insights") or [], number % FINDINGS_OF_A_RESULT
        return (found[0], listed[place - 1]) if 0 < place <= len(listed) else NOTHING

    def _cell(self, figure: FigureAddress) -> Value | Unknown:
        part = self._part(figure.subject)
        if isinstance(part, Unknown):
            return part
        if figure.subject not in self._cells:
            self._cells[figure.subject] = cells(part[1])
        found, place = self._cells[figure.subject], int(figure.measure[1:])
        return self._of_cell(part[0], found[place - 1], part[1]) if 0 < place <= len(found) else NOTHING

    def _of_cell(self, outcome: ToolOutcome, cell: Cell, within: Any) -> Value:
        about = f" of {cell.about}" if cell.about else ""
        what = f"{cell.key}{about} in result {outcome.number}, {outcome.tool}"
        frames = self._frames_of(cell.about)
        is_column = cell.key == "value" and cell.dimension is Dimension.COUNT
        place = place_in(self._trace, self._data.get(outcome.number) or {}, within, cell.about)
        return Value(
            cell.value,
            cell.dimension,
            what,
            frames,
            cell.half_digit,
            is_column=is_column,
            call=outcome.call,
            place=place,
        )

    def _finding(self, figure: FigureAddress) -> Value | Unknown:
        part = self._part(figure.subject)
        if isinstance(part, Unknown):
            return part
        outcome, row = part
        what = f"{measured(figure.measure)} of the finding {row.get('id', '')}" if figure.subject[0] == "i" else ""
        at = place_in(self._trace, {}, row, None)
        if figure.subject[0] == "i" and figure.measure == "saving" and row.get("share") is not None:
            return Value(100 * float(row["share"]), Dimension.SHARE, what, call=outcome.call, place=at)
        window = row.get("window") if figure.subject[0] == "i" else None
        if window and figure.measure in ("start", "end", "duration"):
            moments = window | {"duration": window["end"] - window["start"]}
            return Value(float(moments[figure.measure]), Dimension.TIME, what, call=outcome.call, place=at)
        return NO_MEASURE

    def _row(self, figure: FigureAddress) -> Value | Unknown:
        assert figure.scope is not None
        if figure.subject[0] != "r":
            return NOTHING
        part = self._part(figure.scope)
        place = int(figure.subject[1:])
        if isinstance(part, Unknown):
            stored = self._stored_cell(figure, place)
            return part if stored is None else stored
        outcome, data = part
        rows = _rows_of(data)
        if not 0 < place <= len(rows):
            return NOTHING
        row = rows[place - 1]
        column = _cell_number(figure.measure)
        if column is None:
            return self._named_cell(outcome, row, figure.measure, data.get("unit"))
        found = [cells([one]) for one in row] if isinstance(row, list) else [[one] for one in cells(row)]
        if not 0 < column <= len(found) or not found[column - 1]:
            return NOTHING
        return self._of_cell(outcome, found[column - 1][0], row)

    def _named_cell(self, outcome: ToolOutcome, row: Any, measure: str, unit: str | None) -> Value | Unknown:
        if isinstance(row, list):  # of a query: a column of that name
            named = [(str(cell["column"]).casefold(), one) for cell in row for one in cells([cell])]
        else:
            named = [(one.key, one) for one in cells({"unit": unit} | row)]
        alias = COLUMN_KEYS.get(measure) if outcome.tool == OVER_RECORDINGS else None
        exact = [one for name, one in named if name in (measure, ROW_KEYS.get(measure))]
        found = exact or [one for name, one in named if _without_unit(name) in (measure, alias)]
        if not found and measure == VALUE and named:  # whatever the row measures: its last figure
            found = [named[-1][1]]
        return self._of_cell(outcome, found[0], row) if found else NO_MEASURE

    def _stored_cell(self, figure: FigureAddress, place: int) -> Value | None:
        """A cell of a stored table, with the precision that it was shown with."""
        assert figure.scope is not None
        outcome = self._conversation.results.get(int(figure.scope[1:])) if figure.scope[0] == "q" else None
        if outcome is None or outcome.rows is None or not 0 < place <= len(outcome.rows):
            return None
        number = _cell_number(figure.measure)
        column = _column_of(figure.measure, outcome.columns) if number is None else number
        if not 0 < column <= len(outcome.rows[place - 1]):
            return None
        written = next(mentions(str(outcome.rows[place - 1][column - 1])), None)
        what = f"row {place} of result {outcome.number}, {outcome.tool}"
        if written is None:
            return None
        return Value(written.value, written.dimension, what, half_digit=written.half_digit, call=outcome.call)

    def _group(self, figure: FigureAddress) -> Value | Unknown:
        if figure.scope is not None:
            return NOTHING
        found = self._result(int(figure.subject[1:]))
        if isinstance(found, Unknown):
            return found
        outcome, data = found
        key = ROW_KEYS.get(figure.measure, figure.measure)
        if data is None or not isinstance(data.get(key), int | float) or data.get("unit") not in set(Unit):
            return NO_MEASURE
        what = f"{measured(figure.measure)} of {figure.subject}"
        place = place_in(self._trace, data, data, None)
        return Value(float(data[key]), OF_UNIT[Unit(data["unit"])], what, call=outcome.call, place=place)

    def _change(self, figure: FigureAddress) -> Value | Unknown:
        """How much a function changed: a difference, or in percent of what it was before."""
        assert figure.scope is not None
        found = self._result(int(figure.scope[1:]))
        if isinstance(found, Unknown):
            return found
        outcome, data = found
        if data is None:
            return GONE
        key = ROW_KEYS.get(figure.measure)
        row = next((one for one in data.get("rows", []) if one.get("handle") == figure.subject), None)
        if row is None or key is None or "change" not in row or key not in row["change"]:
            return NO_MEASURE
        what = f"change of {figure.measure} of {figure.subject} in {figure.scope}"
        frames = self._frames_of(figure.subject)
        change, before = float(row["change"][key]), float(row["before"][key])
        unit = OF_UNIT[Unit(data["unit"])]
        return Value(change, unit, what, frames, scope_total=before or None, is_change=True, call=outcome.call)


def _cell_number(measure: str) -> int | None:
    """Of `c2`; None for the name of a column."""
    return int(measure[1:]) if _CELL.fullmatch(measure) else None


def _without_unit(key: str) -> str:
    return _UNIT_AT_END.sub("", key)


def _column_of(name: str, columns: Sequence[str]) -> int:
    """The number of a column by its name, as a table shows it; `value` is the last one. 0 for none."""
    shown = [re.sub(r"\W+", "_", column.casefold()).strip("_") for column in columns]
    for place, column in enumerate(shown, 1):
        if name in (column, _without_unit(column)):
            return place
    return len(shown) if name == VALUE else 0


def _rows_of(data: dict[str, Any]) -> list[Any]:
    """The rows of a result: its first list of rows."""
    named = [data[key] for key in ("rows", "insights", "profiles") if isinstance(data.get(key), list)]
    lists = named or [one for one in data.values() if isinstance(one, list) and one and isinstance(one[0], dict)]
    return lists[0] if lists else []
