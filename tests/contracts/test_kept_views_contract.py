"""Long parts of views' addresses: over every adapter of rows."""

import pytest

from server.errors import NotFound
from server.ports.kept_views import LONGEST_SEARCH, LONGEST_TRANSFORMS, MOST_VIEWS, LongParts
from tests.plugins.worlds import World, new_uuid

ID = "abc-DEF_0123"


async def test_what_is_kept_is_read_under_its_id(world: World) -> None:
    caller = await world.user()
    trace_id = await world.trace(caller)
    parts = LongParts("drop-function:<b>" + "x" * (LONGEST_TRANSFORMS - 17), "é中\u202e" * 100 + "\x00")
    await world.kept_views.keep(caller, trace_id, ID, parts)
    await world.kept_views.keep(caller, trace_id, ID, parts)
    read = await world.kept_views.parts(caller, trace_id, ID)
    assert (read.transforms, read.find) == (parts.transforms, parts.find.replace("\x00", "\ufffd"))
    longest = LongParts("", "y" * LONGEST_SEARCH)
    await world.kept_views.keep(caller, await world.trace(caller), ID, longest)
    assert await world.kept_views.parts(caller, trace_id, ID) == read
    for missing in ("abc", "a" * 12, "\x00", "x" * 5_000):
        with pytest.raises(NotFound):
            await world.kept_views.parts(caller, trace_id, missing)


async def test_nobody_keeps_or_reads_views_of_anothers_trace(world: World) -> None:
    caller, stranger = await world.user(), await world.user()
    trace_id = await world.trace(caller)
    await world.kept_views.keep(caller, trace_id, ID, LongParts("", "mine"))
    for attempt in (
        world.kept_views.parts(stranger, trace_id, ID),
        world.kept_views.keep(stranger, trace_id, ID, LongParts("", "theirs")),
        world.kept_views.keep(caller, new_uuid(), ID, LongParts("", "nobody's")),
        world.kept_views.parts(caller, "no-uuid", ID),
    ):
        with pytest.raises(NotFound):
            await attempt
    assert await world.kept_views.parts(caller, trace_id, ID) == LongParts("", "mine")


async def test_the_longest_unused_go_where_a_trace_has_too_many(world: World) -> None:
    caller = await world.user()
    trace_id = await world.trace(caller)
    ids = [f"{number:012}" for number in range(MOST_VIEWS + 1)]
    for view_id in ids[:-1]:
        await world.kept_views.keep(caller, trace_id, view_id, LongParts("", view_id))
    await world.kept_views.parts(caller, trace_id, ids[0])
    await world.kept_views.keep(caller, trace_id, ids[1], LongParts("", ids[1]))
    await world.kept_views.keep(caller, trace_id, ids[-1], LongParts("", ids[-1]))
    with pytest.raises(NotFound):
        await world.kept_views.parts(caller, trace_id, ids[2])
    for stays in (ids[0], ids[1], ids[3], ids[-1]):
        assert await world.kept_views.parts(caller, trace_id, stays) == LongParts("", stays)


async def test_views_go_with_their_trace(world: World) -> None:
    caller = await world.user()
    trace_id = await world.trace(caller)
    await world.kept_views.keep(caller, trace_id, ID, LongParts("", "gone"))
    await world.traces.delete(caller, trace_id)
    with pytest.raises(NotFound):
        await world.kept_views.parts(caller, trace_id, ID)
