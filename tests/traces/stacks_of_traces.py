"""Traces as tests of importers look at them: the stacks of a profile as text with their weights."""

from traces.invariants import check
from traces.model import Trace
from traces.reader import read_trace


def read(data: str | bytes, name: str = "unknown") -> Trace:
    """The trace, its invariants checked."""
    trace = read_trace(data.encode() if isinstance(data, str) else data, name=name)
    check(trace)
    return trace


def stacks(trace: Trace, profile: int = 0, value: str | None = None) -> list[tuple[str, float]]:
    """Each sample of a profile: names from the outermost joined by ";" ("": idle), and its weight."""
    chosen = trace.profiles[profile]
    assert chosen.samples is not None
    paths: list[str] = []
    for frame, parent in zip(chosen.tree.frame.tolist(), chosen.tree.parent.tolist(), strict=True):
        name = trace.frame_names[frame]
        paths.append(name if parent < 0 else f"{paths[parent]};{name}")
    column = chosen.default_value if value is None else [v.name for v in chosen.values].index(value)
    weights = chosen.samples.weights[column].tolist()
    return [("" if leaf < 0 else paths[leaf], w) for leaf, w in zip(chosen.samples.leaf.tolist(), weights, strict=True)]


def own_values(trace: Trace, profile: int = 0, value: int = 0) -> dict[tuple[str, str | None], float]:
    """What each function of a profile had itself, by name and file."""
    tree = trace.profiles[profile].tree
    sums: dict[tuple[str, str | None], float] = {}
    for frame, own in zip(tree.frame.tolist(), tree.self_values[value].tolist(), strict=True):
        key = (trace.frame_names[frame], trace.frame_file(frame))
        sums[key] = sums.get(key, 0) + own
    return sums


def warnings(trace: Trace) -> dict[str, int]:
    """How often each kind of warning was counted."""
    return {warning.code: warning.count for warning in trace.warnings}
