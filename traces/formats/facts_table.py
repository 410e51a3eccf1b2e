"""The table of docs/formats.md: what each format's profiles are, from the facts of the formats.

`python -c "from traces.formats.facts_table import facts_table; print(facts_table())"` prints it.
"""

from collections.abc import Iterable
from enum import StrEnum

from traces.formats.detection import BY_NAME
from traces.formats.format import Format

HEAD = ("format", "rows lie in time", "counts", "shows waiting", "arguments", "line numbers", "threads apart")
NO, YES = "no", "yes"


def facts_table() -> str:
    """Markdown: a row a format; where its profiles differ, all that they may be."""
    rows = [HEAD, tuple("---" for _ in HEAD), *(_row(known) for known in BY_NAME.values())]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _row(known: Format) -> tuple[str, ...]:
    """One format, under the name that the summary and the API give it."""
    flags = (known.arguments, known.lines, known.threads)
    return (
        f"`{known.name}`: {known.label}",
        _all(facts.order for facts in known.facts),
        _all(facts.counts for facts in known.facts),
        _all(facts.waits for facts in known.facts),
        *(YES if flag else NO for flag in flags),
    )


def _all(values: Iterable[StrEnum]) -> str:
    return ", ".join(dict.fromkeys(value.value for value in values))
