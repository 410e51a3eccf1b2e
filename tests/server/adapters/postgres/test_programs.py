"""Where PostgreSQL's programs are found, and as whom they run."""

import os
import shutil
import subprocess
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from server.adapters.postgres import programs
from server.adapters.postgres.programs import Launcher, find_programs
from server.errors import DatabaseUnavailable


def install(folder: Path) -> Path:
    folder.mkdir(parents=True)
    for name in ("postgres", "initdb"):
        (folder / name).touch()
    return folder


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of an installed package without programs; the machine has none of its own."""
    folder = tmp_path / "wheel"
    spec = ModuleSpec("wheel", None, origin=str(folder / "__init__.py"))
    monkeypatch.setattr(programs, "find_spec", lambda _: spec)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    everywhere = Path.glob
    monkeypatch.setattr(
        Path, "glob", lambda self, pattern: everywhere(self, pattern) if self.is_relative_to(tmp_path) else iter(())
    )
    return folder


def test_the_wheels_newest_programs_come_first(wheel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(wheel / "pginstall16" / "bin")
    newest = install(wheel / "pginstall18" / "bin")
    (wheel / "pginstall19" / "bin").mkdir(parents=True)
    monkeypatch.setattr(shutil, "which", lambda _: str(install(wheel / "system") / "postgres"))
    assert find_programs() == newest


def test_without_the_wheel_those_on_the_path_are_taken(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = install(tmp_path / "system")
    monkeypatch.setattr(programs, "find_spec", lambda _: None)
    monkeypatch.setattr(shutil, "which", lambda _: str(system / "postgres"))
    assert find_programs() == system


@pytest.mark.usefixtures("wheel")
def test_a_machine_without_programs_is_advised() -> None:
    with pytest.raises(DatabaseUnavailable, match="Install postgresql, or set FLAMECHAT_DATABASE_URL"):
        find_programs()


@pytest.mark.parametrize("allowed", [True, False])
def test_root_runs_them_as_its_double_or_as_nobody(
    allowed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[bytes]:
        asked.append(command)
        return subprocess.CompletedProcess(command, 0 if allowed else 1)

    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(shutil, "which", lambda _: "/bin/unshare")
    monkeypatch.setattr(subprocess, "run", run)
    launcher = Launcher.for_cluster(tmp_path / "new")
    prefix = ("/bin/unshare", "--user", "--map-user=65534", "--map-group=65534", "--")
    assert asked == [[*prefix, "true"]]
    assert launcher.prefix == (prefix if allowed else ())
    assert (launcher.uid is None) == allowed
    assert (launcher.gid is None) == allowed


def test_another_user_runs_them_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert Launcher.for_cluster(tmp_path) == Launcher()
    assert "user" not in Launcher().process_options
    assert Launcher(uid=7, gid=8).process_options["user"] == 7
