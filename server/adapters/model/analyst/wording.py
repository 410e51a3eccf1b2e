"""How the analyst writes a row, an amount, a share: the same formatting as the tools, so that every figure is theirs."""

from typing import Any

from server.agent.quoting import plain
from traces.analysis.units import format_share, format_value
from traces.values import Unit

LABEL_CHARACTERS = 80

NOUNS = {Unit.NANOSECONDS: "time", Unit.BYTES: "memory", Unit.COUNT: "weight"}


def noun(unit: str) -> str:
    """What a trace of that unit measures, in a word."""
    return NOUNS[Unit(unit)]


def cited(row: dict[str, Any]) -> str:
    """A row's name as a citation; the code span keeps the name's own characters from being read as Markdown."""
    label = plain(row["name"], LABEL_CHARACTERS).replace("`", "'").strip() or "(no name)"
    return f"[`{label}`](#{row.get('frame_handle') or row['handle']})"


def located(row: dict[str, Any]) -> str:
    """` in file:line`, or nothing when the trace does not say."""
    if not row.get("file"):
        return ""
    file = plain(row["file"], 200).replace("`", "'")
    file = file if len(file) <= 60 else "…" + file[-59:]
    return f" in `{file}:{row['line']}`" if row.get("line") else f" in `{file}`"


def own(row: dict[str, Any], unit: str) -> str:
    return f"{format_share(row['self_share'])} ({format_value(row['self_value'], Unit(unit))})"


def whole(row: dict[str, Any], unit: str) -> str:
    return f"{format_share(row['total_share'])} ({format_value(row['total_value'], Unit(unit))})"


def amount(value: float, unit: str) -> str:
    return format_value(value, Unit(unit))


def share(value: float) -> str:
    return format_share(value)


def table(rows: list[dict[str, Any]], unit: str) -> str:
    """A Markdown table of function rows."""
    lines = [f"| function | self {noun(unit)} | total {noun(unit)} |", "|---|---:|---:|"]
    lines += [f"| {cited(row).replace('|', chr(92) + '|')} | {own(row, unit)} | {whole(row, unit)} |" for row in rows]
    return "\n".join(lines)
