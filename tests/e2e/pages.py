"""What people do on the page, as functions of a browser's page."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

ROOM = re.compile(r"/t/[A-Za-z0-9_-]+/[A-Za-z0-9_-]+")
SOME = re.compile("[1-9]")
ANSWER_MS = 90_000
QUESTION = "Why is this slow?"


def room_of(page: Page) -> str:
    """The room's address without what the page may have added of its view."""
    return re.split(r"[?#]", page.url, maxsplit=1)[0]


def open_room(page: Page, address: str, trace: Path) -> None:
    """Choose a file in the picker; its room opens with its chart and its conversation."""
    page.goto(address)
    page.set_input_files("input[type=file]", trace)
    page.wait_for_url(ROOM)
    expect(page.locator(".chart")).to_have_attribute("data-boxes", SOME)
    expect(page.locator(".opening")).to_be_visible()


def open_thread(page: Page, handle: str) -> None:
    """Open a thread in the list over the chart."""
    row = page.locator(f'.track[data-handle="{handle}"]')
    threads = page.get_by_role("tree", name="Processes and threads")
    threads.focus()
    threads.press("End")
    quiet = page.locator(".track-rest")
    if quiet.count() and quiet.get_attribute("aria-expanded") == "false":
        quiet.click()
    for _ in range(500):
        if row.count():
            break
        threads.press("PageUp")
    row.click()
    expect(row).to_have_attribute("aria-selected", "true")


def ask(page: Page, question: str = QUESTION) -> None:
    page.get_by_label("Ask about this trace").fill(question)
    page.get_by_role("button", name="Send").click()


def expect_status(page: Page, status: str) -> None:
    """Wait until the last turn is running, completed, cancelled or failed."""
    expect(page.locator(".turn").last).to_have_attribute("data-status", status, timeout=ANSWER_MS)


def picture_width(page: Page) -> int:
    """The decoded width of the conversation's first picture, in pixels."""
    width: int = page.locator(".picture img").first.evaluate("image => image.decode().then(() => image.naturalWidth)")
    return width


def saved_conversation(page: Page, kind: str, folder: Path) -> Path:
    """The open conversation as the page gives it out: as Markdown, JSON or a Page."""
    if page.locator("#conversation-list").is_hidden():
        page.locator(".conversation-title").click()
    with page.expect_download() as download:
        page.get_by_role("group", name="Save this conversation").get_by_role("button", name=kind).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path
