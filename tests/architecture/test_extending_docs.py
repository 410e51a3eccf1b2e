"""`docs/extending.md`: its diffs apply to the repository, what they add works, and it reads like the rest."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
DIFFS = re.findall(r"^```diff\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
TESTS = re.findall(r"^python -m pytest (\S+)(?: -k (\w+))?$", PAGE, flags=re.MULTILINE)
COPIED = ("traces", "rendering", "limits", "server", "tests", "pyproject.toml")
LINKED = ("fixtures", "supabase", "docs")
NOT_CODE = shutil.ignore_patterns("page", "golden", "found")


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository with all the page's diffs applied."""
    copy = tmp_path_factory.mktemp("extended")
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name, ignore=NOT_CODE)
        else:
            shutil.copy(ROOT / name, copy / name)
    for name in LINKED:
        (copy / name).symlink_to(ROOT / name)
    for diff in DIFFS:
        run(copy, "git", "apply", "--whitespace=error", "-", given=diff)
    return copy


def run(folder: Path, *command: str, given: str | None = None) -> str:
    """What a command printed; it must succeed. Python finds the rooms in the folder first."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "GIT_", "COV_"))}
    ended = subprocess.run(
        command,
        cwd=folder,
        env=kept | {"PYTHONPATH": str(folder)},
        input=given,
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert ended.returncode == 0, f"{' '.join(command)}\n{ended.stdout[-3000:]}\n{ended.stderr[-3000:]}"
    return ended.stdout


def added() -> list[str]:
    return re.findall(r"^\+\+\+ b/(\S+\.py)$", "".join(DIFFS), flags=re.MULTILINE)


def test_there_is_one_diff_and_one_command_for_each_kind_of_thing() -> None:
    headings = re.findall(r"^## (.+)$", PAGE, flags=re.MULTILINE)
    assert headings == ["A format", "A tool", "A detector", "An adapter"]
    assert len(DIFFS) == len(TESTS) == len(headings)
    assert all(f"b/{path}\n" in diff for diff, (path, _) in zip(DIFFS, TESTS, strict=True))


@pytest.mark.long
def test_the_examples_pass_their_tests(extended: Path) -> None:
    """In one process, as starting one takes longer than the tests."""
    names = " or ".join(chosen or Path(path).stem for path, chosen in TESTS)
    printed = run(extended, sys.executable, "-m", "pytest", "-v", *(path for path, _ in TESTS), "-k", names)
    passed = [line for line in printed.splitlines() if " PASSED " in line]
    assert all(any(line.startswith(path) and chosen in line for line in passed) for path, chosen in TESTS)


def test_the_examples_are_formatted_and_linted(extended: Path) -> None:
    run(extended, sys.executable, "-m", "ruff", "check", *added())
    run(extended, sys.executable, "-m", "ruff", "format", "--check", *added())
