"""Transforms on the page: chosen at a box by keyboard, undone one by one, in the address, with the engine's figures."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.pages import open_room, room_of
from tests.e2e.running_server import RunningServer
from traces.analysis.functions import top_functions
from traces.analysis.units import format_value
from traces.reader import read_trace
from traces.transforms.transformed import transformed
from traces.transforms.vocabulary import parsed_transforms

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]


def test_a_tree_is_changed_at_a_box_and_each_step_is_undone(
    page: Page, analyst_server: RunningServer, board_trace: Path
) -> None:
    trace = read_trace(board_trace.read_bytes(), name=board_trace.name)
    open_room(page, analyst_server.address, board_trace)
    chart, bar = page.locator(".chart"), page.locator(".transform-bar")
    page.get_by_role("tab", name="Left heavy").click()
    expect(chart).to_have_attribute("data-mode", "left_heavy")
    chart.focus()
    chart.press("ArrowDown")
    expect(chart).to_have_attribute("data-selected", re.compile("f"))
    function = chart.get_attribute("data-selected") or ""
    chart.press("m")
    page.get_by_role("menuitem", name="Hide its samples").click()
    expect(page).to_have_url(re.compile(f"transforms=drop-function%3A{function}"))
    expect(chart).to_have_attribute("aria-busy", "false")
    left = top_functions(transformed(trace, parsed_transforms(f"hide:{function}")), limit=1)
    expect(bar).to_contain_text(f"{format_value(left.scope_total, left.unit)} of")
    page.get_by_role("button", name="+ Invert").click()
    expect(page).to_have_url(re.compile("%2Cinvert"))
    page.reload()
    expect(bar.locator("[data-transform]")).to_have_count(2)
    page.get_by_role("button", name="Undo: hide").click()
    expect(bar.locator("[data-transform]")).to_have_attribute("data-transform", "invert")
    page.get_by_role("button", name="All", exact=True).click()
    expect(bar).to_have_count(0)
    expect(page).not_to_have_url(re.compile("transforms"))
    # Each of the menu, by keyboard, with what it leaves; and undone.
    for name, text in (
        ("Focus on function", f"focus-function:{function}"),
        ("Merge into callers", f"merge-function:{function}"),
        ("Collapse what it calls", f"collapse-function-subtree:{function}"),
        ("Collapse its recursion", f"collapse-recursion:{function}"),
        ("Drop libraries", "drop-library"),
    ):
        chart.focus()
        if not chart.get_attribute("data-selected"):
            chart.press("ArrowDown")
        expect(chart).to_have_attribute("data-selected", function)
        chart.press("m")
        page.get_by_role("menuitem", name=name, exact=True).press("Enter")
        expect(bar.locator("[data-transform]")).to_have_attribute("data-transform", text)
        expect(chart).to_have_attribute("aria-busy", "false")
        left = top_functions(transformed(trace, parsed_transforms(text)), limit=1)
        expect(bar).to_contain_text(f"{format_value(left.scope_total, left.unit)} of")
        bar.get_by_role("button", name=re.compile("^Undo")).first.click()
        expect(bar).to_have_count(0)
        expect(chart).to_have_attribute("aria-busy", "false")
    search = page.get_by_label("Search functions and files")
    for name, form in (
        ("Focus on subtree", re.compile("^focus-subtree:n[0-9]+$")),
        ("Only samples with “filter”", re.compile("^filter-samples:filter$")),
    ):
        search.fill("filter")
        chart.focus()
        if not chart.get_attribute("data-selected"):
            chart.press("ArrowDown")
        chart.press("m")
        page.get_by_role("menuitem", name=name, exact=True).press("Enter")
        expect(bar.locator("[data-transform]")).to_have_attribute("data-transform", form)
        expect(chart).to_have_attribute("aria-busy", "false")
        bar.get_by_role("button", name=re.compile("^Undo")).first.click()
        expect(bar).to_have_count(0)
        expect(chart).to_have_attribute("aria-busy", "false")
    page.goto(f"{page.url.split('?')[0]}?view=left_heavy&transforms=filter-samples:no%20such%20name")
    expect(chart).to_contain_text("These transforms leave nothing of this thread.")
    page.get_by_role("button", name="Undo the last one").click()
    expect(chart).to_have_attribute("data-boxes", re.compile("[1-9]"))


@pytest.mark.long
def test_what_has_no_order_in_time_is_not_offered_in_it(
    page: Page, analyst_server: RunningServer, fixtures: Path, board_trace: Path
) -> None:
    views = page.get_by_role("tablist", name="View").get_by_role("tab")
    open_room(page, analyst_server.address, fixtures / "settlement.go-heap.pb.gz")
    chart = page.locator(".chart")
    expect(views).to_have_text(["Left heavy", "Sandwich", "Compare"])
    expect(views.first).to_have_attribute("aria-selected", "true")
    views.first.press("ArrowRight")
    expect(chart).to_have_attribute("data-mode", "sandwich")
    chart.focus()
    page.keyboard.press("1")
    page.keyboard.press("2")
    expect(chart).to_have_attribute("data-mode", "left_heavy")
    open_room(page, analyst_server.address, board_trace)
    expect(views).to_have_text(["Time order", "Left heavy", "Sandwich", "Compare"])
    page.goto(f"{room_of(page)}?transforms=invert")
    expect(views).to_have_text(["Left heavy", "Sandwich", "Compare"])
    page.get_by_role("button", name="All", exact=True).click()
    expect(views).to_have_text(["Time order", "Left heavy", "Sandwich", "Compare"])
