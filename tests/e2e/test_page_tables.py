"""Tables under the chart: rows and chart select each other, by mouse and by keyboard; what is shown is a file."""

import csv
import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from tests.e2e.many_threads import written
from tests.e2e.pages import ask, expect_status, open_room
from tests.e2e.running_server import RunningServer
from tests.e2e.test_page_hostile_names import MARKUP_FIRST, STRANGERS
from tests.hostile.names import chrome

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]


def titles(grid: Locator) -> list[str]:
    return [one.inner_text().rstrip(" ↑↓") for one in grid.get_by_role("columnheader").all()]


def first_cells(grid: Locator) -> list[str]:
    return [row.get_by_role("gridcell").first.inner_text() for row in grid.locator(".grid-body .grid-row").all()]


def test_functions_are_sorted_filtered_chosen_and_saved_by_mouse_and_keyboard(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    open_room(page, analyst_server.address, written(tmp_path))
    chart = page.locator(".chart")
    chart.focus()
    page.keyboard.press("5")
    functions = page.get_by_role("grid", name="Functions")
    expect(functions).to_have_attribute("aria-rowcount", "4")
    expect(page.get_by_role("tab", name="Functions")).to_be_focused()
    assert titles(functions) == ["Function", "Self", "Total", "Calls", "Mean", "p50", "p99"]
    assert first_cells(functions) == ["measure_text", "render_page", "lay_out_rows"]
    functions.get_by_role("button", name="Total").click()
    expect(functions.locator(".grid-body .grid-row").first).to_contain_text("render_page")
    expect(functions.get_by_role("columnheader", name="Total")).to_have_attribute("aria-sort", "descending")
    functions.focus()
    for key in ("End", "Home", "ArrowDown", "Enter"):
        functions.press(key)
    expect(chart).to_have_attribute("data-selected-name", "lay_out_rows")
    expect(functions.locator('[aria-selected="true"]')).to_contain_text("lay_out_rows")
    chart.focus()
    chart.press("ArrowUp")
    expect(chart).to_have_attribute("data-selected-name", "render_page")
    expect(functions.locator('[aria-selected="true"]')).to_contain_text("render_page")
    expect(page).to_have_url(re.compile("table=functions"))
    for shade in ("light", "dark"):
        page.emulate_media(color_scheme=shade)
        assert [one["id"] for one in Axe().run(page).response["violations"]] == []
    page.get_by_label("Threads of the table").select_option("each")
    expect(functions.get_by_role("columnheader", name="Thread")).to_be_visible()
    page.get_by_label("Filter functions").fill("FLUSH_")
    expect(functions).to_have_attribute("aria-rowcount", "8")
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV").click()
    assert download.value.suggested_filename == "threads.json-functions.csv"
    saved = list(csv.DictReader(Path(download.value.path()).read_text(encoding="utf-8").splitlines()))
    assert {row["function"] for row in saved} == {f"flush_{tid}" for tid in (7, 14, 21, 28, 35, 42, 49)}
    assert {(row["calls"], row["self_ns"], row["p99_ns"]) for row in saved} == {("40", "400000", "10000")}
    functions.locator(".grid-row", has_text="flush_14").click()
    expect(chart).to_have_attribute("data-profile", "p13")
    expect(chart).to_have_attribute("data-selected-name", "flush_14")
    page.get_by_label("Filter functions").fill("no such")
    expect(page.get_by_text("No function, file or thread has these words.")).to_be_visible()
    page.get_by_role("button", name="Close the table").click()
    expect(functions).to_have_count(0)


def test_call_trees_open_by_keyboard_and_lead_to_the_chart(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    open_room(page, analyst_server.address, written(tmp_path))
    chart = page.locator(".chart")
    page.get_by_role("tab", name="Call tree").click()
    tree = page.get_by_role("treegrid", name="Call tree")
    expect(tree.locator(".grid-body .grid-row")).to_have_count(3)  # each is one row of its level: open at once
    assert first_cells(tree) == ["render_page", "lay_out_rows", "measure_text"]
    assert titles(tree) == ["Call path", "Total", "Self", "Calls"]
    tree.focus()
    tree.press("ArrowRight")
    tree.press("Enter")
    expect(chart).to_have_attribute("data-selected-name", "lay_out_rows")
    expect(chart).to_have_attribute("data-mode", "time_order")
    tree.press("ArrowLeft")
    expect(tree.locator(".grid-body .grid-row")).to_have_count(2)
    tree.press("Home")
    tree.press("Shift+ArrowRight")
    expect(tree.locator(".grid-body .grid-row")).to_have_count(3)
    expect(tree.locator('[aria-selected="true"]')).to_contain_text("lay_out_rows")
    page.get_by_role("tab", name="Call tree").press("ArrowRight")
    callers = page.get_by_role("treegrid", name="Callers of functions")
    expect(callers.locator(".grid-body .grid-row")).to_have_count(3)
    assert first_cells(callers) == ["measure_text", "render_page", "lay_out_rows"]
    callers.focus()
    callers.press("Home")
    callers.press("ArrowRight")
    expect(callers.locator(".grid-body .grid-row")).to_have_count(5)
    assert first_cells(callers)[:3] == ["measure_text", "lay_out_rows", "render_page"]
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV").click()
    saved = list(csv.DictReader(Path(download.value.path()).read_text(encoding="utf-8").splitlines()))
    assert [(row["depth"], row["function"], row["total_ns"]) for row in saved][:2] == [
        ("0", "measure_text", "180000000"),
        ("1", "lay_out_rows", "180000000"),
    ]
    for shade in ("light", "dark"):
        page.emulate_media(color_scheme=shade)
        assert [one["id"] for one in Axe().run(page).response["violations"]] == []


def test_a_search_goes_through_all_threads_and_says_what_an_expression_lacks(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    open_room(page, analyst_server.address, written(tmp_path))
    chart = page.locator(".chart")
    page.get_by_role("tab", name="Search threads").click()
    words = page.get_by_label("Search all threads")
    words.fill("FLUSH")
    matches = page.get_by_role("grid", name="Matches")
    expect(matches).to_have_attribute("aria-rowcount", "8")
    expect(page.get_by_text("7 in 7 threads")).to_be_visible()
    expect(page.get_by_role("list", name="Threads with matches").get_by_role("listitem").first).to_contain_text(
        "1 · 40 calls"
    )
    reached = []
    for place in range(1, 4):
        page.get_by_role("button", name="Next match in all threads").click()
        expect(page.get_by_text(f"{place} of 7 in 7 threads")).to_be_visible()
        reached.append((chart.get_attribute("data-profile"), chart.get_attribute("data-selected-name")))
    assert [name for _, name in reached] == [f"flush_{int(str(profile)[1:]) + 1}" for profile, _ in reached]
    assert len(set(reached)) == 3
    page.get_by_role("button", name="Previous match in all threads").click()
    expect(page.get_by_text("2 of 7 in 7 threads")).to_be_visible()
    page.get_by_label("Regular expression").check()
    words.fill("flush_(7|14")
    expect(page.locator("#table-panel").get_by_role("alert")).to_contain_text("no regular expression: missing )")
    words.fill("flush_(7|14)$")
    expect(matches).to_have_attribute("aria-rowcount", "3")
    matches.focus()
    matches.press("Enter")
    expect(page.locator(".search-count")).to_have_text("40")
    for shade in ("light", "dark"):
        page.emulate_media(color_scheme=shade)
        assert [one["id"] for one in Axe().run(page).response["violations"]] == []
    expect(page).to_have_url(re.compile("syntax=regex"))
    page.reload()
    expect(matches).to_have_attribute("aria-rowcount", "3")
    expect(page.locator(".search-count")).to_have_text("40")


def test_what_is_not_in_this_thread_is_offered_from_the_others(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    open_room(page, analyst_server.address, written(tmp_path))
    chart, count = page.locator(".chart"), page.locator(".search-count")
    box = page.get_by_label("Search functions and files")
    offer = page.get_by_text("None here, 7 in 7 other threads")
    box.fill("flush")
    expect(offer).to_be_visible()
    assert [one["id"] for one in Axe().run(page).response["violations"]] == []
    box.fill("render_page")
    expect(count).to_have_text("40")
    expect(offer).to_have_count(0)
    box.fill("in no thread")
    expect(count).to_have_text("none")
    expect(page.locator(".elsewhere")).to_have_count(0)
    box.fill("flush_14")
    expect(page.get_by_text("None here, 1 in 1 other thread")).to_be_visible()
    page.get_by_role("button", name="Show", exact=True).click()
    expect(chart).to_have_attribute("data-selected-name", "flush_14")
    expect(chart).to_be_focused()
    expect(count).to_have_text("40")
    expect(page.get_by_role("grid", name="Matches")).to_have_attribute("aria-rowcount", "2")


def test_five_thousand_functions_are_a_short_list_that_is_walked_sorted_and_filtered(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    file = tmp_path / "functions.txt"
    file.write_text("".join(f"main;work_{place:04} {1 + place * 7 % 5_000}\n" for place in range(5_000)))
    open_room(page, analyst_server.address, file)
    page.get_by_role("tab", name="Functions").click()
    functions = page.get_by_role("grid", name="Functions")
    rows = functions.locator(".grid-body .grid-row")
    expect(functions).to_have_attribute("aria-rowcount", "5002")
    functions.focus()
    for key in ("End", "PageUp", "Home", "PageDown", "End"):
        functions.press(key)
        assert rows.count() < 60
    last = functions.locator("[aria-rowindex='5002']").get_attribute("id")
    assert last is not None
    expect(functions).to_have_attribute("aria-activedescendant", last)
    functions.get_by_role("button", name="Function").click()
    functions.focus()
    functions.press("Home")
    expect(rows.first).to_contain_text("main")
    page.get_by_label("Filter functions").fill("work_49")
    expect(functions).to_have_attribute("aria-rowcount", "101")
    assert rows.count() < 60


def test_the_address_opens_the_table_and_a_phone_shows_it(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    open_room(page, analyst_server.address, written(tmp_path))
    page.get_by_role("tab", name="Functions").click()
    expect(page).to_have_url(re.compile("table=functions"))
    page.set_viewport_size({"width": 390, "height": 844})
    page.reload()
    functions = page.get_by_role("grid", name="Functions")
    expect(functions.locator(".grid-body .grid-row")).to_have_count(3)
    expect(functions.locator(".grid-body .grid-row").first).to_be_in_viewport()
    expect(page.get_by_label("Ask about this trace")).to_be_in_viewport(ratio=1)
    assert [one["id"] for one in Axe().run(page).response["violations"]] == []


def test_names_of_a_recording_stay_text_in_tables(page: Page, analyst_server: RunningServer, tmp_path: Path) -> None:
    trace = tmp_path / "names.json"
    trace.write_bytes(chrome([*MARKUP_FIRST, "=1+1", "x" * 10_000]))
    open_room(page, analyst_server.address, trace)
    page.get_by_role("tab", name="Functions").click()
    functions = page.get_by_role("grid", name="Functions")
    expect(functions.locator(".grid-body .grid-row").first).to_be_visible()
    functions.focus()
    for _ in range(20):
        functions.press("PageDown")
    assert page.evaluate(STRANGERS) == []
    page.get_by_label("Filter functions").fill("<img")
    expect(functions.locator(".grid-row", has_text="onerror").first).to_be_visible()
    assert page.evaluate(STRANGERS) == []
    ask(page, "What are the top 40 functions?")
    expect_status(page, "completed")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as a picture").click()
    assert Path(download.value.path()).read_bytes().startswith(b"\x89PNG")
    assert page.evaluate(STRANGERS) == []
