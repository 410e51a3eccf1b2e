"""Flow arrows of the selected call, in open threads and beyond, and bands of long tasks and collections."""

import json
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.e2e.many_threads import slice_of
from tests.e2e.pages import open_room, room_of
from tests.e2e.running_server import RunningServer

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]
MAIN, COMPOSITOR, POOL = 1, 2, 3
LED_TO = ["→ DrawFrame Compositor (pid 700, tid 2)", "→ work ThreadPool <b>worker</b> (pid 700, tid 3)"]
NAMES = {MAIN: "CrRendererMain", COMPOSITOR: "Compositor", POOL: "ThreadPool <b>worker</b>"}


def frames(folder: Path) -> Path:
    """Ten frames: a task of the main thread hands one to the compositor and work to a pool; every fifth collects."""
    events: list[dict[str, object]] = [
        {"ph": "M", "name": "thread_name", "pid": 700, "tid": tid, "args": {"name": name}}
        for tid, name in NAMES.items()
    ]
    for count in range(10):
        at = count * 100_000
        events += [slice_of("RunTask", at, 70_000, MAIN), slice_of("post_frame", at + 10_000, 30_000, MAIN)]
        events += [slice_of("DrawFrame", at + 50_000, 20_000, COMPOSITOR), slice_of("work", at + 60_000, 30_000, POOL)]
        if count % 5 == 0:
            events.append(slice_of("MajorGC", at + 45_000, 5_000, MAIN))
        for number, (tid, reached) in enumerate(((COMPOSITOR, at + 55_000), (POOL, at + 65_000))):
            flow = {"name": "frame", "cat": "flow", "id": count * 2 + number, "pid": 700}
            events.append(flow | {"ph": "s", "ts": at + 20_000 + number, "tid": MAIN})
            events.append(flow | {"ph": "f", "bp": "e", "ts": reached, "tid": tid})
    file = folder / "frames.json"
    file.write_text(json.dumps(events))
    return file


@pytest.mark.long
def test_the_selected_call_has_arrows_to_other_threads_and_a_list_that_leads_there(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    open_room(page, analyst_server.address, frames(tmp_path))
    chart, layer = page.locator(".chart"), page.locator(".flow-layer")
    expect(page.locator(".chart .band-key")).to_have_text("10 long2 GC10 long tasks, 2 collections")
    expect(page.locator(".findings")).to_contain_text("10 tasks last longer than 50 ms")
    expect(layer).to_have_count(0)
    main = str(chart.get_attribute("data-profile"))
    others = [f"p{at}" for at in range(3) if f"p{at}" != main]
    page.goto(f"{room_of(page)}?threads={main},{others[0]}&find=post_frame")
    expect(page.locator(".pane")).to_have_count(1)
    page.get_by_role("button", name="Next match").click()
    expect(chart).to_have_attribute("data-selected-name", "post_frame")
    expect(layer).to_have_attribute("data-lines", "2")
    expect(layer.locator("g[data-loose]")).to_have_count(1)
    flows = page.get_by_role("list", name="Flows of the selected call")
    expect(flows.get_by_role("button")).to_have_text(LED_TO)
    for shade in ("light", "dark"):
        page.emulate_media(color_scheme=shade)
        assert [one["id"] for one in Axe().run(page).response["violations"]] == []
    flows.get_by_role("button", name="DrawFrame").click()
    expect(chart).to_have_attribute("data-selected-name", "DrawFrame")
    expect(flows.get_by_role("button")).to_have_text(["← post_frame CrRendererMain (pid 700, tid 1)"])
    expect(layer).to_have_attribute("data-lines", "1")
    chart.focus()
    chart.press("Escape")
    expect(flows).to_have_count(0)
    page.get_by_role("tab", name="Left heavy").click()
    expect(layer).to_have_count(0)
    expect(page.locator(".band-key")).to_have_count(0)
