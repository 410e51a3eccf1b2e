"""V8's sampling heap profiles (`.heapprofile`, `node --heap-prof`): which code allocated what is still alive.

Format: HeapProfiler.SamplingHeapProfile of the Chrome DevTools Protocol
(https://chromedevtools.github.io/devtools-protocol/v8/HeapProfiler/).
"""

import msgspec
import numpy as np

from traces.builder import TraceBuilder
from traces.formats.v8.v8_nodes import CallFrame, frame_of
from traces.model import NONE
from traces.stacks import StackTable
from traces.values import Unit, ValueType


class Node(msgspec.Struct):
    call_frame: CallFrame = msgspec.field(name="callFrame")
    self_size: float | int = msgspec.field(name="selfSize", default=0)
    children: list["Node"] = []


class File(msgspec.Struct):
    head: Node


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed the one profile, a sample a node that allocated. Raises DamagedTrace."""
    stacks = StackTable()
    leaves: list[int] = []
    sizes: list[float] = []
    pending = [(msgspec.json.decode(content, type=File).head, NONE)]
    while pending:
        node, parent = pending.pop()
        leaf = stacks.child(parent, frame_of(builder, node.call_frame))
        if node.self_size != 0:
            leaves.append(leaf)
            sizes.append(node.self_size)
        pending.extend((child, leaf) for child in reversed(node.children))
    weights = [np.array(sizes, np.float64)]
    builder.add_sampled(builder.name, stacks, leaves, weights, values=(ValueType("allocated", Unit.BYTES),))
