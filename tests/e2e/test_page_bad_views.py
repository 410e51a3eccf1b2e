"""Recordings and links that a view could break on: a clear word or a bounded view, never a blank page."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.many_threads import slice_of
from tests.e2e.pages import ROOM, open_room
from tests.e2e.running_server import RunningServer

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]

NAME = "x<b onclick=alert(1)>y</b>\u202e" + "n" * 10_000


def saved(folder: Path, name: str, events: list[dict[str, object]]) -> Path:
    file = folder / f"{name}.json"
    file.write_text(json.dumps(events))
    return file


def thread(tid: int, name: str) -> dict[str, object]:
    return {"ph": "M", "name": "thread_name", "pid": 700, "tid": tid, "args": {"name": name}}


def test_names_of_ten_thousand_characters_stay_bounded_text(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    events = [thread(1, NAME), thread(2, "short"), slice_of(NAME, 0, 1_000, 1), slice_of("a", 0, 10, 2)]
    open_room(page, analyst_server.address, saved(tmp_path, "long", events))
    expect(page.locator(".colour-key")).to_contain_text("x<b onclick=alert(1)>y</b>\\u202en")
    assert len(page.locator(".colour-key").inner_text()) < 1_000
    page.locator(".chart").press("ArrowDown")
    expect(page.locator(".details")).to_contain_text("x<b onclick=alert(1)>y</b>")
    assert page.locator("b[onclick]").count() == 0
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_four_hundred_rows_are_walked_to_the_last(page: Page, analyst_server: RunningServer, tmp_path: Path) -> None:
    events = [slice_of(f"level_{row}", row, 2_000 - 2 * row, 1) for row in range(400)]
    open_room(page, analyst_server.address, saved(tmp_path, "deep", events))
    page.get_by_label("Search functions and files").fill("level_399")
    page.get_by_label("Search functions and files").press("Enter")
    expect(page.locator(".chart")).to_have_attribute("data-selected-name", "level_399")


def test_what_lasted_no_time_is_said(page: Page, analyst_server: RunningServer, tmp_path: Path) -> None:
    page.goto(analyst_server.address)
    page.set_input_files("input[type=file]", saved(tmp_path, "zero", [slice_of("a", 5, 0, 1), slice_of("b", 5, 0, 1)]))
    page.wait_for_url(ROOM)
    expect(page.locator(".chart")).to_contain_text("Nothing was recorded in this profile.")
    page.get_by_role("tab", name="Left heavy").click()
    expect(page.locator(".chart")).to_have_attribute("data-mode", "left_heavy")
    expect(page.locator(".chart")).to_contain_text("Nothing was recorded")


def test_twenty_thousand_threads_open_where_the_program_works(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    events = [slice_of("work", tid, 90_000 if tid == 77 else 10, tid) for tid in range(1, 20_001)]
    open_room(page, analyst_server.address, saved(tmp_path, "threads", events))
    tree = page.get_by_role("tree", name="Processes and threads")
    expect(tree).to_have_attribute("aria-busy", "false")
    assert tree.locator(".track").count() < 30
    expect(tree.locator(".track").first).to_have_attribute("data-handle", "p76")
    expect(page.locator(".chart")).to_have_attribute("data-profile", "p76")


def test_a_chart_that_could_not_be_fetched_is_asked_for_again(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    open_room(page, analyst_server.address, saved(tmp_path, "one", [slice_of("a", 0, 1_000, 1)]))
    chart, again = page.locator(".chart"), page.get_by_role("button", name="Try again")
    page.route("**/view?*", lambda route: route.abort())
    page.reload()
    expect(chart.get_by_role("alert")).to_be_visible()
    expect(chart).to_have_attribute("data-boxes", "0")
    page.unroute("**/view?*")
    again.click()
    expect(chart).to_have_attribute("data-boxes", "1")
    expect(again).to_have_count(0)


def test_links_to_what_is_gone_outside_or_too_long_have_a_word(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    open_room(page, analyst_server.address, saved(tmp_path, "one", [slice_of("a", 0, 1_000, 1)]))
    path, chart = page.url, page.locator(".chart")
    for query in ("?start=1e15&end=2e15", "?start=-2e15&end=-1e15"):
        page.goto(path + query)
        expect(chart).to_have_attribute("data-boxes", "1")
    for query in (f"?transforms={'drop-function:f1,' * 1_800}", f"?view=diff#{'f' * 1_000_000}"):
        page.goto(path + query)
        expect(chart.get_by_role("alert")).to_contain_text("too long")
        expect(chart).to_have_attribute("data-boxes", "1")
    page.goto(f"{path}?transforms=explode:f1")
    expect(chart.get_by_role("alert")).to_contain_text("is no transform")
    page.goto(f"{path}#f404")
    expect(chart.get_by_role("alert")).to_contain_text("f404 is not in this trace")
    trace = path.partition("/t/")[2].partition("/")[0]
    page.goto("about:blank")  # what the room still asked for would be answered with 404 once the trace is gone
    assert page.request.delete(f"{analyst_server.address}/api/v1/traces/{trace}").ok
    refused = page.context.new_page()  # where the browser writes the statuses to its console
    refused.goto(path)
    expect(refused.locator("main")).to_contain_text("it was deleted, or belongs to someone else")
    refused.goto(f"{path}?transforms={'drop-function:f1,' * 60_000}")
    expect(refused.locator("body")).to_contain_text("longer than 64 kB")
