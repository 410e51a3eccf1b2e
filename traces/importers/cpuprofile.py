"""`.cpuprofile` of Node and Chrome: today's list of nodes, and the tree that Node 10 and older wrote."""

import msgspec

from traces.builder import TraceBuilder
from traces.importers.head import Head
from traces.importers.v8 import CallFrame, Node, V8Profile, add_v8_profile


class File(msgspec.Struct):
    nodes: list[Node]
    samples: list[int] | None = None
    deltas: list[float | int] | None = msgspec.field(name="timeDeltas", default=None)
    start: float | int = msgspec.field(name="startTime", default=0)


class TreeNode(msgspec.Struct):
    id: int
    name: str = msgspec.field(name="functionName", default="")
    url: str = ""
    line: float | None = msgspec.field(name="lineNumber", default=None)
    column: float | None = msgspec.field(name="columnNumber", default=0)  # not written then: the line's beginning
    children: list["TreeNode"] = []


class TreeFile(msgspec.Struct):
    head: TreeNode
    samples: list[int]
    timestamps: list[float | int]


def looks_like(head: Head) -> bool:
    """An object with a list or a tree of nodes that hold call frames."""
    if head.json is None or head.json.root != "object":
        return False
    keys = head.json.keys
    if "nodes" in keys and b'"callFrame"' in head.data:
        return True
    if {"nodes", "samples", "timeDeltas"} <= keys:
        return True
    return "head" in keys and b'"functionName"' in head.data and b'"selfSize"' not in head.data


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed the one profile. Raises DamagedTrace."""
    head = bytes(content[:4096])
    profile = _read_tree(content) if b'"callFrame"' not in head and b'"head"' in head else _read_list(content, builder)
    add_v8_profile(builder, profile, builder.name)


def _read_list(content: memoryview, builder: TraceBuilder) -> V8Profile:
    file = msgspec.json.decode(content, type=File)
    if file.samples is None or file.deltas is None:
        raise builder.damaged("it has no samples or no time deltas.")
    return V8Profile(file.start, file.nodes, file.samples, file.deltas)


def _read_tree(content: memoryview) -> V8Profile:
    file = msgspec.json.decode(content, type=TreeFile)
    nodes: list[Node] = []
    pending = [file.head]
    while pending:
        node = pending.pop()
        call = CallFrame(node.name, node.url, node.line, node.column)
        nodes.append(Node(node.id, call, children=[child.id for child in node.children]))
        pending.extend(node.children)
    start = file.timestamps[0] if file.timestamps else 0
    deltas = [0.0, *(now - before for before, now in zip(file.timestamps, file.timestamps[1:], strict=False))]
    return V8Profile(start, nodes, file.samples, deltas)
