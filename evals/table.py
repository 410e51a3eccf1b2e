"""The figures of a run: pass rates with their intervals, checked claims, tokens, tool rounds, cost."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evals.running import Graded

Z = 1.959964
"""The normal quantile of a 95 % interval."""


@dataclass(frozen=True, slots=True)
class Prices:
    """In dollars for a million tokens."""

    input: float
    output: float


def wilson(passed: int, runs: int) -> tuple[float, float]:
    """The 95 % interval of a rate (E. B. Wilson, 1927): it stays inside 0 to 1, and is honest for few runs."""
    if runs == 0:
        return 0.0, 1.0
    rate, spread = passed / runs, Z * Z / runs
    middle = (rate + spread / 2) / (1 + spread)
    half = Z * math.sqrt(rate * (1 - rate) / runs + spread / (4 * runs)) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def rate(rows: Sequence[Graded]) -> float:
    """The share that passed; 1 of none."""
    return sum(row.passed for row in rows) / len(rows) if rows else 1.0


def verified(rows: Sequence[Graded]) -> tuple[int, int]:
    """Figures of the answers that were verified or derived, and all of them."""
    numbers = [check for row in rows for check in row.answer.checks if check.kind not in ("name", "relation", "cause")]
    return sum(check.status in ("verified", "derived") for check in numbers), len(numbers)


def contradicted(rows: Sequence[Graded]) -> tuple[int, int]:
    """Claims of the answers that the trace speaks against, and all of them."""
    checks = [check for row in rows for check in row.answer.checks]
    return sum(check.status in ("contradicted", "not_found") for check in checks), len(checks)


def printed(rows: Sequence[Graded], prices: Prices | None = None) -> str:
    """Two Markdown tables for each condition: pass rates by kind and format, and what the answers were like."""
    parts = []
    for condition in dict.fromkeys(row.condition for row in rows):
        own = [row for row in rows if row.condition == condition]
        cases = len({row.case.name for row in own})
        lines = [f"### {condition}: {cases} cases, {len(own)} runs", ""]
        lines += ["| | passed | rate | 95 % interval |", "|---|---:|---:|---:|", _rate_row("all", own)]
        lines += _groups(own, lambda row: row.case.kind, "kind")
        lines += [_rate_row("unseen", unseen)] if (unseen := [row for row in own if row.case.unseen]) else []
        lines += _groups(own, lambda row: row.format, "format")
        parts.append("\n".join([*lines, "", *_manner(own, prices)]))
    return "\n\n".join(parts)


def _groups(rows: Sequence[Graded], key: Callable[[Graded], str], what: str) -> list[str]:
    names = sorted({key(row) for row in rows})
    return [_rate_row(f"{what}: {name}", [row for row in rows if key(row) == name]) for name in names]


def _rate_row(name: str, rows: Sequence[Graded]) -> str:
    passed = sum(row.passed for row in rows)
    low, high = wilson(passed, len(rows))
    return f"| {name} | {passed} of {len(rows)} | {passed / len(rows):.1%} | {low:.1%} to {high:.1%} |"


def _manner(rows: Sequence[Graded], prices: Prices | None) -> list[str]:
    verified_numbers, claimed = verified(rows)
    names = [check for row in rows for check in row.answer.checks if check.kind == "name"]
    tokens_in, tokens_out = (_total(rows, key) for key in ("input_tokens", "output_tokens"))
    cost = "not known"
    if prices is not None and tokens_in is not None and tokens_out is not None:
        cost = f"${(tokens_in * prices.input + tokens_out * prices.output) / 1e6:.4f}"
    return [
        "| | |",
        "|---|---:|",
        f"| numbers verified or derived | {_share(verified_numbers, claimed)} |",
        f"| claims contradicted | {_share(*contradicted(rows))} |",
        f"| names verified | {_share(sum(check.status != 'not_found' for check in names), len(names))} |",
        f"| tool rounds a question | {sum(row.answer.tool_rounds for row in rows) / len(rows):.1f} |",
        f"| tool calls a question | {sum(len(row.answer.calls) for row in rows) / len(rows):.1f} |",
        f"| characters an answer | {sum(len(row.answer.text) for row in rows) / len(rows):,.0f} |",
        f"| tokens in, out | {_counted(tokens_in)}, {_counted(tokens_out)} |",
        f"| cost | {cost} |",
    ]


def _share(part: int, total: int) -> str:
    return f"{part} of {total} ({part / total:.1%})" if total else "none claimed"


def _total(rows: Sequence[Graded], key: str) -> int | None:
    counts = [count for row in rows if (count := getattr(row.answer, key)) is not None]
    return sum(counts) if counts else None


def _counted(tokens: int | None) -> str:
    return "none counted" if tokens is None else f"{tokens:,}"
