"""Our figures of a profile in the form that other tools' are compared in."""

import gzip
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.oracles.figures import Figures
from tests.oracles.tools import SECONDS
from traces.model import Profile, Trace

ROOT = Path(__file__).parents[2]
PLACE = re.compile(r"(.*)\+0x[0-9a-f]+")
"""How a function without a name is called: its place in the mapped file."""


def content(name: str, shared: Path) -> bytes:
    """The bytes of a fixture, or of a file of the shared folder, as they are stored."""
    return ((ROOT if name.startswith("fixtures") else shared) / name).read_bytes()


def unpacked(name: str, shared: Path, to: Path) -> Path:
    """The same as a file of its own, for tools that do not know gzip."""
    data = content(name, shared)
    to.write_bytes(gzip.decompress(data) if name.endswith(".gz") else data)
    return to


def printed(*command: str) -> str:
    """What a command prints; raises for one that fails."""
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=SECONDS).stdout


def figures_of(trace: Trace, profile: Profile, value: int, name: Callable[[int], str]) -> Figures:
    """Self and total of functions, called as `name` calls frames: nodes of one name below each other count once."""
    tree, figures = profile.tree, Figures()
    names = {frame: name(frame) for frame in set(tree.frame.tolist())}
    own, total = tree.self_values[value].tolist(), tree.total_values[value].tolist()
    above: list[frozenset[str]] = []
    for node, (frame, parent) in enumerate(zip(tree.frame.tolist(), tree.parent.tolist(), strict=True)):
        callers = above[parent] if parent >= 0 else frozenset()
        mine = names[frame]
        above.append(callers | {mine} if mine not in callers else callers)
        function = figures.functions[mine]
        function[0] += own[node]
        function[1] += 0 if mine in callers else total[node]
    figures.busy = sum(own)
    return figures
