"""What turns' graphs are run on, over the adapters."""

from typing import TYPE_CHECKING

from server.settings import Settings
from server.turns.account_memory import AccountMemory
from server.turns.collector_recovery import CollectorRecovery
from server.turns.outside_reach import OutsideReach
from server.turns.trace_library import TraceLibrary
from server.turns.turn_input import TurnInputs

if TYPE_CHECKING:
    from server.composing.use_cases import Adapters


def turn_inputs(
    settings: Settings, adapters: "Adapters", library: TraceLibrary, memory: AccountMemory | None
) -> TurnInputs:
    """The same for every executor."""
    return TurnInputs(
        conversations=adapters.rows.conversations,
        library=library,
        clock=adapters.clock,
        plans=adapters.rows.plans,
        memory=memory,
        outside=OutsideReach(adapters.mcp_tools, adapters.web, adapters.repositories, settings.source_dir),
    )


def collector_recovery(
    adapters: "Adapters", memory: AccountMemory | None, inputs: TurnInputs
) -> CollectorRecovery | None:
    """None where nothing is remembered."""
    rows = adapters.rows
    if memory is None or rows.memory is None:
        return None
    return CollectorRecovery(store=rows.memory, conversations=rows.conversations, collect=inputs.collect)
