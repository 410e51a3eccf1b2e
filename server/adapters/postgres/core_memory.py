"""What accounts remember, in PostgreSQL. Its functions decide what may be written."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from server.adapters.postgres.pool import Database
from server.adapters.postgres.statements import statement
from server.adapters.storable import known_id, not_found, storable_json, storable_text
from server.ports.core_memory import (
    BY_PROGRAM,
    COLLECTING_S,
    MOST_COLLECTED,
    Action,
    CollectorStep,
    Decided,
    Memory,
    MemoryChange,
    MemoryChanged,
    NewProposal,
    Noticed,
    Onboarding,
    Proposal,
    Verdict,
)
from server.ports.identity import Caller


class PostgresCoreMemory:
    """CoreMemory over a Database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self, caller: Caller) -> Memory:
        return _memory((await self._all("read_core_memory", caller))[0])

    async def write(self, caller: Caller, text: str, *, version: int) -> Memory:
        row = (await self._all("write_core_memory", caller, text=storable_text(text), version=version))[0]
        if not row["written"]:
            raise MemoryChanged(_memory(row))
        return _memory(row)

    async def propose(self, caller: Caller, proposal: NewProposal) -> Proposal | None:
        starts, ends = proposal.span or (None, None)
        rows = await self._all(
            "propose_core_memory",
            caller,
            session_id=known_id(proposal.session_id, "question"),
            turn_id=known_id(proposal.turn_id, "question"),
            action=proposal.action.value,
            old=_storable(proposal.old),
            text=_storable(proposal.text),
            starts=starts,
            ends=ends,
        )
        return _proposal(rows[0]) if rows else None

    async def decide(self, caller: Caller, proposal_id: str, verdict: Verdict, *, text: str | None = None) -> Decided:
        known = known_id(proposal_id, "proposal")
        rows = await self._all(
            "decide_core_memory", caller, proposal_id=known, decision=verdict.value, text=_storable(text)
        )
        row = rows[0]
        return Decided(
            decision=Verdict(row["decision"]), changed=row["changed"], memory=_memory(row, text="memory_text")
        )

    async def proposals(self, caller: Caller, session_id: str) -> list[Proposal]:
        rows = await self._all("core_memory_proposals", caller, session_id=known_id(session_id, "conversation"))
        return [_proposal(row) for row in rows]

    async def prompts(self, caller: Caller, session_id: str) -> list[str]:
        known = known_id(session_id, "conversation")
        rows = await self._all("typed_prompts", caller, session_id=known, by_program=BY_PROGRAM)
        return [row["prompt"] for row in rows]

    async def changes(self, caller: Caller, *, limit: int = 100) -> list[MemoryChange]:
        return [_change(row) for row in await self._all("core_memory_changes", caller, limit=limit)]

    async def versions(self, account_ids: frozenset[str]) -> Mapping[str, int]:
        async with self._database.transaction() as connection:
            cursor = await connection.execute(statement("core_memory_versions"), {"accounts": sorted(account_ids)})
            return {str(row["account_id"]): row["version"] for row in await cursor.fetchall()}

    async def proposed(self, session_ids: frozenset[str]) -> Mapping[str, int]:
        async with self._database.transaction() as connection:
            named = {"sessions": sorted(session_ids)}
            cursor = await connection.execute(statement("core_memory_proposed"), named)
            return {str(row["session_id"]): row["proposed"] for row in await cursor.fetchall()}

    async def onboarding(self, caller: Caller) -> Onboarding:
        row = (await self._all("read_onboarding", caller))[0]
        return Onboarding(
            state=row["state"] or {},
            outcome=row["outcome"],
            was_offered=row["was_offered"],
            initial_text=row["initial_text"],
        )

    async def keep_onboarding(self, caller: Caller, state: Mapping[str, Any]) -> None:
        await self._all("keep_onboarding", caller, state=Jsonb(storable_json(dict(state))))

    async def decline_onboarding(self, caller: Caller) -> None:
        await self._all("decline_onboarding", caller)

    async def confirm_onboarding(self, caller: Caller, text: str, *, answers: str, version: int) -> Memory:
        named = {"text": storable_text(text), "answers": storable_text(answers), "version": version}
        row = (await self._all("confirm_onboarding", caller, **named))[0]
        if not row["written"]:
            raise MemoryChanged(_memory(row))
        return _memory(row)

    async def begin_collecting(
        self, caller: Caller, turn_id: str, *, after_s: float = COLLECTING_S
    ) -> CollectorStep | None:
        known = known_id(turn_id, "question")
        if not await self._all("is_asked_by", caller, turn_id=known):
            raise not_found("question")
        rows = await self._all("begin_collecting", caller, turn_id=known, most=MOST_COLLECTED, after_s=after_s)
        return _step(rows[0]) if rows else None

    async def keep_noticed(self, turn_id: str, noticed: Sequence[Noticed]) -> None:
        kept = Jsonb([{"text": storable_text(one.text), "old": _storable(one.old)} for one in noticed])
        async with self._database.transaction() as connection:
            named = {"turn_id": known_id(turn_id, "question"), "noticed": kept}
            await connection.execute(statement("keep_noticed"), named)

    async def end_collecting(self, turn_id: str) -> None:
        async with self._database.transaction() as connection:
            await connection.execute(statement("end_collecting"), {"turn_id": known_id(turn_id, "question")})

    async def left_collecting(self, limit: int, *, after_s: float = COLLECTING_S) -> list[tuple[Caller, str]]:
        named = {"limit": limit, "most": MOST_COLLECTED, "after_s": after_s}
        async with self._database.transaction() as connection:
            cursor = await connection.execute(statement("left_collecting"), named)
            return [
                (Caller(user_id=str(row["user_id"]), account_id=str(row["account_id"])), str(row["turn_id"]))
                for row in await cursor.fetchall()
            ]

    async def _all(self, name: str, caller: Caller, **parameters: Any) -> Sequence[DictRow]:
        named = {"user_id": caller.user_id, "account_id": caller.account_id} | parameters
        async with self._database.transaction() as connection:
            return await (await connection.execute(statement(name), named)).fetchall()


def _storable(text: str | None) -> str | None:
    return None if text is None else storable_text(text)


def _memory(row: DictRow, *, text: str = "text") -> Memory:
    at: datetime | None = row["updated_at"]
    return Memory(
        text=row[text],
        version=row["version"],
        updated_at=at.astimezone(UTC) if at is not None and row["version"] else None,
        updated_by=None if row["updated_by"] is None else str(row["updated_by"]),
    )


def _proposal(row: DictRow) -> Proposal:
    span = row["span"]
    return Proposal(
        proposal_id=str(row["id"]),
        session_id=str(row["session_id"]),
        turn_id=str(row["turn_id"]),
        action=Action(row["action"]),
        old=row["old"],
        text=row["text"],
        span=None if span is None or span.lower is None else (span.lower, span.upper),
        decision=None if row["decision"] is None else Verdict(row["decision"]),
    )


def _step(row: DictRow) -> CollectorStep:
    found = row["noticed"]
    noticed = None if found is None else tuple(Noticed(text=one["text"], old=one["old"]) for one in found)
    return CollectorStep(attempt=row["attempts"], noticed=noticed)


def _change(row: DictRow) -> MemoryChange:
    return MemoryChange(
        version=row["version"],
        before=row["before"],
        after=row["after"],
        by_user=None if row["by_user"] is None else str(row["by_user"]),
        decided_by=None if row["decided_by"] is None else str(row["decided_by"]),
        decided_at=row["decided_at"].astimezone(UTC),
        decision=row["decision"],
        proposed_in_turn=None if row["proposed_in_turn"] is None else str(row["proposed_in_turn"]),
    )
