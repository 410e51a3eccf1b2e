"""The way from a file to a saved answer without a mouse."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.pages import QUESTION, ROOM, SOME, expect_status
from tests.e2e.running_server import RunningServer

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]

MOST_STOPS = 200
FOCUSED = """() => {
  const one = document.activeElement;
  if (one === document.body) return ['', false];
  const named = one.getAttribute('aria-label') || one.labels?.[0]?.innerText || one.innerText || '';
  return [named.trim(), one.matches(':focus-visible') && one.checkVisibility()];
}"""


def tab_to(page: Page, name: str, key: str = "Tab", *, exact: bool = False) -> None:
    """Go on with one key to what has such a name, where it is seen to have the focus."""
    passed = []
    for _ in range(MOST_STOPS):
        page.keyboard.press(key)
        focused, is_seen = page.evaluate(FOCUSED)
        if focused == name or (name in focused and not exact):
            assert is_seen, name
            return
        passed.append(focused)
    raise AssertionError(f"{name} is not reached: {passed[:60]}")


def test_the_path_from_a_file_to_a_saved_answer_is_walked_by_keyboard_alone(
    page: Page, analyst_server: RunningServer, board_trace: Path
) -> None:
    page.on("filechooser", lambda chooser: chooser.set_files(board_trace))
    page.goto(analyst_server.address)
    expect(page.locator(".trace").first).to_be_visible()
    tab_to(page, "choose a file")
    page.keyboard.press("Enter")
    page.wait_for_url(ROOM)
    chart = page.locator(".chart")
    expect(chart).to_have_attribute("data-boxes", SOME)
    expect(page.locator(".opening")).to_be_visible()
    tab_to(page, "Ask about this trace", "Shift+Tab")
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    expect_status(page, "completed")

    tab_to(page, "subsequenceScore", "Shift+Tab", exact=True)
    page.keyboard.press("Enter")
    expect(chart).to_have_attribute("data-selected-name", "subsequenceScore")
    page.keyboard.press("Control+k")
    commands = page.get_by_role("dialog", name="Commands")
    expect(commands.get_by_role("option").first).to_be_visible()
    expect(commands.get_by_role("combobox")).to_be_focused()
    page.keyboard.type("left heavy")
    expect(commands.locator('[aria-selected="true"]')).to_contain_text("eft heavy")
    page.keyboard.press("Enter")
    expect(chart).to_have_attribute("data-mode", "left_heavy")
    expect(chart).to_have_attribute("aria-busy", "false")
    tab_to(page, "Flame chart")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("m")
    expect(page.get_by_role("menu")).to_be_visible()
    page.get_by_role("menuitem", name="Focus on function").evaluate(
        "item => item.parentElement.dataset.place = [...item.parentElement.children].indexOf(item)"
    )
    for _ in range(int(page.get_by_role("menu").get_attribute("data-place") or 0)):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("[data-transform]")).to_have_count(1)
    tab_to(page, "Undo: ", "Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.locator("[data-transform]")).to_have_count(0)

    tab_to(page, "Flame chart")
    page.keyboard.press("5")
    functions = page.get_by_role("grid", name="Functions")
    expect(functions.locator(".grid-body .grid-row").first).to_be_visible()
    functions_focused = "() => document.activeElement.getAttribute('role') === 'grid'"
    if not page.evaluate(functions_focused):
        tab_to(page, "Functions")
        for _ in range(12):
            if page.evaluate(functions_focused):
                break
            page.keyboard.press("Tab")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(chart).to_have_attribute("data-selected", SOME)

    tab_to(page, "Save as a picture")
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    assert download.value.suggested_filename.endswith(".png")
    tab_to(page, "Why is this slow?", "Shift+Tab")  # the title of the conversation
    page.keyboard.press("Enter")
    tab_to(page, "Markdown")
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    assert download.value.suggested_filename.endswith(".md")
    tab_to(page, "Conversations")
    page.keyboard.press("Enter")
    tab_to(page, QUESTION)
    page.keyboard.press("Enter")
    page.wait_for_url(ROOM)
    expect(page.locator(".turn")).to_have_count(1)
