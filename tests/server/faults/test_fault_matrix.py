"""docs/operations.md, "When a service fails": each row is tried, and each service with each fault has its row."""

import asyncio
import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import structlog
from structlog.testing import capture_logs
from structlog.typing import EventDict, WrappedLogger

from server.errors import ServerError, ServiceUnavailable
from server.turns.turn_failures import turn_failure
from tests.arrivals import Arrivals
from tests.server.faults.provoked import LOGGED, SERVICES, SOON_S, TIMES, failure
from tests.server.faults.scripted_services import FAULTS
from tests.server.running_server import ScriptedAgent, running_server, saying
from tests.server.talking import END, ask

OPERATIONS = Path(__file__).parents[3] / "docs" / "operations.md"
CELLS = [(service, fault) for service in SERVICES for fault in FAULTS]
AGAIN = "may be asked again"
QUOTED, CODE = re.compile(r'"([^"]+)"'), re.compile(r"`([a-z_]+)`")


@dataclass(frozen=True, slots=True)
class Row:
    service: str
    fault: str
    turn: str
    person: str
    log: str


@dataclass(frozen=True, slots=True)
class Seen:
    error: ServerError | None
    logged: frozenset[str]


def rows() -> dict[tuple[str, str], Row]:
    table = OPERATIONS.read_text(encoding="utf-8").partition("## When a service fails")[2].partition("\n## ")[0]
    lines = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in table.splitlines()]
    found = [Row(*cells) for cells in lines if len(cells) == len(Row.__match_args__)]
    return {(row.service, row.fault): row for row in found[1:]}


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[tuple[str, str], Seen]]:
    """All cells, a service at a time, its faults at once."""

    def keep(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
        if method != "debug":  # which nobody reads
            LOGGED.get(Arrivals[str]()).append(str(event["event"]))
        raise structlog.DropEvent

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            LOGGED.get(Arrivals[str]()).append(record.name)

    async def one(service: str, fault: str) -> Seen:
        logged = Arrivals[str]()
        LOGGED.set(logged)
        folder = tmp_path_factory.mktemp("cell")
        error = await failure(service, next(one for one in FAULTS if one == fault), folder)
        return Seen(error, frozenset(logged))

    async def every() -> dict[tuple[str, str], Seen]:
        await failure("model endpoint", "gone", tmp_path_factory.mktemp("imports"))
        found = [await asyncio.gather(*(one(service, fault) for fault in FAULTS)) for service in SERVICES]
        return dict(zip(CELLS, (cell for some in found for cell in some), strict=True))

    before, kept = structlog.get_config()["processors"], Kept(logging.WARNING)
    with pytest.MonkeyPatch.context() as patch:
        for name in TIMES:
            patch.setattr(name, SOON_S)
        structlog.configure(processors=[keep])
        logging.getLogger().addHandler(kept)
        try:
            yield asyncio.run(every())
        finally:
            structlog.configure(processors=before)
            logging.getLogger().removeHandler(kept)


async def test_a_turn_that_fails_is_logged_with_its_code_and_nothing_that_was_said(tmp_path: Path) -> None:
    agent = ScriptedAgent([*saying("It is "), ServiceUnavailable("The store is away.", service="storage")])
    with capture_logs() as logs:
        async with running_server(tmp_path, agent) as server, server.session(await server.trace_id()) as socket:
            await ask(socket, "is it the parser?")
            end = (await socket.until(*END))[-1]
    (line,) = [one for one in logs if one["event"] == "turn_failed"]
    assert (line["code"], line["error"]) == (end["code"], "ServiceUnavailable")
    assert "parser" not in str(logs)


def test_every_service_has_a_row_for_every_fault() -> None:
    assert list(rows()) == CELLS


@pytest.mark.xdist_group("faults")
@pytest.mark.parametrize(("service", "fault"), CELLS, ids=[" ".join(cell) for cell in CELLS])
def test_a_failing_service_does_to_turn_person_and_log_what_the_table_says(
    seen: dict[tuple[str, str], Seen], service: str, fault: str
) -> None:
    row, found = rows()[service, fault], seen[service, fault]
    assert set(CODE.findall(row.log)) <= found.logged
    assert bool(found.logged) == (row.log != "nothing of its own")
    shown = QUOTED.findall(row.person)
    if found.error is None:
        assert (shown, CODE.findall(row.turn)) == ([], [])
        return
    ended = turn_failure(found.error)
    assert [words for words in shown if words not in ended.message] == []
    assert shown
    assert CODE.findall(row.turn) in ([ended.code], [])
    assert (AGAIN in row.turn) == (ended.retryable and bool(CODE.findall(row.turn)))
