"""A conversation behind a link: what whoever holds the link reads of it, and nothing of other traces, people or costs.

Of each turn that has an answer: the question, the answer with its citations and checks, and the steps that read this
trace. At the first turn that drew on anything else (another trace, usage, what is remembered) it ends, since what comes
later may repeat it.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace

from server.analyst.memory_orders import memory_order
from server.errors import NotFound
from server.ports.conversations import Conversations, MessageRow, Sender
from server.ports.identity import Caller
from server.ports.objects import PICTURES_BUCKET, ObjectStore
from server.ports.traces import SharedSession, TraceRecords
from server.turns.access import link_hash, session_of
from traces.errors import TraceError
from traces.handles import parse_handle

OF_THE_TRACE = frozenset(
    {
        "get_trace_summary",
        "get_insights",
        "list_profiles",
        "get_top_functions",
        "get_call_tree",
        "get_callers_callees",
        "find_frames",
        "get_hottest_windows",
        "get_longest_calls",
        "get_span_details",
        "get_schema",
        "query_trace",
        "generate_flamegraph_screenshot",
        "generate_sandwich_flamegraph_screenshot",
        "draw_chart",
        "show_in_viewer",
        "set_filter",
        "read_view",
    }
)
"""Tools that read the trace alone."""

OF_SOURCE = frozenset({"read_source"})
"""Shown without its steps: files of the program are not shared with a recording of it."""

KEPT_OF_METADATA = frozenset({"citations", "checks", "partial", "truncated", "table", "event"})
PAGE = 200
MOST_MESSAGES = 20_000


@dataclass(frozen=True, slots=True)
class Shown:
    """The messages of the turns that are shown, in order; `turns` counts them, `withheld` those after them."""

    messages: tuple[MessageRow, ...]
    turns: int
    withheld: int


@dataclass(frozen=True, slots=True)
class SharedConversation:
    """What a link shows. There is no title where no turn is shown."""

    title: str | None
    shown: Shown


class SharedConversations:
    """Links to conversations."""

    def __init__(self, records: TraceRecords, conversations: Conversations, objects: ObjectStore) -> None:
        self._records = records
        self._conversations = conversations
        self._objects = objects

    async def share(self, caller: Caller, session_id: str) -> tuple[str, Shown]:
        """The token of a new link, in place of an earlier one, and what it shows now. Raises NotFound, and NotAllowed
        when the caller's plan does not include sharing."""
        session = await session_of(self._conversations, caller, session_id)
        token = secrets.token_urlsafe(32)
        await self._records.share_session(caller, session.session_id, link_hash(token))
        return token, shown_of(await self._messages(caller, session.session_id))

    async def unshare(self, caller: Caller, session_id: str) -> None:
        """End the conversation's link, if it has one. Raises NotFound."""
        session = await session_of(self._conversations, caller, session_id)
        await self._records.share_session(caller, session.session_id, None)

    async def is_conversation(self, token: str) -> bool:
        """Whether a link leads to a conversation, and not to a trace alone."""
        try:
            await self._records.shared_session(link_hash(token))
        except NotFound:
            return False
        return True

    async def read(self, token: str) -> SharedConversation:
        """Raises NotFound for a link that was never made, was taken back, or leads to what is gone."""
        session = await self._records.shared_session(link_hash(token))
        shown = shown_of(await self._messages(_maker(session), session.session_id))
        return SharedConversation(session.title if shown.turns else None, shown)

    async def picture(self, token: str, turn_id: str, name: str) -> bytes | str:
        """A picture of a message that is shown, or the address where it can be fetched for some minutes. Raises
        NotFound."""
        shared = await self.read(token)
        ending = f"/{turn_id}/{name}.png"
        for message in shared.shown.messages:
            if message.image_path is not None and message.image_path.endswith(ending):
                address = await self._objects.address(PICTURES_BUCKET, message.image_path)
                return address or await self._objects.get(PICTURES_BUCKET, message.image_path)
        raise NotFound("There is no such picture.")

    async def _messages(self, caller: Caller, session_id: str) -> list[MessageRow]:
        """All that stand, in order."""
        found: list[MessageRow] = []
        while len(found) < MOST_MESSAGES:
            before = found[0].position if found else None
            page = await self._conversations.messages(caller, session_id, before=before, limit=PAGE)
            found = [*page, *found]
            if len(page) < PAGE:
                break
        return found


def _maker(session: SharedSession) -> Caller:
    return Caller(user_id=session.user_id, account_id=session.account_id)


def shown_of(messages: Sequence[MessageRow]) -> Shown:
    """What may be shown of a conversation's messages."""
    turns: dict[str, list[MessageRow]] = {}
    for message in messages:
        if message.turn_id is not None:
            turns.setdefault(message.turn_id, []).append(message)
    answered = [rows for rows in turns.values() if any(row.sender is Sender.MODEL and row.text for row in rows)]
    count = next((place for place, rows in enumerate(answered) if _reads_elsewhere(rows)), len(answered))
    shown = tuple(_stripped(row) for rows in answered[:count] for row in rows if _is_shown(row))
    return Shown(shown, count, len(answered) - count)


def _reads_elsewhere(rows: Sequence[MessageRow]) -> bool:
    """Whether a turn drew on more than its trace; a tool that is not known here is taken to do so."""
    return any(
        memory_order(row.text) is not None
        if row.sender is Sender.USER
        else bool(row.metadata.get("usedFacts") or _cites_documents(row))
        or (row.tool_name is not None and not _is_of_the_trace(row))
        for row in rows
    )


def _cites_documents(row: MessageRow) -> bool:
    citations = row.metadata.get("citations")
    return isinstance(citations, list) and any(
        isinstance(one, dict) and one.get("kind") == "document" for one in citations
    )


def _is_of_the_trace(row: MessageRow) -> bool:
    arguments, is_request = row.tool_args or {}, row.sender is Sender.TOOL_REQUEST  # which decides for its result
    match row.tool_name:
        case "navigate":
            return not is_request or arguments.get("action") in ("set_view", "zoom", "select", "highlight")
        case "compare_traces":
            return not is_request or (_names_profile(arguments.get("others")) and not arguments.get("runs"))
        case name:
            return name in OF_THE_TRACE | OF_SOURCE


def _names_profile(others: object) -> bool:
    """Whether what is compared with is another profile of the same trace."""
    if not isinstance(others, list) or len(others) != 1:
        return False
    named = others[0]
    try:
        return isinstance(named, str) and parse_handle(named.strip().lstrip("#")).kind == "profile"
    except TraceError:
        return False


def _is_shown(row: MessageRow) -> bool:
    if row.sender is Sender.SYSTEM_EVENT:
        return row.metadata.get("event") == "turn_cancelled"
    return row.tool_name not in OF_SOURCE


def _stripped(row: MessageRow) -> MessageRow:
    """Without what an answer cost, which model gave it, how it was rated, and what else may be noted some day."""
    kept = {name: value for name, value in row.metadata.items() if name in KEPT_OF_METADATA}
    return replace(row, metadata=kept, feedback=None)
