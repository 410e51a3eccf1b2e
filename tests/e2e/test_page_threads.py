"""The list of processes and threads over the chart: by mouse, by keyboard, by name, and of very many."""

import json
import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.e2e.many_threads import slice_of, written
from tests.e2e.pages import ask, expect_status, open_room
from tests.e2e.running_server import RunningServer

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]
TREE = "Processes and threads"


def threads(page: Page) -> list[str]:
    """The rendered rows as a screen reader has them."""
    rows = page.get_by_role("tree", name=TREE).get_by_role("treeitem").all()
    return [row.get_attribute("aria-label") or row.inner_text() for row in rows]


@pytest.mark.long
def test_threads_are_listed_by_work_and_open_by_mouse_keyboard_and_name(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    open_room(page, analyst_server.address, written(tmp_path))
    chart, tree = page.locator(".chart"), page.get_by_role("tree", name=TREE)
    expect(tree).to_have_attribute("aria-busy", "false")
    assert threads(page)[0] == "main, number 31, main, busy 90.2%"
    first = chart.get_attribute("data-profile")
    assert tree.locator('[aria-selected="true"]').get_attribute("data-handle") == first
    expect(tree.locator(".track").first.locator(".track-strip path")).to_have_count(1)
    second = tree.locator(".track").nth(1)
    handle = second.get_attribute("data-handle") or ""
    second.click()
    expect(chart).to_have_attribute("data-profile", handle)
    expect(page).to_have_url(re.compile(f"thread={handle}"))
    tree.press("Home")
    tree.press("Enter")
    expect(chart).to_have_attribute("data-profile", first or "")
    page.get_by_label("Filter threads").fill("thread 49")
    expect(tree.locator(".track")).to_have_count(1)
    page.get_by_label("Filter threads").press("ArrowDown")
    expect(tree).to_be_focused()
    tree.press("Enter")
    expect(chart).to_have_attribute("data-profile", "p48")
    for shade in ("light", "dark"):
        page.emulate_media(color_scheme=shade)
        assert [one["id"] for one in Axe().run(page).response["violations"]] == []
    page.get_by_label("Filter threads").fill("no such thread")
    expect(page.get_by_text("No thread has this name.")).to_be_visible()
    page.get_by_role("button", name="Threads", exact=True).click()
    expect(tree).to_have_count(0)
    expect(page.locator(".tracks-shown")).to_have_text("PoolWorker thread 49")


@pytest.mark.long
def test_threads_stand_below_their_process_by_work_and_fold_into_it(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    events: list[dict[str, object]] = []
    for pid, name, lasted in ((7, "Browser <b>one</b>", 20_000), (8, "Renderer", 90_000)):
        events.append({"ph": "M", "name": "process_name", "pid": pid, "args": {"name": name}})
        for tid in (pid * 10, pid * 10 + 1):
            events.append({"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": {"name": f"thread {tid}"}})
            events.append(slice_of("work", 0, lasted, tid) | {"pid": pid})
    file = tmp_path / "processes.json"
    file.write_text(json.dumps(events))
    open_room(page, analyst_server.address, file)
    tree = page.get_by_role("tree", name=TREE)
    rows = tree.get_by_role("treeitem")
    expect(rows).to_have_count(6)
    expect(rows.nth(0)).to_contain_text("Renderer")
    expect(rows.nth(3)).to_contain_text("Browser <b>one</b>")
    tree.press("Home")
    tree.press("ArrowLeft")
    expect(rows).to_have_count(4)
    expect(rows.nth(0)).to_have_attribute("aria-expanded", "false")
    expect(rows.nth(1)).to_contain_text("Browser <b>one</b>")
    tree.press("ArrowRight")
    expect(rows).to_have_count(6)
    rows.nth(3).click()
    expect(rows).to_have_count(4)
    expect(page.locator(".chart")).to_have_attribute("data-profile", re.compile("p"))


def listed(tid: int) -> dict[str, object]:
    """A row of the list: one thread in fifty works."""
    works = tid % 50 == 0
    row = {"handle": f"p{tid}", "process": tid // 1000, "tid": str(tid), "name": f"task {tid}", "role": "unknown"}
    measured = {"unit": "nanoseconds", "busy": 5, "share": 0.5 if works else 0.0001, "activity": "0f" * 32}
    return row | measured | {"isSmall": not works, "viewOf": None}


@pytest.mark.long
def test_twenty_thousand_threads_are_a_short_list_that_is_walked_to_its_end(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    answer = {
        "processes": [{"pid": str(pid), "name": None} for pid in range(20)],
        "tracks": [listed(tid) for tid in range(20_000)],
        "start": 0,
        "end": 1,
    }
    page.route("**/tracks", lambda route: route.fulfill(json=answer))
    open_room(page, analyst_server.address, written(tmp_path))
    tree = page.get_by_role("tree", name=TREE)
    expect(tree).to_have_attribute("aria-busy", "false")
    tree.focus()
    tree.press("End")
    expect(page.locator(".track-rest")).to_contain_text("19,600 rows below 0.1 %")
    tree.press("Enter")
    for key in ("End", "PageUp", "Home", "PageDown", "End", "ArrowUp"):
        tree.press(key)
        assert tree.locator(".track").count() < 30
    last = tree.locator('.track[data-handle="p19999"]')
    expect(last).to_have_attribute("aria-setsize", "20021")
    expect(tree).to_have_attribute("aria-activedescendant", "track-p19999")
    page.get_by_label("Filter threads").fill("task 19998")
    expect(tree.get_by_role("treeitem")).to_have_count(2)


@pytest.mark.long
def test_on_a_phone_the_question_box_is_in_sight_and_a_conversation_opens_in_its_place(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    open_room(page, analyst_server.address, written(tmp_path))
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.get_by_label("Ask about this trace")).to_be_in_viewport(ratio=1)
    expect(page.locator(".chart")).to_be_in_viewport(ratio=1)
    ask(page)
    expect_status(page, "completed")
    page.add_init_script(
        "window.shifted = 0; new PerformanceObserver((list) => { for (const one of list.getEntries())"
        " window.shifted += one.value; }).observe({ type: 'layout-shift', buffered: true })"
    )
    page.reload()
    expect(page.locator(".turn")).to_have_count(1)
    expect(page.locator(".findings")).to_contain_text("info")
    expect(page.get_by_label("Ask about this trace")).to_be_in_viewport(ratio=1)
    assert page.evaluate("() => window.shifted") < 0.1
