"""Who informs people of their budgets, over which ways."""

from typing import TYPE_CHECKING

from server.adapters.supabase.realtime import RealtimeRelay
from server.turns.budget_informing import BudgetInforming

if TYPE_CHECKING:
    from server.composing.use_cases import Adapters


def informing_of(adapters: "Adapters") -> BudgetInforming | None:
    """None where no budgets are kept."""
    notices, relay = adapters.rows.budget_notices, adapters.backing.relay
    if notices is None:
        return None
    return BudgetInforming(notices, broadcast=relay.inform if isinstance(relay, RealtimeRelay) else None)
