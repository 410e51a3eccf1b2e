"""The rows of a query as the model reads them: all of few, of many a summary of each column and the worst rows.

Given 200 rows a model repeats rows; given a summary it finds what is odd.
"""

import math
import re
from collections import Counter

from server.ports.traces import SqlRows
from server.quoting import plain, quoted
from traces.analysis.units import format_value
from traces.values import Unit

Cell = str | int | float | bool | None

FEW = 20
"""Rows that are all shown."""

WORST = 10
"""Rows shown of many: those that are largest in the last measured column."""

MOST_TEXT = 80
TOP_TEXTS = 3
MOST_COLUMNS = 24
PERCENTILES = (0, 50, 95, 100)

_PLAIN_NAME = re.compile(r"[A-Za-z_]\w{0,39}")


def summarised(found: SqlRows) -> str:
    """The rows in words. Raises ValueError, TypeError or ArithmeticError for values that cannot be formatted."""
    names = [column.name for column in found.columns]
    shown = names[:MOST_COLUMNS]
    count = f"more than {len(found.rows):,} rows (the rest was not read: aggregate)" if found.more else _rows(found)
    lines = [f"{count}; columns: {', '.join(map(column_name, shown))}"]
    if len(names) > MOST_COLUMNS:
        lines.append(f"… {len(names) - MOST_COLUMNS} more columns: select fewer")
    if len(found.rows) <= FEW:
        return "\n".join([*lines, *(_line(shown, row) for row in found.rows)])
    columns = [[row[index] for row in found.rows] for index in range(len(shown))]
    lines += [_column(name, cells) for name, cells in zip(shown, columns, strict=True)]
    by = _measured(shown, columns)
    if by is None:
        lines.append(f"the first {WORST} rows:")
        worst = list(found.rows[:WORST])
    else:
        lines.append(f"the {WORST} rows with the largest {column_name(shown[by])}:")
        worst = sorted(found.rows, key=lambda row: -_number(row[by]))[:WORST]
    return "\n".join([*lines, *(_line(shown, row) for row in worst)])


def _rows(found: SqlRows) -> str:
    return "1 row" if len(found.rows) == 1 else f"{len(found.rows):,} rows"


def _line(names: list[str], row: tuple[Cell, ...]) -> str:
    return " | ".join(_cell(name, cell) for name, cell in zip(names, row, strict=False))


def _column(name: str, cells: list[Cell]) -> str:
    present = [cell for cell in cells if cell is not None]
    numbers = sorted(float(cell) for cell in present if isinstance(cell, int | float) and not isinstance(cell, bool))
    nothing = f", {len(cells) - len(present)} NULL" if len(present) < len(cells) else ""
    if numbers and len(numbers) == len(present):
        least, median, high, most = (_cell(name, _percentile(numbers, at)) for at in PERCENTILES)
        total = _cell(name, math.fsum(numbers))
        return f"{column_name(name)}: {least} to {most}, median {median}, p95 {high}, sum {total}{nothing}"
    common = Counter(map(str, present)).most_common(TOP_TEXTS)
    texts = ", ".join(f"{quoted(text, MOST_TEXT)} ×{times}" for text, times in common)
    return f"{column_name(name)}: {len(set(map(str, present)))} different, most often {texts}{nothing}"


def _percentile(numbers: list[float], at: int) -> float:
    """Nearest rank: a value that occurs."""
    return numbers[max(math.ceil(len(numbers) * at / 100) - 1, 0)]


def _measured(names: list[str], columns: list[list[Cell]]) -> int | None:
    """The column by which rows are worst: the last of times, else the last of numbers."""
    numeric = [i for i, cells in enumerate(columns) if any(_is_number(cell) for cell in cells)]
    times = [i for i in numeric if names[i].endswith(("_ms", "_ns"))]
    return next(reversed(times or numeric), None)


def _is_number(cell: Cell) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def _number(cell: Cell) -> float:
    return float(cell) if isinstance(cell, int | float) else -math.inf


def column_name(name: str) -> str:
    """As it is written when it is a plain word; otherwise quoted, as it may come from the trace (a pivot's)."""
    return name if _PLAIN_NAME.fullmatch(name) else quoted(name, 40)


def _cell(name: str, cell: Cell) -> str:
    return quoted(cell, MOST_TEXT) if isinstance(cell, str) and not _is_handle(cell) else str(cell_text(name, cell))


def _is_handle(text: str) -> bool:
    return re.fullmatch(r"[fpns]\d{1,12}", text) is not None


def cell_text(name: str, cell: Cell) -> str | int | float | None:
    """A cell as people read it: times with their unit, texts on one line."""
    if isinstance(cell, str):
        return plain(cell, 200)
    if cell is None or isinstance(cell, bool):
        return "NULL" if cell is None else str(cell).lower()
    if name.endswith(("_ms", "_ns")):
        return format_value(cell * (1e6 if name.endswith("_ms") else 1), Unit.NANOSECONDS)
    return cell if isinstance(cell, int) else float(f"{cell:.6g}")
