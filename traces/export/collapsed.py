"""Collapsed stacks: one `outer;inner weight` a line, for flamegraph.pl and its kin. Sums, without time or order."""

from collections.abc import Iterator

import numpy as np

from traces.analysis.selection import Selection
from traces.export.document import BATCH, Document, distinct_names, path
from traces.model import Values


def export(chosen: Selection) -> Document:
    """The stacks that have weight, heaviest paths as they come. Names lose what the format takes for a separator."""
    values = chosen.values()
    names = distinct_names(chosen.trace)
    written = [" ".join(name.replace(";", ":").split()) or "?" for name in names]
    notes = [f"weights are {chosen.unit.value}; idle time and the order of samples are not in this format"]
    if written != names:
        notes.append("semicolons and line breaks in names were replaced")
    own = integers(values.self_value)
    if (own != values.self_value).any():
        notes.append("weights were rounded to whole numbers")
    return Document(_lines(chosen, own, written), tuple(notes))


def integers(values: Values) -> np.typing.NDArray[np.int64]:
    """Rounded to integers."""
    return np.rint(values).astype(np.int64) if values.dtype.kind == "f" else values.astype(np.int64)


def _lines(chosen: Selection, own: np.typing.NDArray[np.int64], names: list[str]) -> Iterator[bytes]:
    nodes = np.flatnonzero(own > 0)
    for begin in range(0, len(nodes), BATCH):
        part = nodes[begin : begin + BATCH].tolist()
        lines = [f"{';'.join([names[f] for f in path(chosen.tree, node)])} {own[node]}\n" for node in part]
        yield "".join(lines).encode("utf-8", "replace")
