"""The chart follows an answer about another place, or offers it; citations and boxes mark each other."""

import threading
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.many_threads import written
from tests.e2e.pages import ask, expect_status, open_room
from tests.e2e.running_server import RunningServer

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]


@pytest.mark.long
def test_the_chart_follows_an_answer_unless_it_was_touched_and_offers_the_place_then(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    open_room(page, analyst_server.address, written(tmp_path))
    chart, offer = page.locator(".chart"), page.get_by_role("group", name="Another place")
    expect(chart).to_have_attribute("data-profile", "p30")
    ask(page, "What calls flush_28?")
    expect_status(page, "completed")
    expect(chart).to_have_attribute("data-selected-name", "flush_28")
    expect(chart).to_have_attribute("data-profile", "p27")
    expect(offer).to_have_count(0)

    waiting: list[Route] = []
    asked = threading.Event()

    def wait(route: Route) -> None:
        waiting.append(route)
        asked.set()

    page.route("**/places?*", wait)
    ask(page, "What calls flush_42?")
    expect_status(page, "completed")
    chart.press("+")
    page.wait_for_function("() => true")
    assert asked.is_set()
    for route in waiting:
        route.continue_()
    page.unroute("**/places?*")
    expect(offer).to_contain_text("The answer is about flush_42 in PoolWorker thread 42")
    expect(chart).to_have_attribute("data-profile", "p27")
    offer.get_by_role("button", name="Show what this is about").click()
    expect(chart).to_have_attribute("data-selected-name", "flush_42")
    expect(offer).to_have_count(0)


@pytest.mark.long
def test_a_citation_is_marked_in_the_chart_and_a_box_in_the_answer(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    open_room(page, analyst_server.address, written(tmp_path))
    chart = page.locator(".chart")
    ask(page, "How long does render_page take?")
    expect_status(page, "completed")
    link = page.locator(".turn .prose a.citation", has_text="render_page").first
    handle = str(link.get_attribute("href")).lstrip("#")
    link.hover()
    expect(chart).to_have_attribute("data-pointed", handle)
    expect(page.locator('.track[data-handle="p30"]')).to_have_attribute("data-pointed", "true")
    page.get_by_label("Ask about this trace").hover()
    expect(chart).to_have_attribute("data-pointed", "")
    box = chart.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.495, box["y"] + 30)
    expect(page.locator(".tooltip")).to_contain_text("render_page")
    expect(link).to_have_attribute("data-pointed", "")
    page.mouse.move(box["x"] + 5, box["y"] + box["height"] - 5)
    expect(link).not_to_have_attribute("data-pointed", "")
