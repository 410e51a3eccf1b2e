"""A route gets what its family needs, and nothing else."""

import ast
from dataclasses import fields
from pathlib import Path
from typing import get_type_hints

from server.edges.http.services import Services

EDGES = Path(__file__).parents[2] / "server" / "edges"
SEE_ALL = {"application.py", "services.py"}
MOST_FIELDS = 6


def test_no_route_asks_for_all_services() -> None:
    found = [
        str(path.relative_to(EDGES))
        for path in EDGES.rglob("*.py")
        if path.name not in SEE_ALL
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and any(alias.name == "Services" for alias in node.names)
    ]
    assert not found


def test_a_family_is_small() -> None:
    families = {name: hint for name, hint in get_type_hints(Services).items() if name != "identity"}
    assert len(families) == len(fields(Services)) - 1
    assert {name: len(fields(hint)) for name, hint in families.items() if len(fields(hint)) > MOST_FIELDS} == {}
