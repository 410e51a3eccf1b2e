"""Long parts of views' addresses in dictionaries: the twin of PostgresKeptViews."""

from server.adapters.storable import not_found, storable_text
from server.ports.identity import Caller
from server.ports.kept_views import MOST_VIEWS, LongParts
from server.testing.trace_records import MemoryTraceRecords


class MemoryKeptViews:
    """Kept views of the traces of MemoryTraceRecords; the longest unused stand first."""

    def __init__(self, traces: MemoryTraceRecords) -> None:
        self._traces = traces
        self._kept: dict[str, dict[str, LongParts]] = {}
        traces.on_delete.append(self._forget)

    async def keep(self, caller: Caller, trace_id: str, view_id: str, parts: LongParts) -> None:
        kept = await self._of(caller, trace_id)
        stored = LongParts(storable_text(parts.transforms), storable_text(parts.find))
        kept[view_id] = kept.pop(view_id, stored)
        for unused in list(kept)[: max(0, len(kept) - MOST_VIEWS)]:
            del kept[unused]

    async def parts(self, caller: Caller, trace_id: str, view_id: str) -> LongParts:
        kept = await self._of(caller, trace_id)
        if view_id not in kept:
            raise not_found("kept view")
        kept[view_id] = kept.pop(view_id)
        return kept[view_id]

    def _forget(self, trace_id: str) -> None:
        self._kept.pop(trace_id, None)

    async def _of(self, caller: Caller, trace_id: str) -> dict[str, LongParts]:
        row = await self._traces.get(caller, trace_id)
        return self._kept.setdefault(row.trace_id, {})
