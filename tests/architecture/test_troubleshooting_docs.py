"""`docs/troubleshooting.md`: its headings are texts of the code, and every class of error has an entry."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from limits.errors import LimitsError
from rendering.errors import RenderingError
from server.edges.http.problems import STATUSES
from server.errors import ServerError
from server.protocol.events import TurnFailed
from server.turns.turn_failures import CODES
from traces.errors import TraceError

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
ROOTS: tuple[type[Exception], ...] = (TraceError, RenderingError, LimitsError, ServerError)
RAISED_BY: dict[str, tuple[str, ...]] = {
    "Conflict": ("supabase/migrations/20261126100100_teams.sql",),
    "DamagedTrace": ("damaged", "traces/builder.py"),
    "LimitExceeded": ("limits/refusals.py",),
    "PromptUnavailable": ("_unavailable",),
    "ServiceUnavailable": ("_unavailable",),
}
"""Classes whose texts also stand in calls of these functions, or anywhere in these modules or migrations."""

GAP = "…"


def classes(root: type[Exception]) -> set[str]:
    """The public classes below a root, which its own module declares."""
    below = {kind for kind in root.__subclasses__() if kind.__module__ == root.__module__}
    return {kind.__name__ for kind in below}.union(*(classes(kind) for kind in below)) if below else set()


def entries() -> list[tuple[str, str]]:
    """Each heading, with the class or the file that stands first below it."""
    found = re.findall(r"^### (.+)\n`([^`]+)`\. ", PAGE, flags=re.MULTILINE)
    assert len(found) == len(re.findall(r"^### ", PAGE, flags=re.MULTILINE)), "an entry lacks its class or file"
    return found


def template(node: ast.AST, names: dict[str, str]) -> str:
    """A text with a gap for what differs; empty for what is no text."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(template(value, names) for value in values)
        case ast.FormattedValue(value=ast.Name(id=name)) if name in names:
            return names[name]
        case ast.FormattedValue():
            return GAP
        case _:
            return ""


@cache
def texts() -> list[tuple[str, str, frozenset[str]]]:
    """Every text of the product's Python: its template, its module, and the functions in whose calls it stands."""
    found = []
    for room in ("traces", "rendering", "limits", "server"):
        for path in (ROOT / room).rglob("*.py"):
            if "testing" in path.parts:
                continue
            source = path.read_text(encoding="utf-8")
            names = dict(re.findall(r'^([A-Z_]+) = "([^"]*)"$', source, flags=re.MULTILINE))
            found += _texts_in(ast.parse(source), str(path.relative_to(ROOT)), names)
    return found


def _texts_in(tree: ast.AST, module: str, names: dict[str, str]) -> list[tuple[str, str, frozenset[str]]]:
    found: list[tuple[str, str, frozenset[str]]] = []
    waiting: list[tuple[ast.AST, frozenset[str]]] = [(tree, frozenset())]
    while waiting:
        node, callers = waiting.pop()
        if text := template(node, names):
            found.append((text, module, callers))
            continue
        if isinstance(node, ast.Call):
            function = node.func
            callers |= {function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")}
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            # A text may have a name before it is raised: `text = ...; raise Busy(text)`.
            callers = frozenset(_called_with_names(node))
        waiting += [(child, callers) for child in ast.iter_child_nodes(node)]
    return found


def _called_with_names(function: ast.AST) -> set[str]:
    calls = (node for node in ast.walk(function) if isinstance(node, ast.Call))
    return {
        call.func.id
        for call in calls
        if isinstance(call.func, ast.Name)
        and any(isinstance(given, ast.Name) for given in (*call.args, *(one.value for one in call.keywords)))
    }


def fits(heading: str, text: str) -> bool:
    """Whether the text is the heading with something in the place of each gap."""
    pattern = ".*".join(re.escape(piece) for piece in heading.split(GAP))
    return re.fullmatch(pattern, text, flags=re.DOTALL) is not None


@pytest.mark.parametrize(("heading", "source"), entries())
def test_a_heading_is_the_text_of_its_error(heading: str, source: str) -> None:
    if source.endswith((".ts", "Makefile")):
        content = (ROOT / source).read_text(encoding="utf-8")
        assert all(piece in content for piece in heading.split(GAP))
        return
    makers = {source, *RAISED_BY.get(source, ())}  # a class and what raises it, or a module
    raised = [text for text, module, callers in texts() if callers & makers or module in makers]
    stored = [(ROOT / maker).read_text(encoding="utf-8") for maker in makers if maker.endswith(".sql")]
    assert any(fits(heading, text) for text in raised) or any(f"'{heading}'" in text for text in stored)


def test_every_class_of_error_that_reaches_a_person_has_an_entry() -> None:
    described = {source for _, source in entries()}
    missing = set().union(*(classes(root) for root in ROOTS)) - described
    assert not missing
    known = set().union(*(classes(root) for root in ROOTS)) | {TurnFailed.__name__}
    assert {source for source in described if "/" not in source} - {"Makefile"} <= known


def test_no_text_has_two_entries() -> None:
    headings = [heading for heading, _ in entries()]
    assert len(set(headings)) == len(headings)


def test_the_table_of_classes_is_what_the_edges_answer() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \| ?`?([a-z_ ]*?)`? ?\|$", PAGE, flags=re.MULTILINE)
    codes = {kind.__name__: code for kind, (code, _) in CODES.items()} | {"ModelFailed": "its own"}
    assert rows == sorted((kind.__name__, str(code), codes.get(kind.__name__, "")) for kind, code in STATUSES.items())


def test_a_heading_of_other_words_is_found_out() -> None:
    assert fits("… is empty: record … again", "x is empty: record it again")
    assert not fits("… is empty: record … again", "x is empty: write it again")
    assert not fits("… again: empty", "empty, again: no")
