"""Imports a table into memory: `python table_import.py ROWS`. Planted: `as_cells` makes and keeps an object a cell."""

import sys


class Cell:
    def __init__(self, column: int, text: str) -> None:
        self.column = column
        self.text = text


def read_lines(rows: int) -> list[str]:
    return [",".join(f"{row}-{column}" for column in range(12)) for row in range(rows)]


def as_cells(line: str) -> list[Cell]:
    return [Cell(column, text * 8) for column, text in enumerate(line.split(","))]


def summary(table: list[list[Cell]]) -> dict[int, int]:
    widths: dict[int, int] = {}
    for row in table:
        for cell in row:
            widths[cell.column] = max(widths.get(cell.column, 0), len(cell.text))
    return widths


def main() -> None:
    table = [as_cells(line) for line in read_lines(int(sys.argv[1]))]
    print(summary(table))


main()
