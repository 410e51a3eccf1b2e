"""By what boxes are coloured is chosen: the legend names each colour of the chart, and the address keeps the choice."""

import gzip
import re
import shutil
from pathlib import Path

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.e2e.pages import ask, expect_status, open_room, room_of
from tests.e2e.running_server import RunningServer

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]

FILLS = """() => {
  const canvas = document.querySelector(".chart canvas");
  const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  const counts = new Map();
  for (let at = 0; at < pixels.length; at += 4) {
    const colour = `${pixels[at]}, ${pixels[at + 1]}, ${pixels[at + 2]}`;
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1]).slice(0, 40).map(([colour]) => colour);
}"""
SWATCHES = """() => [...document.querySelectorAll(".colour-key .swatch")].map((swatch) => {
  const context = new OffscreenCanvas(1, 1).getContext("2d");
  context.fillStyle = getComputedStyle(swatch).backgroundColor;
  context.fillRect(0, 0, 1, 1);
  return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)].join(", ");
})"""


CONTRASTS = """() => {
  window.contrasts = [];
  const light = (bytes) => {
    const [r, g, b] = [...bytes].slice(0, 3).map((byte) => byte / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const drawn = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
    if (this.canvas.closest?.(".chart") && this.globalAlpha === 1) {
      const place = this.getTransform().transformPoint(new DOMPoint(x, y));
      const ground = light(this.getImageData(Math.max(Math.round(place.x), 0), Math.round(place.y), 1, 1).data);
      const probe = new OffscreenCanvas(1, 1).getContext("2d");
      probe.fillStyle = this.fillStyle;
      probe.fillRect(0, 0, 1, 1);
      const ink = light(probe.getImageData(0, 0, 1, 1).data);
      window.contrasts.push([text, (Math.max(ground, ink) + 0.05) / (Math.min(ground, ink) + 0.05)]);
    }
    return drawn.call(this, text, x, y, ...rest);
  };
}"""
"""WCAG 2's contrast of each name with the pixel that it begins on, as it is drawn."""


@pytest.mark.long
def test_boxes_are_coloured_by_choice_and_the_legend_names_their_colours(
    page: Page, analyst_server: RunningServer, fixtures: Path, tmp_path: Path
) -> None:
    recording = Path(shutil.copy(fixtures / "sample/order-service.speedscope.json.gz", tmp_path / "coloured.json.gz"))
    open_room(page, analyst_server.address, recording)
    chart = page.locator(".chart")
    choice = page.get_by_label("Colours by")
    page.get_by_role("button", name="Zoom in").click()
    expect(page).to_have_url(re.compile("start="))
    window = [chart.get_attribute(f"data-view-{side}") for side in ("start", "end")]
    by_file = page.evaluate(FILLS)
    choice.select_option("owner")
    expect(page).to_have_url(re.compile("colours=owner"))
    expect(page.locator(".colour-key")).to_contain_text("own code")
    expect(chart).to_have_attribute("aria-busy", "false")
    assert [chart.get_attribute(f"data-view-{side}") for side in ("start", "end")] == window
    by_owner = page.evaluate(FILLS)
    assert by_owner != by_file
    assert set(page.evaluate(SWATCHES)) <= set(by_owner)
    page.reload()
    expect(choice).to_have_value("owner")
    expect(page.locator(".colour-key")).to_contain_text("own code")
    choice.select_option("safe")
    expect(page.locator(".colour-key")).to_contain_text("colours only")
    page.locator("body").press("Control+k")
    typing = page.get_by_role("combobox", name="Type a command")
    typing.fill("colour by package")
    typing.press("Enter")
    expect(choice).to_have_value("package")
    page.get_by_label("Search functions and files").fill("a")
    page.get_by_label("Search functions and files").press("Enter")
    expect(chart).to_have_attribute("data-selected", re.compile("f"))


@pytest.mark.long
def test_each_way_to_colour_names_the_colours_it_uses_and_a_comparison_its_own(
    page: Page, analyst_server: RunningServer, board_trace: Path, tmp_path: Path
) -> None:
    open_room(page, analyst_server.address, board_trace)
    before = page.url.partition("/t/")[2].partition("/")[0]
    key = page.locator(".colour-key")
    for choice in ("package", "category", "role", "owner", "safe", "file"):
        page.get_by_label("Colours by").select_option(choice)
        if choice != "file":
            expect(page).to_have_url(re.compile(f"colours={choice}"))
        expect(page.locator(".chart")).to_have_attribute("aria-busy", "false")
        named = page.evaluate(SWATCHES)
        assert len(set(named)) == len(named), choice
        assert set(named) & set(page.evaluate(FILLS)), choice
        for shade in ("light", "dark"):
            page.emulate_media(color_scheme=shade)
            assert [one["id"] for one in Axe().run(page).response["violations"]] == [], (choice, shade)
        page.emulate_media(color_scheme="light")
    expect(key).to_be_visible()
    other = tmp_path / "other.json.gz"
    other.write_bytes(gzip.compress(gzip.decompress(board_trace.read_bytes()).replace(b"filterCards", b"chooseCards")))
    open_room(page, analyst_server.address, other)
    page.goto(f"{room_of(page)}?view=diff&before={before}")
    expect(page.locator(".chart")).to_have_attribute("data-mode", "diff")
    expect(page.locator(".diff-bar, .diff-key").first).to_contain_text("more")
    expect(key).to_have_count(0)


@pytest.mark.long
def test_names_in_boxes_stand_out_from_every_colour_in_light_and_dark(
    page: Page, analyst_server: RunningServer, fixtures: Path
) -> None:
    page.add_init_script(f"({CONTRASTS})()")
    open_room(page, analyst_server.address, fixtures / "sample/order-service.speedscope.json.gz")
    for shade in ("light", "dark"):
        page.emulate_media(color_scheme=shade)
        for choice in ("file", "package", "category", "role", "owner", "safe"):
            page.evaluate("() => { window.contrasts = []; }")
            page.get_by_label("Colours by").select_option(choice)
            page.get_by_role("button", name="Zoom in").click()
            page.wait_for_function("() => window.contrasts.length > 5")
            text, lowest = min(page.evaluate("() => window.contrasts"), key=lambda one: one[1])
            assert lowest >= 4.5, (shade, choice, text)


@pytest.mark.long
def test_the_picture_of_an_answer_has_the_colours_of_the_chart(
    page: Page, analyst_server: RunningServer, board_trace: Path
) -> None:
    open_room(page, analyst_server.address, board_trace)
    page.get_by_label("Colours by").select_option("owner")
    expect(page.locator(".colour-key")).to_contain_text("own code")
    ask(page)
    expect_status(page, "completed")
    shown = page.locator(".picture figcaption a").first.evaluate(
        "async (link) => [...new Uint8Array(await (await fetch(link.href)).arrayBuffer())]"
    )
    expect(page.locator(".picture img").first).to_have_attribute("src", re.compile("palette=owner"))
    trace = page.url.partition("/t/")[2].partition("/")[0]
    address = f"{analyst_server.address}/api/v1/traces/{trace}/flamegraph.png"
    query = {"mode": "left_heavy", "handles": "true"}
    assert bytes(shown) == httpx.get(address, params={**query, "palette": "owner"}, timeout=60).content
    assert bytes(shown) != httpx.get(address, params=query, timeout=60).content
