"""Which node follows which: setup -> agent <-> tools (-> page) -> check (-> repair -> check) -> finish. Both the
compiled graph and the plain loop are made from it.
"""

from langchain_core.messages import AIMessage

from server.agent.bounds import AgentBounds
from server.agent.graph.agent_node import call_model
from server.agent.graph.calls.page_node import ask_page
from server.agent.graph.finish import check, finish
from server.agent.graph.recorded_events import Node, recorded
from server.agent.graph.repair import needs_repair, repair
from server.agent.graph.setup import set_up
from server.agent.graph.state import TurnState
from server.agent.graph.tools_node import run_tools

FIRST = "setup"
END = ""
"""What follows the last node."""

NODES: dict[str, Node] = {
    name: recorded(node)
    for name, node in {
        "setup": set_up,
        "agent": call_model,
        "tools": run_tools,
        "page": ask_page,
        "check": check,
        "repair": repair,
        "finish": finish,
    }.items()
}
SUCCESSORS: dict[str, tuple[str, ...]] = {
    "setup": ("agent",),
    "agent": ("tools", "check", END),
    "tools": ("page", "agent"),
    "page": ("page", "agent"),
    "check": ("repair", "finish"),
    "repair": ("check",),
    "finish": (END,),
}
"""What may follow each node; `next_node` chooses where there is a choice."""


def next_node(name: str, state: TurnState, bounds: AgentBounds) -> str:
    """The node after one that has run, or END. After `agent`: END when the session stands over its limit, `tools` while
    the model asks for some, otherwise `check`. After `tools`: `page`, a call each time, while any waits for the page; a
    node that was interrupted runs again from its start, so it is one of its own. After `check`: `repair`, once, when
    too much of the answer was not found.
    """
    if name == "agent":
        if state["session_message_limit_hit_in_graph"]:
            return END
        last = state["messages"][-1]
        return "tools" if isinstance(last, AIMessage) and last.tool_calls else "check"
    if name in ("tools", "page"):
        return "page" if state.get("asked_of_page") else "agent"
    if name == "check":
        return "repair" if needs_repair(state, bounds) else "finish"
    (only,) = SUCCESSORS[name]
    return only
