"""speedscope's release of npm, pinned and fetched once, as the peer that `python -m bench` measures.

`speedscope_release.mjs` runs its importer in Node. SPEEDSCOPE_HARNESS names another command instead: one that imports
the file given last and prints the processor seconds it took as the last word of its output.
"""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

PACKAGE = "speedscope@1.25.0"
HARNESS = "SPEEDSCOPE_HARNESS"
SCRIPT = Path(__file__).with_name("speedscope_release.mjs")
FETCHING_S = 300


def harness() -> str | None:
    """The command that measures speedscope; None where there is no Node, or the release cannot be fetched."""
    if given := os.environ.get(HARNESS):
        return given
    node, release = shutil.which("node"), release_folder()
    if node is None or release is None:
        return None
    return shlex.join([node, "--max-old-space-size=8192", str(SCRIPT), str(release)])


def release_folder() -> Path | None:
    """Where the release is, with its page; None where it cannot be fetched."""
    npm = shutil.which("npm")
    if npm is None:
        return None
    folder = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "flamechat-bench" / PACKAGE
    release = folder / "node_modules" / "speedscope" / "dist" / "release"
    if not release.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        options = ["--no-fund", "--no-audit", "--ignore-scripts", "--prefix", str(folder)]
        fetched = subprocess.run(
            [npm, "install", *options, PACKAGE], capture_output=True, check=False, timeout=FETCHING_S
        )
        if fetched.returncode:
            return None
    return release
