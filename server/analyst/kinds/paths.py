"""The heaviest path through a call tree, and where it divides."""

from itertools import groupby
from typing import Any

from server.agent.verification.recompute import last_part
from server.analyst.evidence import Evidence, Lead
from server.analyst.figures import linked
from server.analyst.forms import word_list
from server.analyst.kinds.kind import DOMINATES
from server.analyst.pseudo_frames import is_pseudo
from server.analyst.wording import amount, cited, joined, own, share

LEADS = 0.1
"""Self share from which one function is worth naming as the hottest; below it the time is spread."""
ENTRIES = word_list("entries")
"""Names of functions through which a program begins: that everything runs on their behalf says nothing."""
STILL = 0.6
"""Part of the value at the beginning of a path that its end must hold to stand for it."""
PARTS = 5
"""Parts that are named."""
PATH_STEPS = 8
OF_AN_ORDER = 60
"""Nodes of the tree that is looked at for what comes next in an order."""


def passes(evidence: Evidence) -> str:
    """What most of a spread trace goes through: the deepest function of the heaviest path that still holds it."""
    tree = evidence.first("get_call_tree")
    path = [node for node in heaviest_path(tree["nodes"]) if not is_entry(node["name"])] if tree else []
    if not path:
        return ""
    least = max(DOMINATES, STILL * path[0]["total_share"])
    node = [node for node in path if node["total_share"] >= least or node is path[0]][-1]
    if node["total_share"] < DOMINATES:
        return ""
    return f" The largest part passes through {cited(node)}: {share(node['total_share'])}."


def path_to(evidence: Evidence) -> str:
    """From the root to the leading function where it weighs most; if the tree does not hold it, down the heaviest child
    as long as that carries most of the weight.
    """
    tree, lead = evidence.first("get_call_tree"), evidence.lead
    if not tree or not tree["nodes"] or not lead:
        return ""
    nodes = {node["handle"]: node for node in tree["nodes"]}
    own_nodes = [node for node in tree["nodes"] if node["frame_handle"] == lead.row["handle"]]
    path: list[dict[str, Any]] = []
    if own_nodes and lead.row["self_share"] >= LEADS:
        above: dict[str, Any] | None = max(own_nodes, key=lambda node: (node["self_value"], node["total_value"]))
        while above is not None:
            path.insert(0, above)
            above = nodes.get(above["parent"] or "")
        return path_said(path, " to it")
    return path_said(heaviest_path(tree["nodes"]), "")


def division(evidence: Evidence, lead: Lead) -> str:
    """Where no function dominates: into which parts the total falls; empty where that says nothing more."""
    parts = parts_of(evidence)
    if len(parts) < 2 or lead.row["self_share"] >= DOMINATES:
        return ""
    return f"From the top it divides into {parts_said(parts)}."


def parts_of(evidence: Evidence) -> list[dict[str, Any]]:
    """The branches into which the tree that was asked for divides, heaviest first."""
    tree = evidence.first("get_call_tree")
    return tree["parts"] if tree else []


def parts_said(parts: list[dict[str, Any]], unit: str | None = None) -> str:
    """`minify (52.7%; of it compress 41.4%) and main (33.9%)`; with a unit also how much each is."""
    return joined([_part_said(one, unit) for one in parts[:PARTS]])


def _part_said(part: dict[str, Any], unit: str | None) -> str:
    much = [share(part["total_share"]), *([amount(part["total_value"], unit)] if unit else [])]
    inside = [f"{cited(one)} {share(one['total_share'])}" for one in part["inside"]]
    return f"{cited(part)} ({', '.join(much)}{'; of it ' + joined(inside) if inside else ''})"


def is_entry(name: str) -> bool:
    """Whether a program merely begins there."""
    last = last_part(name)
    return last in ENTRIES or name.startswith(("(anonymous", "<anonymous", "(root"))


def heaviest_path(nodes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Down the heaviest child as long as it carries at least half of its parent."""
    path: list[dict[str, Any]] = []
    level = [node for node in nodes if node["parent"] is None]
    while level:
        heaviest = max(level, key=lambda node: node["total_value"])
        if path and heaviest["total_value"] * 2 < path[-1]["total_value"]:
            break
        path.append(heaviest)
        level = [node for node in nodes if node["parent"] == heaviest["handle"]]
    return path


def path_to_heaviest(nodes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """From the root to the node that keeps the most for itself; empty where that is under a tenth of the root."""
    at = {node["handle"]: node for node in nodes}
    end: dict[str, Any] | None = max(nodes, key=lambda node: node["self_value"], default=None)
    path: list[dict[str, Any]] = []
    while end is not None:
        path.insert(0, end)
        end = at.get(end["parent"] or "")
    return path if path and path[-1]["self_value"] >= LEADS * path[0]["total_value"] else []


def path_said(path: list[dict[str, Any]], where: str) -> str:
    """A path in a line, runs of one function together; empty for a single step."""
    steps: list[list[dict[str, Any]]] = []
    for _, run in groupby(path, key=lambda node: node["frame_handle"]):
        nodes = list(run)
        if nodes[0]["frame_handle"] not in {step[0]["frame_handle"] for step in steps}:
            steps.append(nodes)
    shown = steps[-PATH_STEPS:]
    if len(shown) < 2:
        return ""
    said = " → ".join(f"{cited(run[0])} {share(run[0]['total_share'])}{_nested(run)}" for run in shown)
    return f"The heaviest path{where}: {'… → ' if len(steps) > len(shown) else ''}{said}."


def _nested(run: list[dict[str, Any]]) -> str:
    """How deep a function calls itself there, and what the innermost call still holds."""
    if len(run) < 2:
        return ""
    deep = run[-1]["depth"] - run[0]["depth"]
    return f" (calls itself {linked(f'{deep:.0f}', deep)} deep, down to {share(run[-1]['total_share'])})"


def path_in_it(evidence: Evidence) -> str:
    """The heaviest path of the first tree that was asked for; empty without one."""
    tree = evidence.first("get_call_tree")
    return path_said(heaviest_path(tree["nodes"]), "") if tree else ""


def apart_from_it(row: dict[str, Any], evidence: Evidence) -> str:
    """What is next apart from the path of what was spoken of, where the row is on that; empty where it is not."""
    tree = evidence.first("get_call_tree", max_nodes=OF_AN_ORDER)
    before, lead = evidence.spoken_of, evidence.lead
    if not (tree and before and lead) or not _on_one_path(row["handle"], before.handle, tree["nodes"]):
        return ""
    at = [one["handle"] for one in lead.rows].index(row["handle"]) if row in lead.rows else len(lead.rows)
    further = (one for one in lead.rows[at + 1 :] if one["self_value"] > 0 and not is_pseudo(one))
    further = (one for one in further if one["handle"] != before.handle)
    found = next((one for one in further if not _on_one_path(one["handle"], before.handle, tree["nodes"])), None)
    apart = f"; apart from that {cited(found)} is next, with {own(found, lead.unit)} itself" if found else ""
    return f"It is on one path with {before.cited}{apart}."


def _on_one_path(one: str, other: str, nodes: list[dict[str, Any]]) -> bool:
    """Whether one of two functions runs below the other where it weighs most."""
    known = {node["handle"]: node for node in nodes}
    for below, above in ((one, other), (other, one)):
        of_it = [node for node in nodes if node["frame_handle"] == below]
        node = max(of_it, key=lambda node: float(node["total_value"]), default=None)
        while node is not None:
            node = known.get(node["parent"] or "")
            if node and node["frame_handle"] == above:
                return True
    return False
