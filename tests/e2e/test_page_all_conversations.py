"""The page of all conversations: found by their texts over all traces, renamed, put away, deleted."""

import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.e2e.pages import ask, expect_status, open_room
from tests.e2e.running_server import RunningServer

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]

TITLE = "<img src=x onerror=window.pwned=1> \u202etitle"


def test_conversations_are_found_renamed_archived_and_deleted(
    page: Page, analyst_server: RunningServer, board_trace: Path
) -> None:
    open_room(page, analyst_server.address, board_trace)
    ask(page, "What about measureColumns, zebra?")
    expect_status(page, "completed")
    room = page.url.split("#")[0].split("?")[0]
    page.get_by_role("link", name="Conversations").click()
    found = page.get_by_role("list", name="Conversations").get_by_role("listitem")
    page.get_by_label("Search conversations").fill("ZEBRA")
    expect(found).to_have_count(1)
    expect(found.locator("mark")).to_have_text("zebra")
    expect(found).to_contain_text(board_trace.name)
    assert [one["id"] for one in Axe().run(page).response["violations"]] == []

    found.get_by_role("button", name=re.compile("Rename")).click()
    page.get_by_label(re.compile("New title")).fill(TITLE)
    page.get_by_role("button", name="Save the title").click()
    expect(found.get_by_role("link")).to_contain_text("<img src=x onerror")
    assert page.evaluate("window.pwned") is None
    assert page.locator("main img").count() == 0

    found.get_by_role("button", name=re.compile("Archive")).click()
    expect(page.get_by_role("status")).to_have_text("No conversation has this text.")
    page.get_by_label("Archived").check()
    expect(found).to_have_count(1)
    found.get_by_role("link").click()
    expect(page).to_have_url(re.compile(re.escape(room)))
    expect(page.locator(".conversation-title")).to_contain_text("<img src=x onerror")
    expect(page.locator(".turn")).to_have_count(1)
    page.go_back()
    page.get_by_label("Search conversations").fill("zebra")
    page.get_by_label("Archived").check()
    found.get_by_role("button", name=re.compile("Bring back")).click()
    expect(page.get_by_role("status")).to_have_text("No archived conversation has this text.")
    page.get_by_label("Archived").uncheck()
    found.get_by_role("button", name=re.compile("Delete")).click()
    found.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_role("status")).to_have_text("No conversation has this text.")


def test_a_room_lists_the_conversations_about_other_traces_too(
    page: Page, analyst_server: RunningServer, board_trace: Path, tmp_path: Path
) -> None:
    open_room(page, analyst_server.address, board_trace)
    ask(page, "What about measureColumns, quagga?")
    expect_status(page, "completed")
    away = page.url.split("#")[0].split("?")[0]
    other = tmp_path / "stacks.txt"
    other.write_text("main;read 3\nmain;draw 9\n")
    open_room(page, analyst_server.address, other)
    ask(page, "What about draw, okapi?")
    expect_status(page, "completed")
    here = page.url.split("#")[0].split("?")[0]
    page.locator(".conversation-title").click()
    ways = page.get_by_role("navigation", name="Conversations about this trace")
    expect(ways.get_by_role("link")).to_have_count(1)
    ways.get_by_text("About all traces").click()
    found = ways.get_by_role("list", name="Conversations").get_by_role("listitem")
    ways.get_by_label("Search conversations").fill("QUAGGA")
    expect(found).to_have_count(1)
    expect(found).to_contain_text(board_trace.name)
    for shade in ("light", "dark"):
        page.emulate_media(color_scheme=shade)
        assert [one["id"] for one in Axe().run(page).response["violations"]] == []
    found.get_by_role("button", name=re.compile("Rename")).click()
    ways.get_by_label(re.compile("New title")).fill("Striped")
    ways.get_by_role("button", name="Save the title").click()
    expect(found.get_by_role("link")).to_contain_text("Striped")
    found.get_by_role("link").click()
    expect(page).to_have_url(re.compile(re.escape(away)))
    expect(page.locator(".turn")).to_contain_text("quagga")
    expect(ways).to_be_hidden()
    page.go_back()
    expect(page).to_have_url(re.compile(re.escape(here)))
    page.locator(".conversation-title").click()
    if ways.get_by_label("Search conversations").is_hidden():
        ways.get_by_text("About all traces").click()
    ways.get_by_label("Search conversations").fill("okapi")
    expect(found).to_have_count(1)
    found.get_by_role("button", name=re.compile("Delete")).click()
    found.get_by_role("button", name="Delete", exact=True).click()
    expect(page.locator(".turn")).to_have_count(0)
    expect(page).not_to_have_url(re.compile(re.escape(here)))
