"""What may be asked of a recording stands in its facts: the name of its format decides nothing outside the formats."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from traces.formats.detection import BY_NAME, FORMATS

ROOT = Path(__file__).parents[2]
ROOMS = ("traces", "rendering", "limits", "server")
WRITTEN = {"speedscope", "chrome", "collapsed", "pprof"}
"""What `flamechat convert` writes has names of its own, four of which are those of formats."""
OF_TRACES = {"trace", "summary", "before", "after", "old", "new"}
"""Names under which code has a trace or its summary: a picture's `options.format` is another thing."""


def decisions(tree: ast.AST) -> Iterator[ast.AST]:
    """Comparisons, memberships and matches that ask for a format."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(_is_format_of_a_trace(side) for side in sides) or _names_formats(sides):
                yield node
        elif isinstance(node, ast.Match):
            if _is_format_of_a_trace(node.subject):
                yield node
        elif isinstance(node, ast.Set | ast.Tuple | ast.List | ast.Dict):
            names = _format_names(node)
            if len(names) > 1 and names != WRITTEN:
                yield node


def _is_format_of_a_trace(node: ast.AST) -> bool:
    if not (isinstance(node, ast.Attribute) and node.attr == "format"):
        return False
    owner = node.value
    name = owner.attr if isinstance(owner, ast.Attribute) else owner.id if isinstance(owner, ast.Name) else ""
    return name in OF_TRACES


def _names_formats(sides: list[ast.expr]) -> bool:
    """A format's name beside something that is called a format."""
    called = any("format" in ast.unparse(side).lower() for side in sides if not isinstance(side, ast.Constant))
    return called and any(isinstance(side, ast.Constant) and side.value in BY_NAME for side in sides)


def _format_names(node: ast.Set | ast.Tuple | ast.List | ast.Dict) -> set[str]:
    members = node.keys if isinstance(node, ast.Dict) else node.elts
    return {one.value for one in members if isinstance(one, ast.Constant) and one.value in BY_NAME}


def _modules() -> list[Path]:
    found = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]
    writes = ROOT / "traces" / "export"
    return [path for path in found if ROOT / "traces" / "formats" not in path.parents and writes not in path.parents]


def test_no_code_outside_the_formats_asks_for_a_formats_name() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)} {ast.unparse(node)[:80]}"
        for path in _modules()
        for node in decisions(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not found, f"ask the profile's facts (traces/values.py): {found}"


@pytest.mark.parametrize(
    "code",
    [
        "trace.format in SUMS",
        "subject.trace.format == name",
        "old.trace.format != new.trace.format",
        "format_name == 'jfr'",
        "SUMS = frozenset({'pprof', 'callgrind'})",
        "match summary.format:\n case 'jfr': pass",
    ],
)
def test_the_search_finds_what_must_not_be(code: str) -> None:
    assert list(decisions(ast.parse(code)))


def test_a_formats_name_is_its_own_and_its_facts_are_there() -> None:
    assert len(BY_NAME) == len(FORMATS) + 1
    for known in BY_NAME.values():
        assert known.facts, f"{known.name} does not say what its profiles are"
        assert callable(known.read)
