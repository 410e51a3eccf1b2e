"""On the page: the meter, a limit and the way on, and the administrator's page."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import psycopg
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from server.adapters.postgres.embedded import EmbeddedPostgres
from server.ports.identity import LOCAL_USER_ID
from tests.e2e.pages import ask, expect_status, open_room
from tests.e2e.running_server import RunningServer, running_server

pytestmark = [
    pytest.mark.long,
    pytest.mark.browser,
    pytest.mark.xdist_group("browser"),
    pytest.mark.timeout(400),
]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningServer]:
    """One whose user has room for a single question a conversation."""
    with running_server(tmp_path / "data", {}) as server:
        admin(server, "POST", "plans", {"name": "one", "displayName": "One", "chatMessagesPerSession": 2})
        admin(server, "PUT", f"users/{LOCAL_USER_ID}/plan", {"plan": "one"})
        yield server


def admin(server: RunningServer, method: str, path: str, body: object) -> None:
    httpx.request(method, f"{server.address}/api/v1/admin/{path}", json=body, timeout=60).raise_for_status()


def test_the_input_is_closed_at_the_limit_and_comes_back_when_the_plan_is_changed(
    page: Page, server: RunningServer, board_trace: Path
) -> None:
    open_room(page, server.address, board_trace)
    ask(page)
    expect_status(page, "completed")
    expect(page.locator(".usage summary")).to_contain_text("2 of 2 messages in this conversation")
    ask(page, "And why?")
    banner = page.locator(".banner.limit")
    expect(banner).to_contain_text("2 of 2 used on the one plan")
    expect(banner.get_by_role("link", name="Change the plan")).to_be_visible()
    expect(page.get_by_label("Ask about this trace")).to_be_disabled()
    admin(server, "PATCH", "plans/one", {"chatMessagesPerSession": None})
    expect(page.get_by_label("Ask about this trace")).to_be_enabled(timeout=90_000)
    expect(banner).to_have_count(0)
    ask(page, "And why?")
    expect_status(page, "completed")


def test_an_administrator_makes_a_plan_sees_whom_it_would_stop_and_moves_a_user(
    page: Page, server: RunningServer
) -> None:
    page.goto(server.address)
    page.get_by_role("link", name="Plans and users").click()
    page.get_by_role("button", name="New plan").click()
    form = page.get_by_role("form", name="New plan")
    form.get_by_label("Name").fill("team")
    form.get_by_label("Shown as").fill("Team")
    form.get_by_label("Conversations", exact=True).fill("3")
    form.get_by_label("Models").fill("large, small")
    form.get_by_label("Tools that are left out").fill("query_trace")
    form.get_by_label("Budget a month, in cents").fill("250")
    form.get_by_label("Once the month's budget is spent").select_option("built_in")
    form.get_by_role("button", name="Save").click()
    plans = page.get_by_role("region", name="Plans")
    expect(plans.get_by_role("row", name="Team")).to_contain_text("3 a month")
    page.get_by_role("button", name="Change team").click()
    form = page.get_by_role("form", name="Change team")
    expect(form.get_by_label("Models")).to_have_value("large, small")
    expect(form.get_by_label("Tools that are left out")).to_have_value("query_trace")
    expect(form.get_by_label("Budget a month, in cents")).to_have_value("250")
    expect(form.get_by_label("Once the month's budget is spent")).to_have_value("built_in")
    form.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Change one").click()
    form = page.get_by_role("form", name="Change one")
    form.get_by_label("Uploads a month").fill("0")
    form.get_by_role("button", name="Who would be over?").click()
    expect(form.get_by_role("status")).to_contain_text("1 of 1 users would be at a limit; 0 are now.")
    form.get_by_role("button", name="Cancel").click()
    page.get_by_label("Plan of").select_option("Team")
    expect(page.locator(".users")).to_contain_text("0 of 3")  # else the grant may overtake it
    page.get_by_label("Conversations to grant").fill("4")
    page.get_by_role("button", name="Grant").click()
    expect(page.locator(".users")).to_contain_text("0 of 7")
    page.get_by_role("button", name="Retire team").click()
    expect(plans.get_by_role("row", name="Team")).to_contain_text("retired")
    expect(page.locator(".plan-changes li")).to_have_count(6)
    assert [one["id"] for one in Axe().run(page).response["violations"]] == []


def test_spend_is_a_chart_and_a_table_that_are_saved_as_csv(page: Page, server: RunningServer) -> None:
    with ThreadPoolExecutor(1) as apart_from_the_browser:
        apart_from_the_browser.submit(asyncio.run, fill_spend(server)).result(60)
    page.goto(f"{server.address}/admin")
    spend = page.get_by_role("region", name="Spend", exact=True)
    by_day = spend.get_by_role("region", name="Spend by day")
    expect(by_day.get_by_role("row")).to_have_count(3)
    expect(by_day).to_contain_text("1.50 USD")
    expect(spend.get_by_role("group", name="Chart: spend by day").locator(".point")).to_have_count(2)
    spend.get_by_role("combobox").first.select_option("model")
    by_model = spend.get_by_role("region", name="Spend by model")
    expect(by_model.get_by_role("row", name="large")).to_contain_text("2.00 USD")
    expect(by_model.get_by_role("row", name="small")).to_contain_text("not known")
    with page.expect_download() as saved:
        spend.get_by_role("button", name="Save as CSV").click()
    assert saved.value.suggested_filename == "spend-by-model.csv"
    lines = saved.value.path().read_text(encoding="utf-8").splitlines()
    assert [line.split(",")[0] for line in lines] == ["key", "large", "small"]
    page.get_by_label("Budget of their own, cents a month").fill("250")
    page.get_by_role("button", name="Set budget").click()
    expect(page.locator(".users")).to_contain_text("of 250")
    assert [one["id"] for one in Axe().run(page).response["violations"]] == []


async def fill_spend(server: RunningServer) -> None:
    """Three calls of yesterday and today."""
    insert = """
        insert into ai_invocation_summaries (invocation_id, account_id, user_id, attempt, call_number, try_number,
            purpose, executor, model_asked, input_tokens, output_tokens, cost_usd, outcome, started_at, ended_at)
        select gen_random_uuid(), id, personal_user_id, 1, 1, 1, 'answer', 'in_process', %s, 100, 10, %s, 'ok',
            now() - %s * interval '1 day', now()
        from accounts limit 1
    """
    async with EmbeddedPostgres(server.data / "postgres") as postgres:
        with psycopg.connect(postgres.owner_dsn, autocommit=True) as owner:
            for days, model, cost in ((0, "large", 1.5), (1, "large", 0.5), (1, "small", None)):
                owner.execute(insert, [model, cost, days])
