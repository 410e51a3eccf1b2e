"""Even a store that answers too much shows nobody another account's things."""

import uuid
from datetime import UTC, datetime

import pytest

from server.adapters.in_process.clock import SystemClock
from server.errors import NotFound
from server.ports.identity import Caller
from server.ports.traces import TraceRow
from server.testing.account_state import MemoryAccounts
from server.testing.trace_records import MemoryTraceRecords
from server.turns.access import trace_of

ANNA = Caller(user_id=str(uuid.uuid4()), account_id=str(uuid.uuid4()))
BEN = Caller(user_id=str(uuid.uuid4()), account_id=str(uuid.uuid4()))
ANNAS = TraceRow(
    trace_id=str(uuid.uuid4()),
    account_id=ANNA.account_id,
    user_id=ANNA.user_id,
    name="a",
    sha256="0",
    size_bytes=1,
    format="x",
    unit="count",
    duration_ns=None,
    summary={},
    object_path="a/b",
    created_at=datetime(2026, 1, 1, tzinfo=UTC),
)


class CarelessRecords(MemoryTraceRecords):
    async def get(self, caller: Caller, trace_id: str) -> TraceRow:
        return ANNAS


async def test_a_row_of_another_account_is_not_found() -> None:
    records = CarelessRecords(MemoryAccounts(SystemClock()))
    assert await trace_of(records, ANNA, ANNAS.trace_id) == ANNAS
    with pytest.raises(NotFound):
        await trace_of(records, BEN, ANNAS.trace_id)
