"""On the page: the meter, a limit and the way on, and the administrator's page."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

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
