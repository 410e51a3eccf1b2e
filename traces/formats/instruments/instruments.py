"""What Apple's Instruments copies with "Deep Copy": its call tree, a function a line, with tabs between the columns.

A line's figure is what the function and all below it took; what it took itself comes after its callees. Figures count
in full units of what is written, as speedscope counts them: `4.93 s` are 4 seconds, or what the lines below add up to.
"""

import re
from dataclasses import dataclass, field

import numpy as np

from traces.builder import TIME, TraceBuilder
from traces.formats.instruments import INSTRUMENTS_FIGURES, INSTRUMENTS_SYMBOLS
from traces.formats.time_units import in_unit
from traces.model import NONE, Values
from traces.stacks import StackTable
from traces.values import Unit, ValueType

FIGURE = re.compile(r"\s*(\d+)(\.\d+)? ?([^\W\d]\w*)\s+\d+\.\d+%")
UNITS = {
    "ms": (Unit.NANOSECONDS, 10**6),
    "s": (Unit.NANOSECONDS, 10**9),
    "min": (Unit.NANOSECONDS, 60 * 10**9),
    "cycles": (Unit.COUNT, 1),
    "Kc": (Unit.COUNT, 10**3),
    "Mc": (Unit.COUNT, 10**6),
    "Gc": (Unit.COUNT, 10**9),
    "Bytes": (Unit.BYTES, 1),
    "KB": (Unit.BYTES, 1 << 10),
    "MB": (Unit.BYTES, 1 << 20),
    "GB": (Unit.BYTES, 1 << 30),
}
VALUES = {
    Unit.NANOSECONDS: TIME,
    Unit.COUNT: ValueType("cycles", Unit.COUNT),
    Unit.BYTES: ValueType("allocated", Unit.BYTES),
}


@dataclass(slots=True)
class Tree:
    """Lines become samples in the order in which their functions end."""

    stacks: StackTable = field(default_factory=StackTable)
    leaves: list[int] = field(default_factory=list)
    weights: list[int] = field(default_factory=list)
    open: list[tuple[int, int]] = field(default_factory=list)  # node, and the sum at which it ends
    sum: int = 0

    def close(self, depth: int) -> None:
        """End the functions at `depth` and below; what their callees left of the figure is their own."""
        while len(self.open) > depth:
            node, end = self.open.pop()
            if end > self.sum:
                self.leaves.append(node)
                self.weights.append(end - self.sum)
                self.sum = end


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed the one profile. Raises DamagedTrace."""
    header, *lines = str(content, "utf-8", "replace").split("\n")
    columns = header.rstrip("\r").split("\t")
    figure = next(columns.index(name) for name in INSTRUMENTS_FIGURES if name in columns)
    symbol = next(columns.index(name) for name in INSTRUMENTS_SYMBOLS if name in columns)
    source = columns.index("Source Path") if "Source Path" in columns else None
    tree = Tree()
    units: set[Unit] = set()
    first = cut = 0
    for line in lines:
        cells = line.rstrip("\r").split("\t")
        name = cells[symbol] if symbol < len(cells) else ""
        if not name.strip():
            continue
        depth = len(name) - len(name.lstrip())
        if not tree.stacks.frame:
            first = depth if columns[symbol] == "Symbol Names" else 0
        depth -= first
        if not 0 <= depth <= len(tree.open):
            raise builder.damaged("a line is further in than the line above it allows.")
        weight = 0
        match = FIGURE.match(cells[figure])
        if match is not None:
            if match[3] not in UNITS or len(match[1]) > 15:
                raise builder.damaged("a figure's unit is not known, or the figure is out of range.")
            unit, factor = UNITS[match[3]]
            units.add(unit)
            weight = int(match[1]) * factor
            cut += match[2] is not None and float(match[2]) > 0
        tree.close(depth)
        path = cells[source] if source is not None and source < len(cells) else None
        node = tree.stacks.child(tree.open[-1][0] if tree.open else NONE, builder.frame(name.strip(), path or None))
        tree.open.append((node, tree.sum + weight))
    tree.close(0)
    if len(units) > 1:
        raise builder.damaged("its figures are in units that do not go together.")
    value = VALUES[units.pop() if units else Unit.COUNT]
    builder.warn("fractions", "figures were read in full units of what is written (4.93 s counts as 4 s)", cut)
    try:
        weights: Values = in_unit(
            np.array(tree.weights, np.float64 if not value.unit.is_time else np.int64), value.unit, 1
        )
    except (ValueError, OverflowError) as error:
        raise builder.damaged("its figures add up to what is out of range.") from error
    builder.add_sampled(builder.name, tree.stacks, tree.leaves, [weights], values=(value,))
