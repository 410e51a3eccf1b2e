"""Several threads open at once on one time axis: opened, chosen, moved, closed, by mouse, keyboard and address."""

import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, Request, expect

from tests.e2e.many_threads import written
from tests.e2e.pages import open_room, room_of
from tests.e2e.running_server import RunningServer

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]

ONE_AXIS = """() => {
  const charts = [...document.querySelectorAll(".chart, .chart-panes > .pane")];
  return charts.length === 3 && new Set(charts.map((one) => one.dataset.viewStart)).size === 1;
}"""
"""Each draws when its calls have arrived."""


def centre(part: Locator, share: float, row: int) -> tuple[float, float]:
    box = part.bounding_box()
    assert box is not None
    return box["x"] + box["width"] * share, box["y"] + 22 + row * 19 + 9


@pytest.mark.long
def test_threads_open_below_each_other_on_one_axis_and_any_of_them_is_chosen(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    views: list[str] = []

    def seen(request: Request) -> None:
        if "/view?" in request.url:
            views.append(request.url)

    page.on("request", seen)
    open_room(page, analyst_server.address, written(tmp_path))
    chart, tree = page.locator(".chart"), page.get_by_role("tree", name="Processes and threads")
    panes = page.locator(".chart-panes > .pane")
    expect(chart).to_have_attribute("data-profile", "p30")
    page.get_by_label("Filter threads").fill("thread 2")
    tree.locator('.track[data-handle="p27"]').hover()
    tree.get_by_role("button", name=re.compile(r"Open below .*thread 28\b")).click()
    expect(panes).to_have_count(1)
    expect(panes.first).to_have_attribute("data-boxes", "80")
    tree.focus()
    tree.press("Home")
    tree.press("ArrowDown")
    tree.press("o")
    expect(panes).to_have_count(2)
    expect(page).to_have_url(re.compile(r"threads=p30%2Cp27%2Cp\d+"))
    assert len(views) == 3, "one request a thread"
    page.wait_for_function(ONE_AXIS)
    page.mouse.move(*centre(panes.first, 0.5, 0))
    page.mouse.wheel(0, -2000)
    expect(page).to_have_url(re.compile("start="))
    assert chart.get_attribute("data-view-start") == panes.first.get_attribute("data-view-start")
    assert chart.get_attribute("data-view-end") == panes.last.get_attribute("data-view-end")
    for shade in ("light", "dark"):
        page.emulate_media(color_scheme=shade)
        assert [one["id"] for one in Axe().run(page).response["violations"]] == []
    chart.focus()
    chart.press("Shift+ArrowDown")
    expect(chart).to_have_attribute("data-profile", "p27")
    window = chart.get_attribute("data-view-start")
    chart.press("Shift+ArrowUp")
    expect(chart).to_have_attribute("data-profile", "p30")
    assert chart.get_attribute("data-view-start") == window, "going to another thread keeps the window"
    page.mouse.move(*centre(panes.first, 0.5, 0))
    page.mouse.wheel(0, 20_000)
    expect(page).not_to_have_url(re.compile("start="))
    page.locator(".pane-head", has_text="thread 28").get_by_role("button").first.click()
    expect(chart).to_have_attribute("data-profile", "p27")
    main = page.locator('.pane[data-handle="p30"]')
    expect(main).to_have_attribute("data-view-end", re.compile("."))
    page.mouse.click(*centre(main, 10.5 / 40, 1))
    expect(chart).to_have_attribute("data-profile", "p30")
    expect(chart).to_have_attribute("data-selected-name", "lay_out_rows")
    expect(page).to_have_url(re.compile(r"threads=.*#s\d+$"))
    link = page.url
    page.reload()
    expect(panes).to_have_count(2)
    expect(panes.first).to_have_attribute("data-boxes", re.compile("[1-9]"))
    expect(panes.last).to_have_attribute("data-boxes", re.compile("[1-9]"))
    expect(chart).to_have_attribute("data-selected-name", "lay_out_rows")
    assert page.url == link
    for _ in range(2):
        before = page.url
        page.locator(".pane").get_by_role("button", name=re.compile("^Close")).first.click()
        expect(page).not_to_have_url(before)
    expect(panes).to_have_count(0)
    expect(page.locator(".pane-head")).to_have_count(0)
    page.go_back()
    expect(panes).to_have_count(1)


@pytest.mark.long
def test_eight_threads_are_the_most_that_are_open(page: Page, analyst_server: RunningServer, tmp_path: Path) -> None:
    open_room(page, analyst_server.address, written(tmp_path))
    room = room_of(page)
    page.goto(f"{room}?threads=p30,{','.join(f'p{at}' for at in range(12))}")
    panes = page.locator(".chart-panes > .pane")
    expect(panes).to_have_count(7)
    expect(page.locator(".chart").get_by_role("alert")).to_contain_text("threads")
    tree = page.get_by_role("tree", name="Processes and threads")
    page.get_by_label("Filter threads").fill("thread 49")
    tree.focus()
    tree.press("o")
    expect(page.locator(".chart").get_by_role("alert")).to_contain_text("8 threads can be open")
    expect(panes).to_have_count(7)
    page.get_by_role("tab", name="Left heavy").click()
    expect(panes).to_have_count(0)
    page.get_by_role("tab", name="Time order").click()
    expect(panes).to_have_count(7)


@pytest.mark.long
def test_a_thread_out_of_sight_waits_and_is_drawn_once_it_is_seen(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    pixels = """async (pane) => {
      for (let frame = 0; frame < 3; frame++) await new Promise((done) => requestAnimationFrame(done));
      return pane.querySelector('canvas').toDataURL();
    }"""
    open_room(page, analyst_server.address, written(tmp_path))
    page.set_viewport_size({"width": 1000, "height": 600})
    page.goto(f"{page.url.partition('?')[0]}?threads={','.join(f'p{at}' for at in (30, *range(24, 30), 31))}")
    chart, last = page.locator(".chart"), page.locator(".chart-panes > .pane").last
    expect(last).to_have_attribute("data-boxes", re.compile("[1-9]"))
    expect(last).not_to_be_in_viewport()
    before = last.evaluate(pixels)
    chart.hover(position={"x": 200, "y": 60})
    page.mouse.wheel(0, -600)
    expect(last).to_have_attribute("data-view-start", re.compile(r"^(?!0$)"))
    expect(page).to_have_url(re.compile("start="))
    assert last.evaluate(pixels) == before
    last.scroll_into_view_if_needed()
    page.wait_for_function(
        "([pane, before]) => pane.querySelector('canvas').toDataURL() !== before", arg=[last.element_handle(), before]
    )
