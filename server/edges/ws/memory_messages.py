"""What a socket sends of memory: proposals after the turn that made them, and that another version stands."""

from server.errors import NotSupported
from server.ports.core_memory import Verdict
from server.ports.identity import Caller
from server.protocol.base import WireModel
from server.protocol.client import DecideMemory
from server.protocol.server import MemoryChanged, MemoryProposed
from server.protocol.wire_values import MemoryState
from server.turns.account_memory import AccountMemory


class MemoryMessages:
    """Of one socket; knows what its client has been sent."""

    def __init__(self, memory: AccountMemory | None, caller: Caller) -> None:
        self._memory = memory
        self._caller = caller
        self._version = 0
        self._sent: set[str] = set()

    def acknowledged(self, state: MemoryState | None) -> None:
        """Take note of what a `connection_ack` had."""
        if state is not None:
            self._version = state.version
            self._sent = {one.proposal_id for one in state.proposals}

    async def news(self, session_id: str) -> list[WireModel]:
        """What has come since. Raises NotFound, DatabaseUnavailable."""
        if self._memory is None:
            return []
        state = await self._memory.state(self._caller, session_id)
        new = [one for one in state.proposals if one.proposal_id not in self._sent]
        self._sent |= {one.proposal_id for one in new}
        messages: list[WireModel] = [MemoryProposed(**one.model_dump()) for one in new]
        if state.version != self._version:
            messages.append(MemoryChanged(version=state.version))
        self._version = state.version
        return messages

    @property
    def version(self) -> int:
        """Which the client knows."""
        return self._version

    def is_new(self, message: MemoryChanged) -> bool:
        """Whether the client does not know that version; from now on it does."""
        known, self._version = self._version, message.version
        return known != message.version

    async def decide(self, message: DecideMemory) -> MemoryChanged:
        """Raises NotSupported, NotFound, BadRequest."""
        if self._memory is None:
            raise NotSupported("Nothing is remembered here.")
        verdict = Verdict(message.decision)
        done = await self._memory.decide(self._caller, message.proposal_id, verdict, message.text)
        self._version = done.memory.version
        return MemoryChanged(version=self._version, proposal_id=message.proposal_id, decision=done.decision.value)
