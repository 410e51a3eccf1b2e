"""Functions without a name of their own, and in which named one they stand: comprehensions and lambdas of Python, arrow
functions of JavaScript, lambdas of Java and C++, closures of Go, Rust and PHP, blocks of Ruby.
"""

import re
from typing import Any

from server.agent.verification.recompute import last_part
from server.analyst.evidence import Evidence
from server.analyst.pseudo_frames import PSEUDO_FRAMES
from server.analyst.wording import cited, joined

_UNNAMED = re.compile(
    r"<(?:listcomp|dictcomp|setcomp|genexpr|lambda)>$|^[(<]*anonymous|\blambda\$|\{lambda|\boperator\(\)|"
    r"\bfunc\d+(?:\.\d+)*$|\{closure|^block (?:\(\d+ levels\) )?in\b",
    re.IGNORECASE,
)
"""How recorders write what has no name: `<listcomp>`, `(anonymous app.js:3)`, `lambda$main$0`, `main.work.func1`."""
_BUILT_IN = ("<built-in ", "{built-in ", "<method ", "{method ")
"""How Python writes its own functions, through which a generator runs on behalf of another."""
_FURTHER = 3
"""Callers that are named besides, of a function that has several."""


def is_unnamed(name: str) -> bool:
    """Whether the function has no name of its own."""
    return _UNNAMED.search(name) is not None


def standing_in(row: dict[str, Any], evidence: Evidence) -> str:
    """`, in [`work`]`: the nearest named functions above one that has no name; empty for one that has, and where
    nothing named is known above it."""
    if not is_unnamed(row["name"]):
        return ""
    found = _above_in_the_tree(row, evidence) or _callers(row, evidence)
    shown = list({one.get("frame_handle") or one["handle"]: one for one in found}.values())[:_FURTHER]
    return f", called in {joined([cited(one) for one in shown])}" if shown else ""


def has_a_name(row: dict[str, Any]) -> bool:
    """Whether it is a function of a program with a name of its own."""
    name = row["name"]
    is_own = bool(name) and name not in PSEUDO_FRAMES and not name.startswith(_BUILT_IN)
    return is_own and not is_unnamed(last_part(name))


def _above_in_the_tree(row: dict[str, Any], evidence: Evidence) -> list[dict[str, Any]]:
    """The first named node above it where it weighs most."""
    nodes = {node["handle"]: node for one in evidence.all("get_call_tree") for node in one.data["nodes"]}
    own = [node for node in nodes.values() if node["frame_handle"] == row["handle"]]
    above = nodes.get(max(own, key=lambda node: float(node["total_value"]))["parent"] or "") if own else None
    while above is not None and not has_a_name(above):
        above = nodes.get(above["parent"] or "")
    return [above] if above else []


def _callers(row: dict[str, Any], evidence: Evidence) -> list[dict[str, Any]]:
    around = evidence.first("get_callers_callees", frame=row["handle"])
    return [one for one in (around or {"callers": []})["callers"] if one["handle"] and has_a_name(one)]
