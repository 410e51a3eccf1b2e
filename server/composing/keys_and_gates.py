"""Programs at a server: who stands behind their keys, and gates that judge what they upload."""

from typing import TYPE_CHECKING

from server.adapters.supabase.realtime import RealtimeRelay
from server.ports.identity import Identity
from server.turns.gate_checks import GateChecks
from server.turns.gate_informing import GateInforming
from server.turns.gate_keeping import GateKeeping
from server.turns.key_identity import KeyedIdentity
from server.turns.key_issuing import KeyIssuing
from server.turns.trace_library import TraceLibrary

if TYPE_CHECKING:
    from server.composing.use_cases import Adapters


def identity_of(adapters: "Adapters") -> Identity:
    """People's, and keys' where there are some."""
    keys = adapters.rows.keys
    return adapters.backing.identity if keys is None else KeyedIdentity(adapters.backing.identity, keys)


def key_issuing_of(adapters: "Adapters") -> KeyIssuing | None:
    """None where no keys are kept."""
    return None if adapters.rows.keys is None else KeyIssuing(adapters.rows.keys, adapters.clock)


def gate_keeping_of(adapters: "Adapters", library: TraceLibrary) -> GateKeeping | None:
    """None where no gates are kept."""
    gates = adapters.rows.gates
    return None if gates is None else GateKeeping(gates, library, webhooks=adapters.webhooks is not None)


def gate_checks_of(adapters: "Adapters", library: TraceLibrary) -> GateChecks | None:
    """None where no gates are kept."""
    gates = adapters.rows.gates
    if gates is None:
        return None
    relay = adapters.backing.relay
    broadcast = relay.inform if isinstance(relay, RealtimeRelay) else None
    return GateChecks(gates, library, adapters.clock, adapters.webhooks, broadcast)


def gate_informing_of(adapters: "Adapters") -> GateInforming | None:
    """None where no gates are kept."""
    return None if adapters.rows.gates is None else GateInforming(adapters.rows.gates)
