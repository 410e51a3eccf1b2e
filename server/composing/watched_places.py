"""`FLAMECHAT_WATCH`: folders and buckets whose new files become a user's traces, by the processes that run turns."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

import anyio

from server.composing.use_cases import Backing, Parts
from server.errors import ConfigError
from server.ports.identity import Caller
from server.settings import Settings

if TYPE_CHECKING:
    from server.adapters.postgres.pool import Database


@asynccontextmanager
async def watching_places(
    settings: Settings, database: "Database", backing: Backing, parts: Parts, scratch: Path
) -> AsyncIterator[None]:
    """Watch them as long as the context lasts. Raises ConfigError."""
    if not settings.watch or not settings.runs_turns:
        yield
        return
    from server.adapters.fleet.sources import source_of
    from server.adapters.postgres.people import account_of
    from server.adapters.postgres.watched_files import PostgresWatchedFiles
    from server.turns.watched_place import WatchedPlace

    async def owner(user_id: str | None) -> Caller:
        if user_id is None:
            assert backing.user is not None
            return backing.user
        return Caller(user_id=user_id, account_id=await account_of(database, user_id))

    looping = []
    for user_id, where in _watched(settings.watch, is_alone=backing.user is not None):
        place = WatchedPlace(
            where,
            source_of(where),
            owner=partial(owner, user_id),
            uploads=parts.services.traces.library,
            files=PostgresWatchedFiles(database),
            scratch=scratch,
            pause=partial(anyio.sleep, settings.watch_seconds),
        )
        looping.append(parts.loops.start("watched_place", place.run))
    try:
        yield
    finally:
        await parts.loops.stop(*looping)


def _watched(text: str, *, is_alone: bool) -> list[tuple[str | None, str]]:
    """Users with their places; None for the one user of a machine, who is not named. Raises ConfigError."""
    found: list[tuple[str | None, str]] = []
    for one in text.split(","):
        if is_alone:
            found.append((None, one.strip()))
            continue
        user, _, where = one.partition("=")
        try:
            found.append((str(UUID(user.strip())), where.strip()))
        except ValueError:
            raise ConfigError(f"FLAMECHAT_WATCH: {one.strip()} names no user; write USER_ID=PLACE.") from None
    return found
