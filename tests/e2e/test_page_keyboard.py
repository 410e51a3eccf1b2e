"""Threads and chart by keyboard alone: reached by Tab, walked, opened, asked about; nothing is left to the mouse."""

import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from tests.e2e.many_threads import written
from tests.e2e.pages import open_room
from tests.e2e.running_server import RunningServer

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]

MOST_STOPS = 60


def tab_to(page: Page, target: Locator, key: str = "Tab") -> None:
    """Press Tab until the focus is there."""
    for _ in range(MOST_STOPS):
        if target.evaluate("(one) => one === document.activeElement"):
            return
        page.keyboard.press(key)
    raise AssertionError("Tab does not get there")


def test_threads_and_chart_are_used_by_keyboard_alone(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    open_room(page, analyst_server.address, written(tmp_path))
    tree, chart = page.get_by_role("tree", name="Processes and threads"), page.locator(".chart")
    expect(tree).to_have_attribute("aria-busy", "false")
    tab_to(page, tree)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("o")
    expect(page.locator(".pane")).to_have_count(1)
    expect(chart).to_have_attribute("data-profile", re.compile("p"))
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    expect(chart).to_have_attribute("data-profile", "p30")
    tab_to(page, chart)
    page.keyboard.press("ArrowDown")
    expect(chart).to_have_attribute("data-selected-name", "render_page")
    page.keyboard.press("ArrowDown")
    expect(chart).to_have_attribute("data-selected-name", "lay_out_rows")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("start="))
    for shade in ("light", "dark"):
        page.emulate_media(color_scheme=shade)
        assert [one["id"] for one in Axe().run(page).response["violations"]] == []
    page.keyboard.press("m")
    expect(page.get_by_role("menuitem").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("menuitem")).to_have_count(0)
    tab_to(page, page.get_by_label("Ask about this trace"))
    page.keyboard.type("Why is this slow?")
    page.keyboard.press("Enter")
    expect(page.locator(".turn")).to_have_count(1)
    tab_to(page, tree, "Shift+Tab")
