"""V8's CPU profiles as Chrome's own panel reads them: self and total of the fifty heaviest functions of each.

The panel's model is that of the npm package `chrome-devtools-frontend`, bundled by `esbuild` and run in Node; both are
installed once, pinned, into the machine's cache. Differences on purpose: the panel gives the last sample an average
interval, here it has none; the panel's call tree has places without a line, here they have the line 0 of their file.
"""

import gzip
import json
import shutil
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests.oracles.tools import SECONDS, npm_packages, program
from traces.model import Profile, Trace
from traces.reader import read_trace
from traces.values import ProfileKind

PACKAGES = ("chrome-devtools-frontend@1.0.1705227", "esbuild@0.25.0")
WHY = "Chrome's panel runs in Node"
HEAVIEST = 50
ROOT = Path(__file__).parents[2]
FILES = (
    "fixtures/search-index.cpuprofile.gz",
    "fixtures/board.chrome-object.json.gz",
    "fixtures/changes.chrome-array.json.gz",
    "traces/chrome-20mb.json.gz",
    "traces/chrome-100mb.json.gz",
    "traces/node-tsc.cpuprofile.gz",
    "samples/chrome-trace.chrome-devtools-mcp-web-dev.json.gz",
    "samples/chrome-trace.speedscope-chrome116.json.gz",
    "conformance/samples/Chrome/65/simple.cpuprofile",
    "conformance/samples/Chrome/65/sucrase.cpuprofile",
    "conformance/samples/Chrome/65/simple-timeline.json",
    "conformance/samples/Chrome/66/worker.json",
    "conformance/samples/source-maps/chrome-85-esbuild.json",
)
pytestmark = pytest.mark.long
Functions = dict[tuple[str, int, int], tuple[float, float]]


@pytest.fixture(scope="session")
def panel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The panel's model with our way of asking it, as one file for Node."""
    program("node", WHY)
    modules = npm_packages("chrome-panel", PACKAGES, WHY)
    cache = modules.parent
    shutil.copy(Path(__file__).with_name("chrome_panel.mjs"), cache / "chrome_panel.mjs")
    bundle = tmp_path_factory.mktemp("panel") / "bundle.mjs"
    esbuild = next(modules.glob("@esbuild/*/bin/esbuild"))
    options = ["--bundle", "--platform=node", "--format=esm", "--log-level=error", f"--outfile={bundle}"]
    subprocess.run([esbuild, str(cache / "chrome_panel.mjs"), *options], check=True, timeout=SECONDS)
    return bundle


def functions_of(trace: Trace, profile: Profile) -> Functions:
    """Self and total of each function in microseconds, by file, line and column; by name where it has no file."""
    tree, found = profile.tree, defaultdict[tuple[str, int, int], list[float]](lambda: [0.0, 0.0])
    own, total = tree.self_values[0].tolist(), tree.total_values[0].tolist()
    for node, frame in enumerate(tree.frame.tolist()):
        file = trace.frame_file(frame)
        place = (trace.frame_line(frame) or 0, max(int(trace.frames.column[frame]), 0))
        sums = found[(file or trace.frame_name(frame), *place)]
        sums[0] += own[node] / 1_000
        sums[1] += total[node] / 1_000 * int(tree.outermost[node])
    return {key: (sums[0], sums[1]) for key, sums in found.items()}


def functions_in_panel(rows: list[list[Any]]) -> Functions:
    found = defaultdict[tuple[str, int, int], list[float]](lambda: [0.0, 0.0])
    for name, url, line, column, own, total in rows:
        sums = found[(url or name or "(anonymous)", line + 1, column + 1)]
        sums[0] += own
        sums[1] += total
    return {key: (sums[0], sums[1]) for key, sums in found.items()}


@pytest.mark.parametrize("name", FILES)
def test_functions_have_what_chromes_panel_says(name: str, panel: Path, shared: Path, tmp_path: Path) -> None:
    data = ((ROOT if name.startswith("fixtures") else shared) / name).read_bytes()
    file = tmp_path / "profile.json"
    file.write_bytes(gzip.decompress(data) if name.endswith(".gz") else data)
    result = subprocess.run(["node", panel, file], capture_output=True, text=True, check=True, timeout=SECONDS)
    said = json.loads(result.stdout)
    trace = read_trace(data, name=name)
    ours = [profile for profile in trace.profiles if profile.kind is ProfileKind.SAMPLED]
    assert len(ours) == len(said) > 0
    for profile, truth in zip(ours, said, strict=True):
        assert (profile.pid, profile.tid) == (truth["pid"], truth["tid"])
        expected, found = functions_in_panel(truth["functions"]), functions_of(trace, profile)
        for which in (0, 1):
            heaviest = sorted(expected, key=lambda key: -expected[key][which])[:HEAVIEST]
            differing = {
                key: (expected[key][which], found.get(key, (0.0, 0.0))[which])
                for key in heaviest
                if abs(expected[key][which] - found.get(key, (0.0, 0.0))[which]) > 1e-3 * expected[key][which] + 1
            }
            assert not differing
