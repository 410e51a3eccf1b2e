"""What stands out, next to the chart, before any question."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.pages import ask, open_room
from tests.e2e.running_server import RunningServer

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]


def test_findings_stand_next_to_the_chart_until_the_first_question(
    page: Page, analyst_server: RunningServer, board_trace: Path
) -> None:
    open_room(page, analyst_server.address, board_trace)
    hot = page.locator(".findings").get_by_role("button", name="Hot function").first
    expect(hot).to_be_visible()
    ask(page)
    expect(hot).to_be_hidden()
    page.locator(".findings summary").click()
    expect(hot).to_be_visible()


def test_a_finding_opens_in_the_chart_and_in_the_chat(
    page: Page, analyst_server: RunningServer, board_trace: Path
) -> None:
    open_room(page, analyst_server.address, board_trace)
    findings = page.locator(".findings")
    expect(findings.locator("summary")).to_contain_text("high")
    findings.get_by_role("button", name="Forced reflow").first.click()
    expect(page.locator(".details")).to_contain_text("EventDispatch")
    findings.get_by_role("button", name="Ask about Hot function").click()
    expect(page.get_by_label("Ask about this trace")).to_have_value("Hot function: what about f62?")
