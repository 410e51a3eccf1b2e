"""What is remembered, on the page: proposed, edited, kept, used later, in conflict, struck, exported."""

import json
import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.e2e.pages import ask, expect_status, open_room
from tests.e2e.running_server import RunningServer

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]

FACT = "layouts must stay under 16 ms"


def test_a_fact_is_kept_used_contradicted_struck_and_undone(
    page: Page, analyst_server: RunningServer, board_trace: Path
) -> None:
    open_room(page, analyst_server.address, board_trace)
    ask(page, "remember that layouts must stay under 20 ms")
    expect_status(page, "completed")
    proposed = page.get_by_role("list", name="To remember")
    proposed.get_by_role("button", name="Edit").click()
    proposed.get_by_role("textbox", name="Remember").fill(FACT)
    proposed.get_by_role("button", name="Keep").click()
    expect(proposed).to_contain_text(f"Remembered, in your words: {FACT}")
    room = page.url.split("#")[0].split("?")[0]

    trace_page = room.rsplit("/", 1)[0]
    page.goto(trace_page)
    ask(page, "What is our limit for layouts?")
    expect_status(page, "completed")
    expect(page.locator(".turn").last).to_contain_text(f'Remembered: "{FACT}"')
    used = page.locator(".turn").last.get_by_text("used 1 thing you told me")
    expect(used).to_be_visible()
    page.reload()
    used.click()
    going_by = page.get_by_role("list", name="What the answer goes by")
    expect(going_by).to_contain_text(FACT)
    going_by.get_by_role("button", name=f"Strike: {FACT}").click()
    expect(going_by).to_contain_text("no answer uses it from now on")
    ask(page, "What is our limit for layouts?")
    expect_status(page, "completed")
    expect(page.locator(".turn").last).not_to_contain_text(FACT)
    page.get_by_role("link", name="Memory").click()
    page.get_by_role("button", name="Undo the last change").click()
    expect(page.get_by_role("list", name="Facts").get_by_role("listitem")).to_have_count(1)

    page.route("**/api/v1/config", lambda route: route.fulfill(json=route.fetch().json() | {"memory": False}))
    page.reload()
    expect(page.get_by_role("link", name="Conversations")).to_be_visible()
    expect(page.get_by_role("link", name="Memory")).to_have_count(0)
    page.unroute("**/api/v1/config")
    page.reload()

    page.get_by_role("link", name="Memory").click()
    facts = page.get_by_role("list", name="Facts").get_by_role("listitem")
    expect(facts).to_have_count(1)
    expect(facts).to_contain_text(FACT)
    expect(facts).to_contain_text(", you")
    page.get_by_label("One more").fill("layouts must stay under 8 ms")
    page.get_by_role("button", name="Remember", exact=True).click()
    expect(facts).to_have_count(2)
    conflict = page.get_by_role("group", name="Two facts that do not go together")
    expect(conflict).to_contain_text("8 ms")
    assert [one["id"] for one in Axe().run(page).response["violations"]] == []
    conflict.get_by_role("button", name="Keep the older").click()
    expect(facts).to_have_count(1)
    expect(conflict).to_have_count(0)

    with page.expect_download() as downloading:
        page.get_by_role("button", name="Export").click()
    exported = json.loads(Path(downloading.value.path()).read_text(encoding="utf-8"))
    assert exported["core"]["facts"] == [FACT]
    assert len(exported["changes"]) == 5

    facts.get_by_role("button", name=re.compile("Strike")).click()
    expect(facts).to_have_count(0)
    page.get_by_role("button", name="Undo the last change").click()
    expect(facts).to_have_count(1)
    page.get_by_role("button", name="Forget everything").click()
    page.get_by_role("button", name="Yes, forget everything").click()
    expect(page.get_by_text("Nothing yet.")).to_be_visible()
    page.goto(trace_page)
    ask(page, "What is our limit for layouts?")
    expect_status(page, "completed")
    expect(page.locator(".turn").last).not_to_contain_text(FACT)

    proposed = page.locator(".turn").last.get_by_role("list", name="To remember")
    for text in ("layouts must stay under 20 ms", "layouts must stay under 8 ms"):
        ask(page, f"remember that {text}")
        expect_status(page, "completed")
        proposed.get_by_role("button", name="Keep").click()
        expect(proposed).to_contain_text(f"Remembered: {text}")
    conflict = proposed.get_by_role("group", name="Two facts that do not go together")
    expect(conflict).to_contain_text("layouts must stay under 20 ms")
    assert [one["id"] for one in Axe().run(page).response["violations"]] == []
    conflict.get_by_role("button", name="Strike the older").click()
    expect(proposed).to_contain_text("No longer remembered: layouts must stay under 20 ms")
    ask(page, "What is our limit for layouts?")
    expect_status(page, "completed")
    expect(page.locator(".turn").last).to_contain_text("8 ms")
    expect(page.locator(".turn").last).not_to_contain_text("20 ms")
