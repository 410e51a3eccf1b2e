"""What `deploy/langgraph/langgraph.json` names: the graph for a server that speaks LangGraph's API."""

from server.agent.graph.compiled_graph import TurnGraph


def graph() -> TurnGraph:
    """The graph over the models of this process's settings. A composition root like `server.app`, under the name by
    which it is deployed: docs/decisions/0013."""
    from server.composing.deployed_graph import deployed_graph  # noqa: PLC0415 - rooms above, at the root only

    return deployed_graph()
