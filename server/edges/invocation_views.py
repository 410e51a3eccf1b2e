"""Model calls and what was spent on them, as HTTP and the command line show them."""

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import datetime
from decimal import Decimal
from typing import Any

from server.ports.invocations import Invocation, Spend

ANALYST_NOTE = "The built-in analyst makes no model calls: its answers cost nothing and are not in this report."

FORMULAS = ("=", "+", "-", "@", "\t", "\r")
"""How texts begin that a spreadsheet would take for formulas (OWASP, CSV injection)."""


def row_of(one: Invocation | Spend) -> dict[str, Any]:
    """The row with numbers and texts as JSON has them; what is not known is None."""
    return {name: _plain(value) for name, value in asdict(one).items()}


def as_csv(names: Iterable[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """A table by RFC 4180 with a line of names; an empty field is not known. Texts that a spreadsheet would run get an
    apostrophe before them."""
    columns = list(names)
    written = io.StringIO()
    table = csv.writer(written)
    table.writerow(columns)
    for row in rows:
        table.writerow([_field(row[name]) for name in columns])
    return written.getvalue()


def _plain(value: object) -> object:
    if isinstance(value, Decimal):
        return float(value)
    return value.isoformat() if isinstance(value, datetime) else value


def _field(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULAS) else value
