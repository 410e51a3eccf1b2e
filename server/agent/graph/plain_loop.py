"""A turn's nodes in their order by a loop, where nothing is checkpointed and nobody watches: LangGraph takes longer to
import than such a turn takes to answer.
"""

from typing import cast

from server.agent.graph.merging import applied
from server.agent.graph.node_order import END, FIRST, NODES, next_node
from server.agent.graph.state import TurnContext, TurnState


async def run_nodes(first: TurnState, context: TurnContext) -> TurnState:
    """The state in which the turn ends, as the compiled graph's. Raises what the nodes raise; RecursionError over the
    bound of steps."""
    state, name = first, FIRST
    for _ in range(context.bounds.recursion_limit):
        update = await NODES[name](state, context)
        state = cast("TurnState", applied(TurnState, dict(state), update))
        name = next_node(name, state, context.bounds)
        if name == END:
            return state
    raise RecursionError(f"the turn has not ended within {context.bounds.recursion_limit} steps")
