"""get_call_tree: the heaviest part of the call tree within a budget of nodes."""

from typing import Annotated, Any

from pydantic import Field

from server.agent.tools.contract.arguments import MyCodeArgument, ProfilesArgument, TransformsArgument, Windowed
from server.agent.tools.contract.resolving import chosen_frame, chosen_selection, chosen_window, profile_choice
from server.agent.tools.contract.tool import Outcome, Tool
from server.agent.tools.contract.transforming import TRANSFORM_FIELDS, changed_by
from server.agent.tools.get_top_functions import amount
from server.quoting import place, quoted
from traces.analysis.branches import Branch, branches
from traces.analysis.calltree import BudgetedTree, TreeNode, call_tree
from traces.analysis.units import format_share, format_value
from traces.model import Trace
from traces.transforms.vocabulary import parsed_transforms
from traces.values import Unit

NODE_FIELDS = frozenset(
    {
        "handle",
        "name",
        "file",
        "line",
        "depth",
        "parent",
        "self_value",
        "total_value",
        "self_share",
        "total_share",
        "count",
    }
)


class CallTreeArguments(Windowed):
    root: Annotated[str | None, Field(description="start here: frame f12 or node n34")] = None
    max_nodes: Annotated[int, Field(ge=1, le=200)] = 40
    inverted: Annotated[bool, Field(description="true: leaves first (bottom-up)")] = False
    profile: ProfilesArgument = None
    my_code: MyCodeArgument = False
    transforms: TransformsArgument = None


def answer_call_tree(trace: Trace, arguments: CallTreeArguments) -> Outcome:
    transforms = parsed_transforms(arguments.transforms)
    changed = changed_by(trace, transforms.upright, arguments.profile)
    inverted = arguments.inverted or transforms.inverts
    trace = changed.trace
    profile = chosen_selection(trace, changed.profile_argument, my_code=arguments.my_code)
    window = chosen_window(profile, arguments.start_time_ms, arguments.end_time_ms)
    done, of_transforms = changed.inside(window).for_tool()
    root = arguments.root
    if root is not None and not root.strip().lstrip("#").startswith("n"):
        root = f"f{chosen_frame(trace, root, profile)[0]}"
    tree = call_tree(
        trace,
        profile=profile_choice(profile),
        root=root.strip().lstrip("#") if root else None,
        max_nodes=arguments.max_nodes,
        window=window,
        inverted=inverted,
        frame_filter=profile.frame_filter,
    )
    unit = Unit(tree.unit)
    head = (
        f"{'inverted ' if inverted else ''}call tree of {profile.handle} {quoted(profile.name, 80)}, whole "
        f"{format_value(tree.scope_total, unit)}; a line is: depth node frame name place total share, self share"
    )
    parts = (
        branches(trace, profile=profile_choice(profile), window=window, frame_filter=profile.frame_filter)
        if root is None and not inverted
        else ()
    )
    lines = [head, *_parts_line(parts, unit), *(node_line(node, unit) for node in tree.nodes)]
    if tree.cut_nodes:
        lines.append(f"… {tree.cut_nodes} lighter nodes cut: raise max_nodes or start at a root")
    return Outcome(
        text="\n".join([*done, *lines]),
        data=of_transforms
        | {
            "profile": profile.handle,
            "unit": unit.value,
            "whole": float(tree.scope_total),
            "inverted": inverted,
            "cut_nodes": tree.cut_nodes,
            "counted": tree.counted,
            "nodes": [_node_data(tree, node) for node in tree.nodes],
            "parts": [
                _branch_data(branch.node) | {"inside": [_branch_data(one) for one in branch.inside]} for branch in parts
            ],
        },
    )


def _parts_line(parts: tuple[Branch, ...], unit: Unit) -> list[str]:
    """The few branches into which the total divides, on a line; none where it does not."""
    if len(parts) < 2:
        return []
    named = [f"{one.node.handle} {quoted(one.node.name, 80)} {format_share(one.node.total_share)}" for one in parts]
    return [f"it divides into {', '.join(named)}"]


def _branch_data(node: TreeNode) -> dict[str, Any]:
    return {
        "handle": node.handle,
        "frame_handle": node.frame,
        "name": node.name,
        "file": node.file,
        "line": node.line,
        "self_value": float(node.self_value),
        "total_value": float(node.total_value),
        "self_share": float(node.self_share),
        "total_share": float(node.total_share),
    }


def node_line(node: TreeNode, unit: Unit) -> str:
    """A node on one line: depth, node, frame, quoted name and place, total, self share."""
    return (
        f"{node.depth} {node.handle} {node.frame} {quoted(node.name, 80)}{place(node.file, node.line)} "
        f"{amount(node.total_value, node.total_share, unit)}, self {format_share(node.self_share)}"
        + (f" (+{node.hidden_children} children cut)" if node.hidden_children else "")
    )


def _node_data(tree: BudgetedTree, node: TreeNode) -> dict[str, Any]:
    return {
        "handle": node.handle,
        "frame_handle": node.frame,
        "name": node.name,
        "file": node.file,
        "line": node.line,
        "depth": node.depth,
        "parent": None if node.parent < 0 else tree.nodes[node.parent].handle,
        "self_value": float(node.self_value),
        "total_value": float(node.total_value),
        "self_share": float(node.self_share),
        "total_share": float(node.total_share),
        "count": node.count,
    }


GET_CALL_TREE = Tool(
    name="get_call_tree",
    description="For the way to a cost: the heaviest call paths, connected from the root, and what was cut. "
    "Narrow by root, window or profile.",
    arguments=CallTreeArguments,
    answer=answer_call_tree,
    doing=lambda a: f"Walking the {'inverted ' if a.inverted else ''}call tree",
    fields=NODE_FIELDS
    | TRANSFORM_FIELDS
    | {"parts", "inside", "frame_handle", "counted", "profile", "unit", "whole", "inverted", "cut_nodes", "nodes"},
    narrow="use a smaller max_nodes or start at a root",
)
