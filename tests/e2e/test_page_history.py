"""What is a step of history (findings, conversations, comparisons), and what is too long for an address."""

import json
import re
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.many_threads import slice_of, written
from tests.e2e.pages import SOME, ask, expect_status, open_room, room_of
from tests.e2e.running_server import RunningServer

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]


def test_a_finding_a_comparison_and_a_conversation_are_each_a_step_that_back_undoes(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    other = tmp_path / "before.json"
    other.write_text(json.dumps([slice_of("render_page", 0, 5_000, 31)]))
    open_room(page, analyst_server.address, other)
    before = page.url.partition("/t/")[2].partition("/")[0]
    open_room(page, analyst_server.address, written(tmp_path))
    chart, turns = page.locator(".chart"), page.locator(".turn")
    room = page.url
    findings = page.locator(".findings li button[title='Show in the chart']")
    names = findings.locator("strong").all_inner_texts()
    findings.nth(len(names) - 1).click()
    expect(page).to_have_url(re.compile("finding="))
    expect(findings.nth(len(names) - 1)).to_have_attribute("aria-current", "true")
    page.go_back()
    expect(page).to_have_url(room)
    expect(page.locator(".findings [aria-current]")).to_have_count(0)
    page.go_forward()
    expect(findings.nth(len(names) - 1)).to_have_attribute("aria-current", "true")
    page.go_back()

    page.get_by_role("tab", name="Compare").click()
    page.get_by_label("Before").select_option(before)
    expect(page).to_have_url(re.compile(f"before={before}"))
    expect(chart).to_have_attribute("data-mode", "diff")
    expect(chart).to_have_attribute("data-boxes", SOME)
    for _ in range(3):
        if chart.get_attribute("data-mode") != "diff":
            break
        page.go_back()
        expect(chart).to_have_attribute("aria-busy", "false")
    expect(chart).to_have_attribute("data-mode", "time_order")

    ask(page)
    expect_status(page, "completed")
    page.get_by_role("button", name="New conversation").click()
    expect(turns).to_have_count(0)
    expect(page).not_to_have_url(re.compile(re.escape(room)))
    page.go_back()
    expect(turns).to_have_count(1)
    page.go_forward()
    expect(turns).to_have_count(0)


def test_what_is_too_long_for_an_address_is_kept_under_a_short_one(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    names = [f"step_{number}_{'long_' * 26}" for number in range(12)]  # with the search it is too long
    file = tmp_path / "long names.txt"
    file.write_text("main;lay_out 9\n" + "".join(f"main;{name} 2\n" for name in names))
    open_room(page, analyst_server.address, file)
    chart, bar = page.locator(".chart"), page.locator(".transform-bar [data-transform]")
    room = room_of(page)
    search, words = page.get_by_label("Search functions and files"), "lay_out " + "x" * 300
    page.goto(f"{room}?transforms={quote(','.join(f'drop-function:{name}' for name in names))}")
    expect(bar).to_have_count(12)
    expect(chart).to_have_attribute("data-boxes", SOME)
    search.fill(words)
    expect(page).to_have_url(re.compile(r"kept=[A-Za-z0-9_-]{12}"))
    assert len(page.url) < 400
    link = page.url
    page.reload()
    expect(bar).to_have_count(12)
    expect(search).to_have_value(words)
    expect(chart).to_have_attribute("data-boxes", SOME)
    other = page.context.new_page()
    other.goto(link)
    expect(other.locator(".transform-bar [data-transform]")).to_have_count(12)
    page.get_by_role("button", name="All", exact=True).click()
    expect(bar).to_have_count(0)
    page.go_back()
    expect(bar).to_have_count(12)
    other.goto(f"{room}?kept=nothinghere1")
    expect(other.locator(".chart").get_by_role("alert")).to_be_visible()
    expect(other.locator(".chart")).to_have_attribute("data-boxes", SOME)
    other.close()
