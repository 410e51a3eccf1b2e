"""How the analyst writes a row, an amount, a share: formatted as the tools do, so that every figure is theirs."""

from typing import Any

from server.agent.verification.references.figure_links import without_addresses
from server.analyst.figures import linked
from server.quoting import plain
from traces.analysis.units import format_share, format_value
from traces.values import Unit

LABEL_CHARACTERS = 80

NOUNS = {Unit.NANOSECONDS: "time", Unit.BYTES: "memory", Unit.COUNT: "weight"}
VERBS = {Unit.NANOSECONDS: "spent", Unit.BYTES: "allocated", Unit.COUNT: "counted"}


def noun(unit: str) -> str:
    """What a trace of that unit measures, in a word."""
    return NOUNS[Unit(unit)]


def verb(unit: str) -> str:
    """What happens to it in a function."""
    return VERBS[Unit(unit)]


def cited(row: dict[str, Any]) -> str:
    """A row's name as a citation; the code span keeps the name's own characters from being read as Markdown."""
    return f"[{coded(row['name'])}](#{row.get('frame_handle') or row['handle']})"


def coded(text: str, limit: int = LABEL_CHARACTERS) -> str:
    """A trace's string as a Markdown code span."""
    return f"`{plain(text, limit).replace('`', chr(39)).strip() or '(no name)'}`"


def shortened(text: str, limit: int) -> str:
    """A sentence of ours in one line; where it is too long, its middle goes, and with it the addresses of figures."""
    read = without_addresses(text)
    return plain(text, len(text)) if len(read) <= limit else plain(read, limit)


def cited_profile(row: dict[str, Any]) -> str:
    return f"[{coded(row['name'])}](#{row['handle']})"


def located(row: dict[str, Any]) -> str:
    """` (file:line)`, or nothing when the trace does not say."""
    if not row.get("file"):
        return ""
    file = row["file"] if len(row["file"]) <= 60 else "…" + row["file"][-59:]
    place = f"{file}:{row['line']}" if row.get("line") else file
    return f" ({coded(place)})"


def own(row: dict[str, Any], unit: str) -> str:
    return f"{share(row['self_share'])} ({amount(row['self_value'], unit)})"


def total(row: dict[str, Any], unit: str) -> str:
    return f"{share(row['total_share'])} ({amount(row['total_value'], unit)})"


def amount(value: float, unit: str) -> str:
    return linked(format_value(float(value), Unit(unit)), value)


def share(value: float) -> str:
    return linked(format_share(float(value)), value)


def table(rows: list[dict[str, Any]], unit: str) -> str:
    """A Markdown table of function rows."""
    lines = [f"| function | self {noun(unit)} | total {noun(unit)} |", "|---|---:|---:|"]
    lines += [f"| {cited(row).replace('|', chr(92) + '|')} | {own(row, unit)} | {total(row, unit)} |" for row in rows]
    return "\n".join(lines)


def neighbours(around: dict[str, Any], unit: str) -> str:
    """Who calls a function and what it calls, in two sentences."""
    sentences = []
    for key, words, none in (
        ("callers", f"{cited(around['frame'])} is called from", f"Nothing calls {cited(around['frame'])}."),
        ("callees", "It calls", "It calls nothing else."),
    ):
        rows = [row for row in around[key] if row["handle"]]
        sentences.append(f"{words} {listed(rows, unit)}." if rows else none)
    return " ".join(sentences)


CALLS = "calls"


def counted(row: dict[str, Any], what: str) -> str:
    """How often a row was seen, in what is counted: calls, samples that ended in it, events."""
    return f"{row['count']:,} {what.removesuffix('s') if row['count'] == 1 else what}"


def in_calls(row: dict[str, Any], what: str | None) -> str:
    """`, in 303 calls`, where calls were counted and there were several."""
    return f", in {row['count']:,} calls" if what == CALLS and row["count"] > 1 else ""


def listed(rows: list[dict[str, Any]], unit: str, limit: int = 4) -> str:
    """`a (1.2 ms, 6 calls), b (1.0 ms, 1 call) and c (3 µs)` of neighbours, calls where the file has them."""
    said = [f"{cited(row)} ({amount(row['value'], unit)}{_direct(row.get('direct_calls'))})" for row in rows[:limit]]
    return joined(said)


def _direct(calls: int | None) -> str:
    return "" if calls is None else f", {calls:,} call{'' if calls == 1 else 's'}"


MANY = 12
"""A larger number is a claim of its own, which needs an address."""


def few(number: int) -> str:
    """A number of things that nothing returned as a figure, as far as it says nothing to be checked."""
    return str(number) if number <= MANY else "many"


def joined(said: list[str]) -> str:
    """A list as people write it."""
    return " and ".join([", ".join(said[:-1]), said[-1]] if len(said) > 1 else said)


def begins(row: dict[str, Any], unit: str) -> str:
    """When a single call began: from its profile's start, and of the recording where that is another moment."""
    clock = row.get("recording_start_ns")
    return amount(row["start"], unit) + ("" if clock is None else f" ({amount(clock, unit)} of the recording)")


def moment(ms: float) -> str:
    """A point of a profile's time."""
    return linked("0 s", ms) if ms == 0 else amount(ms * 1e6, Unit.NANOSECONDS)
