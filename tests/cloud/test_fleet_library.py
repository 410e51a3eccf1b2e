"""SQL over an account's recordings and its fleet's: one set of tables, and nobody else's."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from server.adapters.fleet.fleet_library import FleetPlace, HistoryWithFleets
from server.agent.questions.run_tables import LIBRARY
from server.errors import ConfigError
from server.ports.history import MOST_LIBRARY_ROWS, LibraryFiles, LibraryTableName
from server.ports.identity import Caller
from server.ports.run_labels import RunLabels
from server.ports.traces import SqlRows, TraceSearch
from server.testing.account_state import MemoryAccounts
from server.testing.history import MemoryHistory
from server.testing.manual_clock import ManualClock
from server.testing.trace_records import MemoryTraceRecords
from tests.cloud.s3_server import s3_server
from tests.cloud.test_fleet import address, batch, fleet
from tests.inline_workers import QueriesInProcess
from tests.plugins.worlds import a_trace_of
from traces.gate.run_history import FunctionFigures, RunFigure, RunHistory

ANNA = Caller(user_id="5b6a1d1e-0000-4000-8000-000000000001", account_id="5b6a1d1e-0000-4000-8000-000000000002")
BEN = Caller(user_id="5b6a1d1e-0000-4000-8000-000000000003", account_id="5b6a1d1e-0000-4000-8000-000000000004")
BOTH = "SELECT program, name, sum(self_value) AS own FROM lib.functions WHERE name <> 'other' GROUP BY ALL ORDER BY ALL"


def people() -> MemoryAccounts:
    accounts = MemoryAccounts(ManualClock())
    for caller in (ANNA, BEN):
        accounts.add(caller)
    return accounts


async def annas(where: str) -> HistoryWithFleets:
    """Anna has one recording of her own, and the fleet."""
    traces = MemoryTraceRecords(people())
    history = MemoryHistory(traces)
    row = a_trace_of(ANNA)
    await traces.insert(row)
    own = FunctionFigures("mine", "a.py", 5.0, 5.0, 1.0, 1.0, None)
    await history.keep(ANNA, row.trace_id, RunHistory((own,), (), (RunFigure("total", 5.0, "count"),)))
    return HistoryWithFleets(history, [FleetPlace(where, ANNA.account_id)])


async def asked(
    history: HistoryWithFleets, caller: Caller, folder: Path, sql: str = BOTH, search: TraceSearch | None = None
) -> tuple[LibraryFiles, SqlRows]:
    folder.mkdir()
    found = await history.write_library(caller, search or TraceSearch(), tuple(LIBRARY), folder)
    return found, await QueriesInProcess().query_library({str(name): file for name, file in found.files.items()}, sql)


@pytest.fixture
async def measured(tmp_path: Path) -> Path:
    fleet(tmp_path / "in")
    made, _ = batch(str(tmp_path / "in"), str(tmp_path / "fleet"))
    await made.run()
    return tmp_path / "fleet"


async def test_a_query_reads_both_and_another_account_neither(measured: Path, tmp_path: Path) -> None:
    history = await annas(str(measured))
    found, answer = await asked(history, ANNA, tmp_path / "a")
    assert (found.runs, found.left_out) == (4, 0)
    assert {(row[0], row[1], row[2]) for row in answer.rows if row[1] != "main"} == {
        ("index", "tokenize", 7.0),
        ("shop", "checkout", 120.0),
        (None, "mine", 5.0),
    }
    found, answer = await asked(history, BEN, tmp_path / "b")
    assert (found.runs, answer.rows) == (0, ())


async def test_recordings_of_a_fleet_have_their_file_program_and_totals(measured: Path, tmp_path: Path) -> None:
    sql = "SELECT recording, program, unit, total_value FROM lib.traces WHERE program = 'shop' ORDER BY total_value"
    _, answer = await asked(await annas(str(measured)), ANNA, tmp_path / "a", sql)
    assert [(str(row[0]).rsplit("/", 1)[-1], *row[1:]) for row in answer.rows] == [
        ("b.txt", "shop", "count", 31.0),
        ("a.txt", "shop", "count", 91.0),
    ]


async def test_a_search_narrows_the_fleet_too(measured: Path, tmp_path: Path) -> None:
    history = await annas(str(measured))
    found, answer = await asked(history, ANNA, tmp_path / "a", search=TraceSearch(run=RunLabels(program="index")))
    assert found.runs == 1
    assert {row[1] for row in answer.rows} == {"main", "tokenize"}
    later = TraceSearch(since=datetime.now(UTC) + timedelta(days=2))
    found, answer = await asked(history, ANNA, tmp_path / "b", search=later)
    assert (found.runs, answer.rows) == (0, ())
    labelled = TraceSearch(run=RunLabels(labels={"branch": "main"}))
    found, _ = await asked(history, ANNA, tmp_path / "c", search=labelled)
    assert found.runs == 0


async def test_what_is_too_much_is_counted_newest_first(measured: Path, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    history = await annas(str(measured))
    tables: tuple[LibraryTableName, ...] = ("functions",)
    found = await history.write_library(ANNA, TraceSearch(), tables, tmp_path / "a", most_rows=1000)
    assert (found.runs, found.left_out) == (3, 1)
    assert MOST_LIBRARY_ROWS > 1000


async def test_a_fleet_in_a_bucket_is_read_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fleet(tmp_path / "in")
    async with s3_server() as server:
        for name, value in server.settings().items():
            monkeypatch.setenv(name, value)
        where = address(server, "measured")
        made, _ = batch(str(tmp_path / "in"), where)
        await made.run()
        found, answer = await asked(await annas(where), ANNA, tmp_path / "a")
    assert found.runs == 4
    assert ("shop", "checkout", 120.0) in {(row[0], row[1], row[2]) for row in answer.rows}


def test_a_place_that_is_none_ends_the_start() -> None:
    with pytest.raises(ConfigError, match="FLAMECHAT_FLEETS names /none"):
        HistoryWithFleets(MemoryHistory(MemoryTraceRecords(people())), [FleetPlace("/none", None)])
