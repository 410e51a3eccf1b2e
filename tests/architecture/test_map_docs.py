"""`docs/architecture.md`: its layers are the contract's, and what it says where things are is there."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
LAST = PAGE.rpartition("\n## ")[2]
TASKS = re.findall(r"^\| (where|what|who|which) (.+?) \| (.+) \|$", LAST, flags=re.MULTILINE)
NAMED = [
    (path, name)
    for _, _, places in TASKS
    for path, name in re.findall(r"`([\w./]+\.\w+): ([\w.]+)`", places)
]  # fmt: skip


def defined_in(path: Path) -> set[str]:
    """Functions, classes, methods (`Class.method`) and constants of a module; functions of SQL and TypeScript."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".sql":
        return set(re.findall(r"create (?:or replace )?function (?:\w+\.)?(\w+)", text))
    if path.suffix in {".ts", ".tsx"}:
        return set(re.findall(r"^(?:export )?(?:async )?(?:function|class|const) (\w+)", text, flags=re.MULTILINE))
    found = set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            methods = (one for one in node.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef))
            found |= {f"{node.name}.{method.name}" for method in methods}
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {target.id for target in targets if isinstance(target, ast.Name)}
    return found


def test_the_last_section_says_of_twelve_things_where_they_are() -> None:
    assert LAST.startswith("Where is it\n")
    assert len(TASKS) == 12
    assert all(re.search(r"`[\w./]+\.\w+: [\w.]+`", places) for _, _, places in TASKS)


@pytest.mark.parametrize(("path", "name"), NAMED)
def test_what_is_said_to_be_there_is_there(path: str, name: str) -> None:
    assert name in defined_in(ROOT / path)


def test_the_newest_definition_of_a_function_of_the_database_is_named() -> None:
    """A migration that defines it again is where it is from then on."""
    for path, name in NAMED:
        if path.endswith(".sql"):
            defining = [file for file in (ROOT / path).parent.glob("*.sql") if name in defined_in(file)]
            assert max(defining) == ROOT / path


def test_the_layers_of_the_server_are_those_of_the_contract() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    layers = next(one["layers"] for one in contracts if one.get("containers") == ["server"])
    block = PAGE.split("```")[1]
    drawn = re.findall(r"(?:^|\s{2})([a-z]+)\s{2,}(?=[a-z])", block, flags=re.MULTILINE)
    assert drawn == [name for layer in layers for name in layer.split(" | ")]
