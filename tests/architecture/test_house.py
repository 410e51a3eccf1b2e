"""The shape of the repository: sizes, names, neutrality. Imports are checked by import-linter."""

import ast
import importlib.metadata
import importlib.util
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from bench.house import LEVELS, crowded, house_words, tracked, twice

ROOT = Path(__file__).parents[2]
ROOMS = ("traces", "rendering", "limits", "server")
MAX_MODULE_LINES = 400
MAX_HOUSE_WORDS_IN_COMMENTS = 40
DUMPING_GROUNDS = {"utils", "util", "helpers", "common", "core", "misc", "manager", "managers"}
SOURCES = {".py", ".ts", ".tsx", ".css", ".c", ".h", ".sql"}


def tracked_files() -> list[Path]:
    """What git tracks, or every file of the rooms where this is not a checkout (an sdist)."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        return [p for room in (*ROOMS, "tests", "web/src") for p in (ROOT / room).rglob("*") if p.is_file()]
    return [path for name in listed.stdout.decode().split("\0") if name and (path := ROOT / name).is_file()]


FILES = tracked_files()


def text_of(path: Path) -> str | None:
    data = path.read_bytes()
    return None if b"\0" in data[:8192] else data.decode("utf-8", "replace")


def test_no_module_is_longer_than_its_ceiling() -> None:
    long = {
        str(path.relative_to(ROOT)): lines
        for path in FILES
        if path.suffix in SOURCES and (lines := path.read_bytes().count(b"\n")) > MAX_MODULE_LINES
    }
    assert not long, f"split these: {long}"


def test_no_dumping_ground_has_appeared() -> None:
    found = [
        str(path.relative_to(ROOT))
        for path in FILES
        if {part.removesuffix(path.suffix) for part in path.relative_to(ROOT).parts} & DUMPING_GROUNDS
    ]
    assert not found, f"a function lives with its noun: {found}"


def test_no_file_name_stands_twice_unless_rooms_mirror_each_other() -> None:
    assert not twice(tracked())


def test_names_and_comments_use_the_words_of_the_field() -> None:
    words = house_words(tracked())
    assert [word for word in words if word.in_name] == []
    assert len([word for word in words if not word.in_name]) <= MAX_HOUSE_WORDS_IN_COMMENTS


def test_no_folder_holds_more_units_than_a_reader_takes_in_at_a_look() -> None:
    assert {root: units for root, units in crowded(tracked()).items() if units > LEVELS[root]} == {}


@pytest.mark.parametrize("room", ROOMS)
def test_the_room_is_ours_and_no_distribution_claims_its_name(room: str) -> None:
    spec = importlib.util.find_spec(room)
    assert spec is not None
    assert spec.origin == str(ROOT / room / "__init__.py")
    owners = set(importlib.metadata.packages_distributions().get(room, [])) - {"flamechat"}
    assert not owners, f"{owners} would shadow our {room}"


def test_every_package_has_a_card() -> None:
    without = [
        str(init.relative_to(ROOT))
        for room in ROOMS
        for init in (ROOT / room).rglob("__init__.py")
        if not init.read_text(encoding="utf-8").lstrip().startswith('"""') and "page" not in init.parts
    ]
    assert not without, f"an __init__ says what lives here: {without}"


SLEEPS_THAT_ARE_TESTED = {
    "tests/cloud/faults.py": "the fault `slow` is an answer that takes its time",
}


def test_no_test_sleeps() -> None:
    """A test waits for an event, with a bound. A soak lasts by its nature."""
    sleeping = {
        str(path.relative_to(ROOT))
        for path in FILES
        if path.suffix == ".py" and path.relative_to(ROOT).parts[0] == "tests" and "soak" not in path.parts
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.Call)
        and (node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)) == "sleep"
        and not (isinstance(node.args[0], ast.Constant) and node.args[0].value == 0)
    }
    assert sleeping == set(SLEEPS_THAT_ARE_TESTED)


def test_supabase_holds_no_python() -> None:
    assert not [path for path in FILES if path.parts[len(ROOT.parts)] == "supabase" and path.suffix == ".py"]


def test_nothing_names_a_path_of_a_machine() -> None:
    pattern = re.compile(r"(?<![A-Za-z0-9_.])/(?:work|farm|root|home/[a-z]+)/")
    found = [
        str(path.relative_to(ROOT))
        for path in FILES
        if path != Path(__file__) and (text := text_of(path)) is not None and pattern.search(text)
    ]
    assert not found


@pytest.mark.parametrize(
    "name",
    [
        "requirements.lock",
        "requirements-dev.lock",
        "requirements-build.lock",
        "web/package-lock.json",
        "tests/clients/package-lock.json",
        "tests/clients/example_server/package-lock.json",
    ],
)
def test_lock_files_hold_hashes_and_no_index_address(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert not re.search(r"pypi|pythonhosted|npmjs|registry\.", text)
    assert "sha256:" in text or "sha512-" in text


def test_every_dependency_has_a_line_in_the_docs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = project["dependency-groups"].values()
    asked = [*project["project"]["dependencies"], *(one for group in groups for one in group if isinstance(one, str))]
    names = {re.split(r"[^A-Za-z0-9_-]", one)[0].lower() for one in asked}
    assert {"numpy", "hatchling", "pytest"} <= names
    documented = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8").lower()
    missing = [name for name in sorted(names) if f"`{name}`" not in documented]
    assert not missing, f"docs/dependencies.md lacks {missing}"


def test_every_web_dependency_has_a_line_in_the_docs() -> None:
    import json

    package = json.loads((ROOT / "web" / "package.json").read_text(encoding="utf-8"))
    names = {**package.get("dependencies", {}), **package.get("devDependencies", {})}
    documented = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    missing = [name for name in names if f"`{name}`" not in documented]
    assert not missing, f"docs/dependencies.md lacks {missing}"


def test_every_member_of_an_enumeration_explains_itself() -> None:
    """As procrastinate's statuses do: a `#:` comment on the member's own line."""
    bare = [
        f"{path.relative_to(ROOT)}: {enumeration.name}.{member.targets[0].id}"
        for path in FILES
        if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in {"server", "limits"}
        for lines in [path.read_text().splitlines()]
        for enumeration in ast.walk(ast.parse("\n".join(lines)))
        if isinstance(enumeration, ast.ClassDef)
        and any(isinstance(base, ast.Name) and base.id.endswith("Enum") for base in enumeration.bases)
        for member in enumeration.body
        if isinstance(member, ast.Assign) and isinstance(member.targets[0], ast.Name)
        if not re.search(r"  #: \w", lines[member.lineno - 1])
    ]
    assert not bare, f"say what it means after `#:`: {bare}"
