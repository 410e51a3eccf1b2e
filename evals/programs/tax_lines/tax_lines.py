"""Adds taxes to an invoice's lines. With 1 the table of rates is read and parsed again for every line, with 0 once."""

import json
import sys
from functools import cache

TABLE = json.dumps({f"country {n}": {"rate": n % 25, "reduced": n % 7} for n in range(60)})


def load_rates() -> dict[str, dict[str, int]]:
    return json.loads(TABLE)


@cache
def kept_rates() -> dict[str, dict[str, int]]:
    return load_rates()


def parse_line(n: int) -> tuple[str, int]:
    country, cents = f"country {n % 60};{n * 37 % 9000}".split(";")
    return country, int(cents)


def tax_of(country: str, cents: int, again: bool) -> int:
    rates = load_rates() if again else kept_rates()
    return cents * rates[country]["rate"] // 100


def format_line(country: str, cents: int, tax: int) -> str:
    return f"{country:<20}{cents / 100:>10.2f}{tax / 100:>10.2f}"


def invoice(lines: int, again: bool) -> str:
    rows = []
    for n in range(lines):
        country, cents = parse_line(n)
        rows.append(format_line(country, cents, tax_of(country, cents, again)))
    return "\n".join(rows)


invoice(1200, sys.argv[1] == "1")
