"""What a client may do with views whose address is too long: have their long parts kept, and read them."""

import hashlib
from base64 import urlsafe_b64encode

from server.cleaning import clean
from server.errors import BadRequest
from server.ports.identity import Caller
from server.ports.kept_views import LONGEST_SEARCH, LONGEST_TRANSFORMS, KeptViews, LongParts
from server.ports.traces import TraceRecords
from server.turns.access import trace_of

ID_BYTES = 9
"""Twelve letters: by chance two views of a trace share an id once in 10^16."""


class ViewKeeping:
    """The use cases of kept views. Every method raises NotFound for what is not the caller's."""

    def __init__(self, views: KeptViews, records: TraceRecords) -> None:
        self._views = views
        self._records = records

    async def keep(self, caller: Caller, trace_id: str, transforms: str, find: str) -> str:
        """The id, the same for the same parts. Raises BadRequest for parts that no view has."""
        parts = LongParts(clean(transforms), clean(find))
        for name, text, most in (
            ("transforms", parts.transforms, LONGEST_TRANSFORMS),
            ("find", parts.find, LONGEST_SEARCH),
        ):
            if len(text) > most:
                raise BadRequest(
                    f"A view has at most {most:,} characters of {name}: these are {len(text):,}.", field=name
                )
        row = await trace_of(self._records, caller, trace_id)
        digest = hashlib.sha256(f"{parts.transforms}\0{parts.find}".encode("utf-8", "replace")).digest()
        view_id = urlsafe_b64encode(digest[:ID_BYTES]).decode()
        await self._views.keep(caller, row.trace_id, view_id, parts)
        return view_id

    async def read(self, caller: Caller, trace_id: str, view_id: str) -> LongParts:
        row = await trace_of(self._records, caller, trace_id)
        return await self._views.parts(caller, row.trace_id, view_id)
