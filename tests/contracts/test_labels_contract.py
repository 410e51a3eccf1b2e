"""Labels of traces and the search by them: over every adapter of rows."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from server.errors import BadRequest, NotFound
from server.ports.identity import Caller
from server.ports.run_labels import MOST_LABELS, RunLabels, written_labels
from server.ports.traces import TracePlace, TraceSearch
from tests.plugins.worlds import World, a_trace_of, new_uuid

START = datetime(2026, 1, 1, tzinfo=UTC)


async def a_run(world: World, caller: Caller, day: int, *labels: str, name: str = "trace.json") -> str:
    row = replace(a_trace_of(caller, name=name), run=written_labels(labels), created_at=START + timedelta(days=day))
    await world.traces.insert(row)
    return row.trace_id


async def found(world: World, caller: Caller, criteria: TraceSearch, limit: int = 50) -> list[str]:
    return [row.trace_id for row in await world.traces.search(caller, criteria, limit=limit)]


async def test_labels_are_set_changed_and_taken_off(world: World) -> None:
    caller = await world.user()
    trace_id = await a_run(world, caller, 0, "branch:main", "program:indexer", "commit:a:b")
    assert (await world.traces.get(caller, trace_id)).run == RunLabels(
        {"branch": "main", "commit": "a:b"}, program="indexer"
    )
    changes = {"branch": "feature-x", "commit": None, "program": "search", "none.such": None, "host": "\u202eé'"}
    with pytest.raises(BadRequest, match="control characters"):
        await world.traces.label(caller, trace_id, changes)
    changed = await world.traces.label(caller, trace_id, changes | {"host": "é'; drop"})
    assert changed.run == RunLabels({"branch": "feature-x", "host": "é'; drop"}, program="search")
    assert (await world.traces.get(caller, trace_id)).run == changed.run
    assert (await world.traces.label(caller, trace_id, {"program": None})).run.program is None


@pytest.mark.parametrize(
    ("changes", "naming"),
    [
        ({f"k{number}": "v" for number in range(MOST_LABELS + 1)}, "32 labels; these are 34"),
        ({"Branch": "main"}, "'Branch'"),
        ({"x" * 41: "main"}, "no key"),
        ({"": "main"}, "no key"),
        ({"branch": "x" * 10_000}, "branch has 10,000 characters"),
        ({"branch": ""}, "branch has 0"),
        ({"branch": "a\nb"}, "branch has control"),
        ({"program": "a\x00b"}, "program has control"),
    ],
)
async def test_what_is_no_label_is_refused_by_its_name(
    world: World, changes: dict[str, str | None], naming: str
) -> None:
    caller = await world.user()
    trace_id = await a_run(world, caller, 0, "branch:main")
    with pytest.raises(BadRequest, match=naming):
        await world.traces.label(caller, trace_id, changes)
    assert (await world.traces.get(caller, trace_id)).run.labels == {"branch": "main"}


async def test_traces_are_found_by_label_program_time_and_text(world: World) -> None:
    caller = await world.user()
    first = await a_run(world, caller, 0, "branch:main", "program:indexer", "release:4.0", name="Night.json")
    second = await a_run(world, caller, 1, "branch:main", "program:search", "release:4.1")
    third = await a_run(world, caller, 2, "branch:feature-x", "program:indexer")
    run = written_labels
    assert await found(world, caller, TraceSearch()) == [third, second, first]
    assert await found(world, caller, TraceSearch(run=run(["branch:main"]))) == [second, first]
    assert await found(world, caller, TraceSearch(run=run(["branch:main", "release:4.0"]))) == [first]
    assert await found(world, caller, TraceSearch(run=run(["program:indexer"]))) == [third, first]
    assert await found(world, caller, TraceSearch(since=START + timedelta(days=1))) == [third, second]
    assert await found(world, caller, TraceSearch(text="night")) == [first]
    assert await found(world, caller, TraceSearch(text="EARCH")) == [second]
    assert await found(world, caller, TraceSearch(text="feature")) == [third]
    assert await found(world, caller, TraceSearch(text="branch")) == []
    assert await found(world, caller, TraceSearch(text="%")) == []


async def test_a_search_goes_on_after_a_place_and_shows_none_twice(world: World) -> None:
    caller = await world.user()
    ids = [await a_run(world, caller, day // 3) for day in range(9)]
    seen: list[str] = []
    after: TracePlace | None = None
    while page := await world.traces.search(caller, TraceSearch(), limit=2, after=after):
        seen += [row.trace_id for row in page]
        after = TracePlace(page[-1].created_at, page[-1].trace_id)
    assert sorted(seen) == sorted(ids)
    assert len(seen) == 9


async def test_nobody_labels_or_finds_anothers_trace(world: World) -> None:
    caller, stranger = await world.user(), await world.user()
    trace_id = await a_run(world, caller, 0, "branch:main")
    assert await found(world, stranger, TraceSearch(run=written_labels(["branch:main"]))) == []
    as_if_of_theirs = replace(stranger, account_id=caller.account_id)
    assert await found(world, as_if_of_theirs, TraceSearch()) == []
    for attempt in (
        world.traces.label(stranger, trace_id, {"branch": "x"}),
        world.traces.label(caller, new_uuid(), {"branch": "x"}),
        world.traces.label(caller, "no-uuid", {"branch": "x"}),
    ):
        with pytest.raises(NotFound):
            await attempt
    assert (await world.traces.get(caller, trace_id)).run.labels == {"branch": "main"}
