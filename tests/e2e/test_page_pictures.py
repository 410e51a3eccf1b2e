"""Chart and pictures label by one rule; a picture has the name before the handle, and says what no font has."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.many_threads import slice_of, written
from tests.e2e.pages import ask, expect_status, open_room
from tests.e2e.running_server import RunningServer

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]

DRAWN_TEXTS = """() => {
  window.drawnTexts = new Set();
  const drawn = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
    window.drawnTexts.add(text);
    return drawn.call(this, text, ...rest);
  };
}"""
CORNER = """async (image) => {
  await image.decode();
  const context = new OffscreenCanvas(1, 1).getContext("2d");
  context.drawImage(image, 2, 2, 1, 1, 0, 0, 1, 1);
  return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)];
}"""
"""The colour on which a picture is drawn."""
QUALIFIED = "acme::" + "::".join(f"level_of_names_{place}" for place in range(40)) + "::parse(std::string const&)"
TEXTS = re.compile(r"<text[^>]*>([^<]*)</text>")


def recording(folder: Path, *names: str) -> Path:
    file = folder / "names.json"
    file.write_text(json.dumps([slice_of(name, at, 2_000 - 2 * at, 1) for at, name in enumerate(names)]))
    return file


def test_a_long_name_loses_its_middle_in_the_chart_and_in_pictures(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    page.add_init_script(f"({DRAWN_TEXTS})()")
    open_room(page, analyst_server.address, recording(tmp_path, QUALIFIED))
    (shown,) = [text for text in page.evaluate("() => [...window.drawnTexts]") if "parse" in text]
    trace = page.url.partition("/t/")[2].partition("/")[0]
    svg = page.request.get(f"{analyst_server.address}/api/v1/traces/{trace}/flamegraph.svg?width=900").text()
    (drawn,) = [text for text in TEXTS.findall(svg) if "parse" in text]
    for text in (shown, drawn):
        assert re.fullmatch(r"acme::.*…level_of_names_\d+.*::parse", text) or re.fullmatch(r"acme.*….*::parse", text), (
            text
        )


def test_in_a_picture_the_name_comes_before_the_handle_and_it_shows_the_first_thread(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    open_room(page, analyst_server.address, written(tmp_path))
    first = str(page.locator(".chart").get_attribute("data-profile"))
    ask(page)
    expect_status(page, "completed")
    trace = page.url.partition("/t/")[2].partition("/")[0]
    address = f"{analyst_server.address}/api/v1/traces/{trace}/flamegraph"
    query = f"mode=left_heavy&profile={first}&handles=true"
    texts = TEXTS.findall(page.request.get(f"{address}.svg?{query}").text())
    assert [text for text in texts if re.fullmatch(r"render_page \[f\d+\]", text)]
    link = page.locator(".picture figcaption a").first
    shown = link.evaluate("async (one) => [...new Uint8Array(await (await fetch(one.href)).arrayBuffer())]")
    assert bytes(shown) == page.request.get(f"{address}.png?{query}").body()
    page.get_by_role("button", name="Show in chart").first.click()
    expect(page.locator(".chart")).to_have_attribute("data-mode", "left_heavy")
    expect(page.locator(".chart")).to_have_attribute("data-profile", first)


def test_a_handle_for_which_a_box_has_no_room_stands_in_the_pictures_list(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    narrow = "reads_rows_of_one_order_from_the_archive"
    file = tmp_path / "narrow.json"
    slices = [slice_of("main", 0, 1_000, 1), slice_of("wide", 1, 700, 1), slice_of(narrow, 702, 110, 1)]
    file.write_text(json.dumps(slices))
    open_room(page, analyst_server.address, file)
    ask(page)
    expect_status(page, "completed")
    trace = page.url.partition("/t/")[2].partition("/")[0]
    svg = page.request.get(
        f"{analyst_server.address}/api/v1/traces/{trace}/flamegraph.svg?mode=left_heavy&handles=true"
    )
    (drawn,) = [text for text in TEXTS.findall(svg.text()) if text.startswith("read")]
    assert "[f" not in drawn
    page.locator(".steps > summary").first.click()
    card = page.locator(".tool", has_text="lamegraph").first
    card.locator("summary").first.click()
    expect(card.locator("pre")).to_contain_text(re.compile(rf"f\d+ .*{narrow}|{narrow}.* f\d+"))


def test_letters_of_all_scripts_are_drawn_and_what_no_font_has_is_said(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    names = ("解析する", "تحليل", "לנתח", "parse 🔥", "\U000f1234 private")
    open_room(page, analyst_server.address, recording(tmp_path, *names))
    ask(page)
    expect_status(page, "completed")
    page.locator(".steps > summary").first.click()
    card = page.locator(".tool", has_text="lamegraph").first
    card.locator("summary").first.click()
    expect(card.locator("pre")).to_contain_text("in no font of this machine")
    expect(page.locator(".picture img").first).to_be_visible()


def test_in_the_dark_theme_a_picture_of_an_answer_is_dark_too(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    open_room(page, analyst_server.address, written(tmp_path))
    ask(page)
    expect_status(page, "completed")
    image = page.locator(".picture img").first
    expect(image).to_have_attribute("src", re.compile(r"/flamegraph\.png\?.*theme=light"))
    page.get_by_role("button", name="Switch to the dark theme").click()
    expect(image).to_have_attribute("src", re.compile(r"/flamegraph\.png\?.*theme=dark"))
    image.scroll_into_view_if_needed()
    corner = image.evaluate(CORNER)
    assert max(corner) < 60, corner
    page.get_by_role("button", name="Switch to the light theme").click()
    expect(image).to_have_attribute("src", re.compile(r"/flamegraph\.png\?.*theme=light"))
    assert min(image.evaluate(CORNER)) > 240
