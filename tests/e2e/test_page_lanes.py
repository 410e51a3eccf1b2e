"""Levels, marks, async spans and requests over the chart, where a trace has them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.e2e.many_threads import slice_of, written
from tests.e2e.pages import open_room
from tests.e2e.running_server import RunningServer

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]


def with_everything(folder: Path) -> Path:
    events: list[dict[str, Any]] = [slice_of("work", 0, 100_000, 1)]
    of_thread = {"pid": 700, "tid": 1}
    for at in range(0, 100_000, 1000):
        level = 90 if 40_000 <= at < 60_000 else 10
        events.append(of_thread | {"ph": "C", "name": "queue <b>length</b>", "ts": at, "args": {"value": level}})
        events.append(of_thread | {"ph": "I", "s": "t", "name": "frame", "ts": at + 500})
    fetch = of_thread | {"name": "fetch", "cat": "net", "id": 1}
    events += [fetch | {"ph": "b", "ts": 20_000}, fetch | {"ph": "e", "ts": 80_000}]
    file = folder / "everything.json"
    file.write_text(json.dumps(events))
    return file


CUT = """list => [...list.querySelectorAll('li')].map((one) => one.offsetTop)
  .concat(list.querySelector('canvas').clientHeight)
  .filter((top, at, tops) => at > 0 && tops[at - 1] < list.clientHeight && top > list.clientHeight)"""
"""Where lanes end that begin in sight and end out of it."""


@pytest.mark.long
def test_levels_marks_and_async_spans_lie_over_the_chart_on_its_axis(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    open_room(page, analyst_server.address, with_everything(tmp_path))
    lanes = page.get_by_role("region", name="Besides calls")
    expect(lanes.locator(".lanes-count")).to_have_text("1 level, 1 kind of marks, 1 async span")
    kinds = [re.compile("queue <b>length</b>.*10 to 90"), re.compile("Async spans"), re.compile("frame.*100 marks")]
    expect(lanes.get_by_role("listitem")).to_have_text(kinds)
    canvas = lanes.locator("canvas").bounding_box()
    assert canvas is not None
    page.mouse.move(canvas["x"] + canvas["width"] * 0.5, canvas["y"] + 15)
    expect(lanes.locator("output")).to_have_text(re.compile("queue.*: 90 at 50"))
    page.mouse.move(canvas["x"] + canvas["width"] * 0.2, canvas["y"] + 15)
    expect(lanes.locator("output")).to_have_text(re.compile("queue.*: 10 at "))
    page.mouse.click(canvas["x"] + canvas["width"] * 0.5, canvas["y"] + 38)
    expect(lanes.locator("output")).to_have_text("fetch · 60.0 ms")
    expect(page.locator(".chart")).to_have_attribute("data-range", "20000000 80000000")
    marked = page.get_by_role("group", name="Marked range of time")
    expect(marked).to_contain_text("queue <b>length</b>: 10 to 90, last 10")
    for shade in ("light", "dark"):
        page.emulate_media(color_scheme=shade)
        assert [one["id"] for one in Axe().run(page).response["violations"]] == []
    page.get_by_role("tab", name="Left heavy").click()
    expect(lanes).to_have_count(0)


@pytest.mark.long
def test_requests_are_a_waterfall_on_the_chart_s_axis(
    page: Page, analyst_server: RunningServer, board_trace: Path
) -> None:
    open_room(page, analyst_server.address, board_trace)
    lanes = page.get_by_role("region", name="Besides calls")
    expect(lanes.locator(".lanes-count")).to_contain_text("3 requests")
    expect(lanes.get_by_role("listitem").filter(has_text="Requests")).to_have_count(1)
    answer = page.request.get(f"{analyst_server.address}/api/v1/traces/{page.url.split('/')[4]}/lanes").json()
    (requests,) = [one for one in answer["boxes"] if one["name"] == "Requests"]
    assert (requests["count"], len(requests["boxes"])) == (3, 3)
    shown = lanes.get_by_role("group", name="Levels, marks and intervals")
    assert shown.evaluate("list => list.scrollHeight > list.clientHeight + 20"), "this trace has more than fits"
    assert shown.evaluate(CUT) == []
    expect(shown).to_have_attribute("data-more", "true")
    shown.evaluate("list => list.scrollTo(0, list.scrollHeight)")
    expect(shown).not_to_have_attribute("data-more", "true")


@pytest.mark.long
def test_a_trace_of_calls_alone_has_no_lanes(page: Page, analyst_server: RunningServer, tmp_path: Path) -> None:
    with page.expect_response("**/lanes"):
        open_room(page, analyst_server.address, written(tmp_path, threads=3))
    expect(page.get_by_role("tree", name="Processes and threads")).to_have_attribute("aria-busy", "false")
    expect(page.get_by_role("region", name="Besides calls")).to_have_count(0)
