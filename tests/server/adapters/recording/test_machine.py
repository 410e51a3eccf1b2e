"""The command as the system would run it: through scripts and through the shims of version managers."""

from pathlib import Path

import pytest

from server.adapters.recording.machine import resolved
from server.errors import CannotRecord

SHIM = """#!/bin/sh
program="${{0##*/}}"
exec "{manager}" exec "$program" "$@"
"""
MANAGER = """#!/bin/sh
[ "$1" = which ] && [ "$2" = ruby ] && echo "{program}" && exit 0
echo "no version of $2 is set" >&2
exit 1
"""


def executable(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_a_shim_is_taken_for_the_program_that_its_manager_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ruby = executable(tmp_path / "versions" / "3.3" / "ruby", "\x7fELF")
    manager = executable(tmp_path / "some env" / "rbenv", MANAGER.format(program=ruby))
    shim = executable(tmp_path / "shims" / "ruby", SHIM.format(manager=manager))
    monkeypatch.setenv("PATH", f"{shim.parent}:/usr/bin:/bin")
    assert resolved(["ruby", "app.rb"]).argv == (str(ruby), "app.rb")


def test_a_script_behind_a_shim_has_its_interpreter_in_front(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = executable(tmp_path / "bin" / "ruby", "#!/bin/sh -u\n")
    manager = executable(tmp_path / "rbenv", MANAGER.format(program=program))
    shim = executable(tmp_path / "shims" / "ruby", SHIM.format(manager=manager))
    monkeypatch.setenv("PATH", f"{shim.parent}:/usr/bin:/bin")
    assert resolved(["ruby", "x"]).argv == ("/bin/sh", "-u", str(program), "x")


def test_a_shim_whose_manager_names_no_program_is_the_script_that_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = executable(tmp_path / "rbenv", MANAGER.format(program=tmp_path / "gone"))
    for name in ("ruby", "irb"):
        shim = executable(tmp_path / "shims" / name, SHIM.format(manager=manager))
        monkeypatch.setenv("PATH", f"{shim.parent}:/usr/bin:/bin")
        assert resolved([name]).argv == ("/bin/sh", str(shim))


def test_a_command_that_is_not_there_ends_as_a_shell_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CannotRecord) as refused:
        resolved(["no-such-command"])
    assert refused.value.exit_code == 127
