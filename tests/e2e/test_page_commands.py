"""The command palette and what is downloaded from a room."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import Page, expect

from tests.e2e.pages import ask, expect_status, open_room
from tests.e2e.running_server import RunningServer

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]


def test_functions_threads_questions_and_actions_are_reached_by_typing(
    page: Page, analyst_server: RunningServer, board_trace: Path
) -> None:
    open_room(page, analyst_server.address, board_trace)
    palette = page.get_by_role("dialog", name="Commands")
    typing, chosen = palette.get_by_role("combobox"), palette.locator('[aria-selected="true"]')
    chart = page.locator(".chart")

    page.keyboard.press("Control+k")
    expect(palette.get_by_role("option").first).to_be_visible()
    assert [one["id"] for one in Axe().run(page).response["violations"]] == []
    typing.fill("subsequencesc")
    expect(chosen).to_contain_text("subsequenceScore")
    page.keyboard.press("Enter")
    expect(palette).to_be_hidden()
    expect(chart).to_have_attribute("data-selected", "f62")

    page.keyboard.press("Control+k")
    typing.fill("ThreadPool")
    expect(chosen).to_contain_text("ThreadPoolForegroundWorker")
    page.keyboard.press("Enter")
    expect(chart).not_to_have_attribute("data-profile", "p0")

    page.keyboard.press("Control+k")
    typing.fill("left heavy")
    page.keyboard.press("Enter")
    expect(chart).to_have_attribute("data-mode", "left_heavy")

    page.keyboard.press("Control+k")
    typing.fill("<img src=x onerror=window.pwned=1>")
    expect(palette.get_by_role("option")).to_have_count(2)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Ask about this trace")).to_have_value("<img src=x onerror=window.pwned=1>")
    assert page.evaluate("window.pwned") is None
    page.keyboard.press("Control+k")
    page.keyboard.press("Escape")
    expect(palette).to_be_hidden()


def test_a_picture_of_an_answer_is_downloaded_as_it_is_or_as_svg(
    page: Page, analyst_server: RunningServer, board_trace: Path
) -> None:
    open_room(page, analyst_server.address, board_trace)
    ask(page)
    expect_status(page, "completed")
    caption = page.locator(".picture figcaption").last
    with page.expect_download() as download:
        caption.get_by_role("link", name="PNG").click()
    assert download.value.path().read_bytes().startswith(b"\x89PNG")
    with page.expect_download() as download:
        caption.get_by_role("button", name="SVG").click()
    assert b"subsequenceScore" in download.value.path().read_bytes()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as a picture").click()
        expect(page.get_by_title("Saved")).to_be_visible()  # for a moment: the picture is looked at afterwards
    assert download.value.suggested_filename == "Why-is-this-slow.png"
    colours = np.asarray(Image.open(download.value.path()).convert("RGB")).astype(int)
    assert colours.shape[1] == 1520
    vivid = colours.max(axis=2) - colours.min(axis=2) > 40
    assert (colours.sum(axis=2) < 150).sum() > 2_000, "letters"
    assert vivid.sum(axis=1).max() > 1_000, "a row of the chart's boxes"


def test_the_view_and_the_trace_are_downloaded(
    page: Page, analyst_server: RunningServer, board_trace: Path, tmp_path: Path
) -> None:
    open_room(page, analyst_server.address, board_trace)
    page.get_by_role("button", name="Download", exact=True).click()
    dialog = page.get_by_role("dialog", name="Download")
    assert [one["id"] for one in Axe().run(page).response["violations"]] == []

    def downloaded(name: str) -> tuple[str, bytes]:
        with page.expect_download() as download:
            dialog.get_by_role("button", name=name, exact=True).click()
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        return path.name, path.read_bytes()

    name, picture = downloaded("PNG")
    assert name == f"{board_trace.name}.png"
    assert picture.startswith(b"\x89PNG")
    assert b"<svg " in downloaded("SVG")[1][:100]
    name, file = downloaded("speedscope")
    assert name.endswith(".speedscope.json.gz")
    assert "subsequenceScore" in {one["name"] for one in json.loads(gzip.decompress(file))["shared"]["frames"]}
    assert json.loads(gzip.decompress(downloaded("Chrome")[1]))["traceEvents"]
    assert downloaded("pprof")[1][:2] == b"\x1f\x8b"
    dialog.get_by_role("button", name="Close").click()

    page.get_by_role("tab", name="Sandwich").click()
    page.get_by_role("button", name="Download", exact=True).click()
    dialog.get_by_role("button", name="PNG").click()
    expect(dialog.get_by_role("alert")).to_contain_text("Choose one of these views")
