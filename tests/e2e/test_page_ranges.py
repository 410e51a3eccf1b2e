"""A range of time marked on threads: its figures, left heavy of it, a question about it; threads pinned and moved."""

import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import FloatRect, Page, expect

from tests.e2e.many_threads import written
from tests.e2e.pages import open_room
from tests.e2e.running_server import RunningServer

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]
TREE = "Processes and threads"


def strip_of(page: Page, handle: str) -> FloatRect:
    box = page.locator(f'.track[data-handle="{handle}"] .track-strip').bounding_box()
    assert box is not None
    return box


@pytest.mark.long
def test_a_range_marked_on_threads_has_its_figures_and_leads_on(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    open_room(page, analyst_server.address, written(tmp_path))
    chart, tree = page.locator(".chart"), page.get_by_role("tree", name=TREE)
    marked = page.get_by_role("group", name="Marked range of time")
    expect(tree).to_have_attribute("aria-busy", "false")
    strip = strip_of(page, "p30")
    middle = strip["y"] + strip["height"] / 2
    page.mouse.move(strip["x"] + strip["width"] * 0.25, middle)
    page.mouse.down()
    page.mouse.move(strip["x"] + strip["width"] * 0.6, middle)
    page.mouse.move(strip["x"] + strip["width"] * 0.5, middle)
    page.mouse.up()
    expect(chart).to_have_attribute("data-profile", "p30")
    expect(page.locator(".track[data-marked]")).to_have_count(1)
    expect(marked).to_contain_text(re.compile(r"9\d\.\d ms"))
    expect(marked.locator("summary")).to_have_text(re.compile(r"\d+\.?\d* ms busy, .* idle · 3\d calls"))
    heaviest = marked.get_by_role("list", name="Heaviest functions by self").get_by_role("button")
    expect(heaviest).to_have_count(3)
    expect(heaviest.first).to_contain_text("measure_text")
    assert [one["id"] for one in Axe().run(page).response["violations"]] == []
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    marked.get_by_role("button", name="Copy the figures").click()
    expect(marked.get_by_role("button", name="Copy the figures")).to_have_attribute("title", "Copied")
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert "measure_text" in copied
    assert "busy" in copied
    marked.get_by_role("button", name="Ask about this").click()
    expect(page.get_by_label("Ask about this trace")).to_have_value(re.compile(r"^What happens from .* ms to .* ms"))
    marked.get_by_role("button", name="Left heavy of this").click()
    expect(chart).to_have_attribute("data-mode", "left_heavy")
    expect(page.locator(".within-bar")).to_contain_text(re.compile(r"Left heavy of 9\d\.\d ms"))
    expect(page).to_have_url(re.compile("within="))
    assert 80e6 < float(chart.get_attribute("data-view-end") or 0) < 100e6
    page.reload()
    expect(page.locator(".within-bar")).to_be_visible()
    page.get_by_role("button", name="All of it").click()
    expect(page.locator(".within-bar")).to_have_count(0)
    expect(page).not_to_have_url(re.compile("within="))


@pytest.mark.long
def test_several_threads_are_marked_by_key_and_threads_are_pinned_and_moved(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    open_room(page, analyst_server.address, written(tmp_path))
    tree = page.get_by_role("tree", name=TREE)
    expect(tree).to_have_attribute("aria-busy", "false")
    tree.press("Home")
    tree.press("m")
    tree.press("ArrowDown")
    tree.press("m")
    marked = page.get_by_role("group", name="Marked range of time")
    expect(marked).to_contain_text("on 2 threads")
    expect(page.locator(".track[data-marked]")).to_have_count(2)
    marked.get_by_role("button", name="Unmark").click()
    expect(page.locator(".track[data-marked]")).to_have_count(0)

    rows = tree.locator(".track")
    third = rows.nth(2).get_attribute("data-handle") or ""
    fourth = rows.nth(3).get_attribute("data-handle") or ""
    for handle in (third, fourth):
        row = tree.locator(f'.track[data-handle="{handle}"]')
        row.hover()
        row.get_by_role("button", name="Pin").click()
    pinned = tree.locator(".track[data-pinned]")
    expect(pinned).to_have_count(2)
    expect(pinned.first).to_have_attribute("data-handle", third)
    tree.press("Home")
    tree.press("Alt+ArrowDown")
    expect(pinned.first).to_have_attribute("data-handle", fourth)
    page.reload()
    expect(pinned.first).to_have_attribute("data-handle", fourth)
    tree.press("Home")
    tree.press("p")
    expect(pinned).to_have_count(1)
