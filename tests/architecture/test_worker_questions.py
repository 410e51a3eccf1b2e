"""What a worker is asked for stands where importing it loads no web framework: each worker imports it again."""

import ast
from collections.abc import Iterator
from pathlib import Path

HTTP = Path(__file__).parents[2] / "server" / "edges" / "http"
QUESTIONS = ("server.edges.http.answers.", "server.edges.http.view_bytes", "server.edges.http.diff_bytes")
PICTURES = "server.edges.picture_query"
"""Drawn from validated options, which are pydantic's."""


def _asked(tree: ast.Module) -> Iterator[str]:
    """Names of the functions that workers are asked for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("workers.ask"):
            question = node.args[1]
            yield question.id if isinstance(question, ast.Name) else ast.unparse(question)


def test_no_question_for_a_worker_is_defined_among_routes() -> None:
    found: dict[str, str] = {}
    for path in HTTP.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imported = {
            alias.asname or alias.name: node.module or ""
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        found |= {name: imported.get(name, path.name) for name in _asked(tree)}
    assert len(found) >= 15
    assert {name: at for name, at in found.items() if not at.startswith((*QUESTIONS, PICTURES))} == {}
