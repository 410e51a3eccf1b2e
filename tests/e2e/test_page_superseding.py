"""On the page: answer again, edit a question, judge an answer."""

import time
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.e2e.pages import ask, expect_status, open_room
from tests.e2e.running_server import RunningServer

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]

SHOWN = ".turn .prompt p"


def expect_opinion(page: Page, server: RunningServer, score: int) -> None:
    """Wait until the server has stored it: the page shows an opinion before it has arrived, and a reload drops it."""
    address = f"{server.address}/api/v1/sessions/{page.url.rsplit('/', 1)[1]}/messages"
    deadline = time.monotonic() + 60
    while httpx.get(address, timeout=60).json()["messages"][-1]["feedback"] != score:
        assert time.monotonic() < deadline, "the opinion was not stored"


def test_an_answer_given_again_takes_the_place_of_the_old_one(
    page: Page, analyst_server: RunningServer, board_trace: Path
) -> None:
    open_room(page, analyst_server.address, board_trace)
    ask(page)
    expect_status(page, "completed")
    first = page.locator(".turn").get_attribute("data-turn")
    page.get_by_role("button", name="Answer again").click()
    expect(page.locator(".turn")).not_to_have_attribute("data-turn", first or "")
    expect_status(page, "completed")
    expect(page.locator(".turn")).to_have_count(1)
    page.reload()
    expect(page.locator(".turn")).to_have_count(1)
    expect(page.locator(SHOWN)).to_contain_text("Why is this slow?")


def test_an_edited_question_replaces_it_and_what_followed(
    page: Page, analyst_server: RunningServer, board_trace: Path
) -> None:
    open_room(page, analyst_server.address, board_trace)
    ask(page)
    expect_status(page, "completed")
    ask(page, "Which functions are slowest?")
    expect(page.locator(".turn")).to_have_count(2)
    expect_status(page, "completed")
    page.locator(SHOWN).first.hover()
    page.get_by_role("button", name="Edit the question").first.click()
    page.get_by_label("The question, edited").fill("What is the summary?")
    page.get_by_label("The question, edited").press("Enter")
    expect(page.locator(SHOWN)).to_have_text(["What is the summary?"])
    expect_status(page, "completed")
    page.reload()
    expect(page.locator(SHOWN)).to_have_text(["What is the summary?"])


def test_versions_of_an_answer_that_were_replaced_can_be_read(
    page: Page, analyst_server: RunningServer, board_trace: Path
) -> None:
    open_room(page, analyst_server.address, board_trace)
    ask(page)
    expect_status(page, "completed")
    expect(page.get_by_role("group", name="Versions")).to_have_count(0)
    page.get_by_role("button", name="Answer again").click()
    versions = page.get_by_role("group", name="Versions of this answer")
    expect(versions).to_contain_text("2 of 2", timeout=90_000)
    page.locator(SHOWN).first.hover()
    page.get_by_role("button", name="Edit the question").first.click()
    page.get_by_label("The question, edited").fill("Which functions are slowest?")
    page.get_by_label("The question, edited").press("Enter")
    expect(versions).to_contain_text("3 of 3", timeout=90_000)
    page.reload()
    expect(versions).to_contain_text("3 of 3")
    versions.get_by_role("button", name="Earlier version").click()
    expect(versions).to_contain_text("2 of 3")
    expect(page.locator(SHOWN)).to_have_text(["Why is this slow?"])
    expect(page.get_by_role("button", name="Edit the question")).to_have_count(0)
    versions.get_by_role("button", name="Earlier version").click()
    expect(versions).to_contain_text("1 of 3")
    expect(versions.get_by_role("button", name="Earlier version")).to_be_disabled()
    versions.get_by_role("button", name="Later version").click()
    versions.get_by_role("button", name="Later version").click()
    expect(page.locator(SHOWN)).to_have_text(["Which functions are slowest?"])


def test_an_opinion_stays_until_it_is_taken_back(page: Page, analyst_server: RunningServer, board_trace: Path) -> None:
    open_room(page, analyst_server.address, board_trace)
    ask(page)
    expect_status(page, "completed")
    helped = page.get_by_role("button", name="This helped")
    helped.click()
    expect(helped).to_have_attribute("aria-pressed", "true")
    expect_opinion(page, analyst_server, 1)
    page.reload()
    expect(helped).to_have_attribute("aria-pressed", "true")
    helped.click()
    expect(helped).to_have_attribute("aria-pressed", "false")
    expect_opinion(page, analyst_server, 0)
    page.reload()
    expect(page.get_by_role("button", name="This did not help")).to_have_attribute("aria-pressed", "false")
    expect(helped).to_have_attribute("aria-pressed", "false")
