"""Windows of every size, fingers, still pages and letters from right to left."""

import re
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, FilePayload, FloatRect, Page, expect

from tests.e2e.many_threads import written
from tests.e2e.pages import SOME, ask, expect_status, open_room
from tests.e2e.running_server import RunningServer
from tests.hostile.names import chrome

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]

SHIFTS = """
// As Chrome counts: the worst window of at most five seconds, which a second without a shift ends.
window.shifted = 0;
let sum = 0, first = 0, last = -2_000;
new PerformanceObserver((list) => {
  for (const { startTime, value, hadRecentInput } of list.getEntries()) {
    if (hadRecentInput) continue;
    const isNew = startTime - last > 1_000 || startTime - first > 5_000;
    [sum, first, last] = isNew ? [value, startTime, startTime] : [sum + value, first, startTime];
    window.shifted = Math.max(window.shifted, sum);
  }
}).observe({ type: 'layout-shift', buffered: true });
"""
RIGHT_TO_LEFT = "\u05e9\u05dc\u05d5\u05dd"
NOT_ISOLATED = """letters => {
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode;
    if (!data.includes(letters) || parentElement.closest('title, script, style, option')) continue;
    // Alone in its line, or isolated from what stands next to it there: each block is isolated, with all that is in it.
    const isolates = (part) => part.matches('bdi') || /isolate|plaintext/.test(getComputedStyle(part).unicodeBidi);
    let one = parentElement;
    while (getComputedStyle(one).display === 'inline' && !isolates(one)) one = one.parentElement;
    const isolated = getComputedStyle(one).display === 'inline' || one.matches('bdi, [dir=auto]');
    if (!isolated && one.textContent.trim() !== data.trim()) found.push(one.outerHTML.slice(0, 300));
  }
  return found;
}"""


def violations(page: Page) -> list[str]:
    return [one["id"] for one in Axe().run(page).response["violations"]]


def box_of(page: Page, selector: str) -> FloatRect:
    box = page.locator(selector).bounding_box()
    assert box is not None
    return box


def test_on_4k_type_and_rows_are_larger_and_the_pointer_finds_its_box(
    page: Page, analyst_server: RunningServer, board_trace: Path
) -> None:
    open_room(page, analyst_server.address, board_trace)
    chart = page.locator(".chart")
    page.get_by_role("tab", name="Left heavy").click()
    expect(chart).to_have_attribute("data-mode", "left_heavy")

    expect(chart).to_have_attribute("aria-busy", "false")
    expect(page.get_by_role("region", name="Besides calls")).to_have_count(0)

    def name_under(row: float) -> str | None:
        """What a click near the chart's left end selects, so many pixels below its top."""
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        place = box_of(page, ".chart")
        page.mouse.click(place["x"] + place["width"] * 0.02, place["y"] + row)
        expect(chart).to_have_attribute("data-selected", SOME)
        return chart.get_attribute("data-selected-name")

    rows = (22 + 9, 22 + 19 + 9, 22 + 2 * 19 + 9)
    names = [name_under(row) for row in rows]
    for width, height, scale in ((3840, 2160, 1.5), (5120, 2880, 2)):
        page.set_viewport_size({"width": width, "height": height})
        ratio = "() => document.querySelector('.chart > canvas').width / document.querySelector('.chart').clientWidth"
        page.wait_for_function(f"() => Math.abs(({ratio})() - {scale}) < 0.02")
        assert [name_under(row * scale) for row in rows] == names
        assert page.evaluate("() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]") == [
            width,
            height,
        ]
        room = box_of(page, ".room")
        assert room["y"] + room["height"] == pytest.approx(height, abs=2)
        expect(page.get_by_label("Ask about this trace")).to_be_in_viewport(ratio=1)
    page.set_viewport_size({"width": 3840, "height": 2160})
    splitter = box_of(page, ".splitter")
    page.mouse.move(splitter["x"] + 2, splitter["y"] + 400)
    page.mouse.down()
    page.mouse.move(1920, splitter["y"] + 400, steps=3)
    page.mouse.up()
    assert box_of(page, ".splitter")["x"] == pytest.approx(1920, abs=12)
    for shade in ("light", "dark"):
        page.emulate_media(color_scheme="dark" if shade == "dark" else "light", reduced_motion="reduce")
        assert violations(page) == []


def test_a_tall_window_shows_more_of_many_threads(page: Page, analyst_server: RunningServer, tmp_path: Path) -> None:
    open_room(page, analyst_server.address, written(tmp_path))
    threads = page.get_by_role("tree", name="Processes and threads")
    expect(threads).to_have_attribute("aria-busy", "false")
    rows = "tree => Math.floor(tree.clientHeight / tree.querySelector('.track').clientHeight)"
    assert threads.evaluate(rows) == 6
    page.set_viewport_size({"width": 3840, "height": 2160})
    expect(threads.get_by_role("treeitem").nth(15)).to_be_in_viewport()
    assert 12 <= threads.evaluate(rows) <= 20


def test_a_table_has_the_room_that_a_shallow_chart_leaves(page: Page, analyst_server: RunningServer) -> None:
    page.set_viewport_size({"width": 3840, "height": 2160})
    page.goto(analyst_server.address)
    text = "".join(f"main;parse;f{number} {number + 1}\n" for number in range(200))
    page.set_input_files(
        "input[type=file]", FilePayload(name="shallow.txt", mimeType="text/plain", buffer=text.encode())
    )
    expect(page.locator(".chart")).to_have_attribute("data-boxes", SOME)
    before = box_of(page, ".chart")["height"]
    page.get_by_role("tab", name="Functions").click()
    expect(page.get_by_role("grid", name="Functions").locator(".grid-row").first).to_be_visible()
    chart, table = box_of(page, ".chart"), box_of(page, ".tables")
    assert chart["height"] < before / 3
    assert table["height"] > before / 2
    page.get_by_role("tab", name="Sandwich").click()
    expect(page.locator(".chart")).to_have_attribute("data-mode", "sandwich")
    assert box_of(page, ".chart")["height"] > chart["height"] * 2


def test_nothing_jumps_while_a_room_opens_and_a_question_is_answered(
    page: Page, analyst_server: RunningServer, board_trace: Path
) -> None:
    page.add_init_script(SHIFTS)
    open_room(page, analyst_server.address, board_trace)
    shifts = {"opening": page.evaluate("window.shifted")}
    ask(page)
    expect_status(page, "completed")
    shifts["answering"] = page.evaluate("window.shifted")
    page.reload()
    expect(page.locator(".chart")).to_have_attribute("data-boxes", SOME)
    expect(page.locator(".turn")).to_have_count(1)
    page.wait_for_load_state("networkidle")
    shifts["opening again"] = page.evaluate("window.shifted")
    page.goto(f"{analyst_server.address}/conversations")
    expect(page.get_by_role("list", name="Conversations").get_by_role("listitem").first).to_be_visible()
    shifts["conversations"] = page.evaluate("window.shifted")
    assert max(shifts.values()) < 0.05, shifts


def test_nothing_moves_by_itself_where_less_motion_is_asked_for(
    page: Page, browser: Browser, analyst_server: RunningServer, board_trace: Path
) -> None:
    moving = "() => document.getAnimations().filter((one) => one.playState === 'running').length"
    waiting = "() => document.body.insertAdjacentHTML('beforeend', '<p class=dots><i></i><i></i><i></i></p>')"
    open_room(page, analyst_server.address, board_trace)
    page.evaluate(waiting)
    assert page.evaluate(moving) == 0
    page.emulate_media(reduced_motion="no-preference")
    assert page.evaluate(moving) >= 3


def test_a_finger_drags_two_fingers_zoom_and_a_long_press_opens_the_menu(
    browser: Browser, analyst_server: RunningServer, board_trace: Path
) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(analyst_server.address)
    page.set_input_files("input[type=file]", board_trace)
    chart = page.locator(".chart")
    expect(chart).to_have_attribute("data-boxes", SOME)
    page.get_by_role("button", name="Chart", exact=True).tap()
    fingers = context.new_cdp_session(page)
    area = box_of(page, ".chart > canvas")
    x, y = area["x"] + area["width"] / 2, area["y"] + 31

    def touch(kind: str, *points: tuple[float, float]) -> None:
        touched: list[dict[str, Any]] = [{"x": px, "y": py, "id": place} for place, (px, py) in enumerate(points)]
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touched})

    def window() -> tuple[float, float]:
        return float(chart.get_attribute("data-view-start") or 0), float(chart.get_attribute("data-view-end") or 0)

    before = window()
    for share in range(1, 40):
        if chart.get_attribute("data-selected"):
            break
        x = area["x"] + area["width"] * share / 40
        page.touchscreen.tap(x, y)
    touch("touchStart", (x, y))
    expect(page.get_by_role("menu")).to_be_visible()
    touch("touchEnd")
    page.keyboard.press("Escape")
    expect(page.get_by_role("menu")).to_be_hidden()
    x = area["x"] + area["width"] / 2
    chart.press("Escape")
    expect(chart).to_have_attribute("data-view-end", re.compile(f"^{before[1]:.0f}"))
    touch("touchStart", (x - 20, y), (x + 20, y))
    for far in (40, 80, 120):
        touch("touchMove", (x - far, y), (x + far, y))
    touch("touchEnd")
    expect(chart).not_to_have_attribute("data-view-start", str(before[0]))
    zoomed = window()
    assert zoomed[1] - zoomed[0] < (before[1] - before[0]) / 2
    touch("touchStart", (x, y))
    for far in (20, 60, 100):
        touch("touchMove", (x - far, y))
    touch("touchEnd")
    page.wait_for_function("start => Number(document.querySelector('.chart').dataset.viewStart) > start", arg=zoomed[0])
    small = page.evaluate(
        "() => [...document.querySelectorAll('button, a[href], input, select, [role=tab]')]"
        ".filter((one) => one.checkVisibility() && !one.closest('.visually-hidden, .prose, .citation'))"
        ".map((one) => [one.getBoundingClientRect(), one.outerHTML.slice(0, 120)])"
        ".filter(([box]) => box.width > 1 && (box.width < 24 || box.height < 24)).map(([, html]) => html)"
    )
    assert small == []
    context.close()


def test_names_from_right_to_left_do_not_turn_what_stands_next_to_them(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    names = [f"{RIGHT_TO_LEFT} {place}" for place in range(6)]
    trace = tmp_path / f"{RIGHT_TO_LEFT}.json"
    trace.write_bytes(chrome(names))
    page.goto(analyst_server.address)
    page.set_input_files("input[type=file]", trace)
    chart = page.locator(".chart")
    expect(chart).to_have_attribute("data-boxes", SOME)
    assert page.evaluate(NOT_ISOLATED, RIGHT_TO_LEFT) == []
    chart.focus()
    chart.press("ArrowDown")
    expect(chart).to_have_attribute("data-selected", re.compile("f"))
    ask(page, "What are the top 10 functions?")
    expect_status(page, "completed")
    expect(page.locator(".prose code", has_text=RIGHT_TO_LEFT).first).to_be_visible()
    page.locator(".steps > summary").first.click()
    for key in ("5", "6", "8"):
        chart.focus()
        page.keyboard.press(key)
        expect(page.locator("#table-panel")).to_be_visible()
        assert page.evaluate(NOT_ISOLATED, RIGHT_TO_LEFT) == [], key
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog", name="Commands").get_by_role("option").first).to_be_visible()
    assert page.evaluate(NOT_ISOLATED, RIGHT_TO_LEFT) == []
    page.goto(f"{analyst_server.address}/conversations")
    expect(page.get_by_role("list", name="Conversations").get_by_role("listitem").first).to_be_visible()
    assert page.evaluate(NOT_ISOLATED, RIGHT_TO_LEFT) == []
