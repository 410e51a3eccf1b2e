"""Model calls and spend over HTTP: whose they are, pages, tables."""

import csv
import io
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from server.edges.http.invocation_routes import cursor_of, place_of
from server.edges.invocation_views import as_csv
from server.ports.invocations import InvocationCursor, PromptOutcome
from server.testing.invocations import MemoryInvocations
from tests.contracts.test_invocations_contract import NOON, a_call, answered
from tests.server.edges.test_every_route import AS_ANNA, AS_BEN
from tests.server.running_server import ANNA, running_server
from tests.server.talking import END, ask

AS_ROOT = {"Authorization": "Bearer root"}


async def test_calls_of_a_turn_and_what_all_of_them_came_to(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        log = server.parts.services.plans.invocations
        async with server.session(await server.trace_id()) as socket:
            await ask(socket)
            end = (await socket.until(*END))[-1]
        mine = {"turn": end["turnId"]}
        empty = await server.http.get("/api/v1/me/invocations", params=mine, headers=AS_ANNA)
        assert (empty.status_code, empty.json()) == (200, {"invocations": []})
        rows = [answered(a_call(ANNA, turn_id=end["turnId"], number=n), cost="0.5") for n in (1, 2)]
        rows.append(answered(a_call(ANNA, turn_id=end["turnId"], number=3), cost=None))
        rows = [
            replace(row, model_asked="=HYPERLINK()", started_at=NOON + timedelta(minutes=n))
            for n, row in enumerate(rows)
        ]
        for row in rows:
            await log.record(row)
        got = (await server.http.get("/api/v1/me/invocations", params=mine, headers=AS_ANNA)).json()["invocations"]
        assert [(one["callNumber"], one["costUsd"], one["outcome"]) for one in got] == [
            (1, 0.5, "ok"),
            (2, 0.5, "ok"),
            (3, None, "ok"),
        ]
        assert (await server.http.get("/api/v1/me/invocations", params=mine, headers=AS_BEN)).status_code == 404

        page, found, cursor = {"limit": 2}, [], None
        for _ in range(2):
            asked = page | ({} if cursor is None else {"cursor": cursor})
            answer = (await server.http.get("/api/v1/admin/invocations", params=asked, headers=AS_ROOT)).json()
            found += [one["invocationId"] for one in answer["invocations"]]
            cursor = answer["next"]
        assert (found, cursor) == ([row.invocation_id for row in reversed(rows)], None)
        report = (await server.http.get("/api/v1/admin/spend?by=model", headers=AS_ROOT)).json()
        (spent,) = report["spend"]
        assert (spent["calls"], spent["unpricedCalls"], spent["costUsd"]) == (3, 1, 1.0)
        assert "built-in analyst makes no model calls" in report["note"]
        nothing = await server.http.get("/api/v1/admin/spend?since=2030-01-01T00:00:00Z", headers=AS_ROOT)
        assert nothing.json()["spend"] == []
        table = await server.http.get("/api/v1/admin/spend?by=model&format=csv", headers=AS_ROOT)
        names, values = list(csv.reader(io.StringIO(table.text)))
        assert dict(zip(names, values, strict=True))["key"] == "'=HYPERLINK()"
        paged = await server.http.get("/api/v1/admin/invocations?format=csv&limit=2", headers=AS_ROOT)
        assert (paged.headers["content-type"], len(paged.text.splitlines())) == ("text/csv; charset=utf-8", 3)
        assert place_of(paged.headers["x-next-cursor"]) == InvocationCursor(rows[1].started_at, rows[1].invocation_id)
        for wrong in ("since=2030-01-01T00:00:00", "cursor=bm8", "cursor=%00", "user=x", "limit=0", "purpose=fun"):
            answered_wrong = await server.http.get(f"/api/v1/admin/invocations?{wrong}", headers=AS_ROOT)
            assert answered_wrong.status_code in (400, 404), wrong
        assert (await server.http.get("/api/v1/admin/spend", headers=AS_ANNA)).status_code == 403


def test_a_cursor_comes_back_as_it_went() -> None:
    row = a_call(ANNA)
    assert place_of(cursor_of(row)) == InvocationCursor(row.started_at, row.invocation_id)


def test_a_table_runs_nothing_in_a_spreadsheet() -> None:
    assert as_csv(["a", "b"], [{"a": "@SUM(1)", "b": None}, {"a": "x,\ny", "b": 1}]) == (
        'a,b\r\n\'@SUM(1),\r\n"x,\ny",1\r\n'
    )


async def test_a_report_by_prompt_has_how_its_turns_came_out(tmp_path: Path) -> None:
    counts = {"turns": 4, "completed": 3, "thumbs_up": 2, "thumbs_down": 1, "median_seconds": 1.5, "p95_seconds": 9.0}
    async with running_server(tmp_path) as server:
        log = server.parts.services.plans.invocations
        assert isinstance(log, MemoryInvocations)
        row = answered(a_call(ANNA), cost="0.5")
        await log.record(replace(row, prompt_version="asking@1", flags="promptVersion=candidate"))
        log.outcomes += [
            PromptOutcome(prompt_version="asking@1", claims=8, verified_claims=6, **counts),  # type: ignore[arg-type]
            PromptOutcome(prompt_version="asking@2", claims=0, verified_claims=0, **counts),  # type: ignore[arg-type]
        ]
        report = (await server.http.get("/api/v1/admin/spend?by=prompt", headers=AS_ROOT)).json()
        by_day = (await server.http.get("/api/v1/admin/spend?by=day", headers=AS_ROOT)).json()
        calls = (await server.http.get("/api/v1/admin/invocations", headers=AS_ROOT)).json()["invocations"]
        refused = await server.http.get("/api/v1/admin/spend?by=prompt", headers=AS_ANNA)
    assert [one["key"] for one in report["spend"]] == ["asking@1"]
    assert [(one["promptVersion"], one["verifiedShare"]) for one in report["outcomes"]] == [
        ("asking@1", 0.75),
        ("asking@2", None),
    ]
    assert report["outcomes"][0]["p95Seconds"] == 9.0
    assert by_day["outcomes"] == []
    assert calls[0]["flags"] == "promptVersion=candidate"
    assert refused.status_code == 403
