"""What the details of a selection open to: callers, callees, calls, arguments."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.e2e.many_threads import slice_of
from tests.e2e.pages import open_room
from tests.e2e.running_server import RunningServer

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]


def with_arguments(folder: Path) -> Path:
    events: list[dict[str, Any]] = []
    for number in range(20):
        lasted = 8_000 if number == 11 else 2_000
        query = {"sql": "SELECT <b>1</b>", "number": number}
        events.append(slice_of("handle", number * 10_000, 9_000, 1))
        events.append(slice_of("query", number * 10_000 + 10, lasted, 1) | {"args": query})
        events.append(slice_of("decode", number * 10_000 + 20, 1_000, 1))
    file = folder / "arguments.json"
    file.write_text(json.dumps(events))
    return file


@pytest.mark.long
def test_a_selected_call_has_callers_callees_the_slowest_calls_and_its_arguments(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    open_room(page, analyst_server.address, with_arguments(tmp_path))
    chart = page.locator(".chart")
    page.get_by_label("Search functions and files").fill("query")
    page.get_by_label("Search functions and files").press("Enter")
    expect(chart).to_have_attribute("data-selected-name", "query")
    page.get_by_text("Callers, callees, calls, arguments").click()
    details = page.locator(".details")
    expect(details.get_by_role("region", name="Callers")).to_contain_text(re.compile("handle.*100.0%"))
    expect(details.get_by_role("region", name="Callees")).to_contain_text("decode")
    calls = details.get_by_role("region", name="Calls")
    expect(calls).to_contain_text("20 calls")
    expect(calls.locator("rect")).to_have_count(24)
    arguments = details.get_by_role("region", name="Arguments")
    expect(arguments).to_contain_text("SELECT <b>1</b>")
    expect(arguments.locator("dd").nth(1)).to_have_text("0")
    assert [one["id"] for one in Axe().run(page).response["violations"]] == []
    calls.get_by_role("button", name="8.00 ms").click()
    expect(arguments.locator("dd").nth(1)).to_have_text("11")
    details.get_by_role("region", name="Callees").get_by_role("button", name="decode").click()
    expect(chart).to_have_attribute("data-selected-name", "decode")
    expect(details.get_by_role("region", name="Callers")).to_contain_text("query")


def with_places(folder: Path) -> Path:
    """A recording by samples whose functions have files and lines."""
    frames = [{"name": "lay_out", "file": "/srv/app/layout.py", "line": 4}, {"name": "wait", "file": "/srv/wait.c"}]
    times = {"unit": "milliseconds", "startValue": 0, "endValue": 5, "samples": [[0], [0, 1]], "weights": [3, 2]}
    schema = "https://www.speedscope.app/file-format-schema.json"
    profile = {"type": "sampled", "name": "main"} | times
    file = folder / "places.speedscope.json"
    file.write_text(json.dumps({"$schema": schema, "shared": {"frames": frames}, "profiles": [profile]}))
    return file


@pytest.mark.long
def test_a_selected_function_shows_its_lines_where_a_folder_of_sources_is_set(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    open_room(page, analyst_server.address, with_places(tmp_path))
    search = page.get_by_label("Search functions and files")
    search.fill("lay_out")
    search.press("Enter")
    expect(page.locator(".chart")).to_have_attribute("data-selected-name", "lay_out")
    page.get_by_text("Callers, callees, calls").click()
    source = page.locator(".details").get_by_role("region", name="Source")
    expect(source).to_contain_text("app/layout.py")
    expect(source.locator("[data-named]")).to_have_text(re.compile(r"4 def lay_out\(page\):"))
    expect(source).to_contain_text("return '<b>' + rows.of(page)")
    assert [one["id"] for one in Axe().run(page).response["violations"]] == []
    search.fill("wait")
    search.press("Enter")
    expect(source).to_contain_text("No file in the folder of sources fits it")
