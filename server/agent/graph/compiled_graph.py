"""setup -> agent <-> tools -> check (-> repair -> check) -> finish. Compiled once; everything that belongs to one
turn comes with its state and context.
"""

from typing import Any, Literal

from langchain_core.messages import AIMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from server.agent.graph.agent_node import call_model
from server.agent.graph.finish import check, finish
from server.agent.graph.recorded_events import recorded
from server.agent.graph.repair import needs_repair, repair
from server.agent.graph.setup import set_up
from server.agent.graph.state import TurnContext, TurnState
from server.agent.graph.tools_node import run_tools

TurnGraph = CompiledStateGraph[TurnState, TurnContext, TurnState, TurnState]


def build_graph() -> TurnGraph:
    graph: StateGraph[TurnState, TurnContext, Any, Any] = StateGraph(TurnState, context_schema=TurnContext)
    nodes = {
        "setup": set_up,
        "agent": call_model,
        "tools": run_tools,
        "check": check,
        "repair": repair,
        "finish": finish,
    }
    for name, node in nodes.items():
        graph.add_node(name, recorded(node))
    graph.add_edge(START, "setup")
    graph.add_edge("setup", "agent")
    graph.add_conditional_edges("agent", after_model, {"tools": "tools", "check": "check", "stop": END})
    graph.add_edge("tools", "agent")
    graph.add_conditional_edges("check", after_check, {"repair": "repair", "finish": "finish"})
    graph.add_edge("repair", "check")
    graph.add_edge("finish", END)
    return graph.compile()


def after_check(state: TurnState, runtime: Runtime[TurnContext]) -> Literal["repair", "finish"]:
    """`repair` when too much of the answer was not found, once."""
    return "repair" if needs_repair(state, runtime.context.bounds) else "finish"


def after_model(state: TurnState) -> Literal["tools", "check", "stop"]:
    """`stop` when the session stands over its limit, `tools` while the model asks for some, otherwise `check`."""
    if state["session_message_limit_hit_in_graph"]:
        return "stop"
    last = state["messages"][-1]
    return "tools" if isinstance(last, AIMessage) and last.tool_calls else "check"
