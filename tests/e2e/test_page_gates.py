"""Gates on the page: kept, what they found, the talk about a broken run next to the run before, and accepting it."""

import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, Route, expect

from tests.e2e.pages import ROOM, expect_status
from tests.e2e.running_server import RunningServer

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]

RUNS = 6


def a_run(folder: Path, name: str, hot: int) -> Path:
    file = folder / name
    file.write_text(f"main;checksum {hot}\nmain;checksum;hash 40\nmain;render 600\nmain 100\n")
    return file


def upload(page: Page, address: str, file: Path, labels: str) -> None:
    query = "&".join(f"label={label}" for label in labels.split())
    answer = page.request.post(f"{address}/api/v1/traces?name={file.name}&{query}", data=file.read_bytes())
    assert answer.ok, answer.text()


def as_role(page: Page, role: str) -> None:
    """The page as whoever has this role in the account sees it."""

    def answer(route: Route) -> None:
        found = route.fetch().json()
        accounts = [one | {"role": role} for one in found["accounts"]]
        route.fulfill(json={"accounts": accounts})

    page.unroute_all()
    page.route(re.compile(r"/api/v1/accounts$"), answer)


def axe_finds(page: Page) -> list[str]:
    return [one["id"] for one in Axe().run(page).response["violations"]]


def test_a_gate_is_kept_broken_talked_about_and_accepted_by_keyboard(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    address = analyst_server.address
    for number in range(RUNS):
        run = a_run(tmp_path, f"before-{number}.txt", 300 + number % 3)
        upload(page, address, run, f"branch:main program:gated commit:a{number}")
    page.goto(f"{address}/gates")
    form = page.get_by_role("form", name="New gate")
    form.get_by_label("Name").fill("checksums")
    form.get_by_label("Labels of the uploads").fill("program:gated\nscenario:pr")
    form.get_by_label("Rules, one a line").fill("self_share(checksum) +5%")
    form.get_by_label("Webhook").press("Enter")
    kept = page.get_by_role("list", name="Kept")
    expect(kept).to_contain_text("program:gated scenario:pr, judged by the last 10 runs of branch:main")
    expect(form.get_by_label("Name")).to_have_value("")
    assert axe_finds(page) == []

    form.get_by_label("Name").fill("no rule")
    form.get_by_label("Rules, one a line").fill("quickly")
    form.get_by_label("Webhook").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("quickly")

    upload(page, address, a_run(tmp_path, "after.txt", 450), "program:gated scenario:pr commit:b0")
    found = page.get_by_role("list", name="What they found")
    item = found.get_by_role("listitem").first

    def is_judged() -> bool:
        page.reload()
        expect(item).to_be_visible()
        return "broken" in (item.text_content() or "")

    assert any(is_judged() for _ in range(200)), "an upload is judged soon after it"
    expect(item).to_contain_text("self_share(checksum) +5%")
    item.get_by_role("link", name="What changed?").press("Enter")
    page.wait_for_url(ROOM)
    assert "view=diff&before=" in page.url
    opening = page.locator(".gate-opening")
    expect(opening).to_contain_text("The gate checksums is broken by this recording.")
    expect(opening).to_contain_text("git log a5..b0")
    page.get_by_role("button", name=re.compile("^What changed compared with .?before-5.txt")).press("Enter")
    expect_status(page, "completed")
    answer = page.locator(".turn").last
    expect(answer).to_contain_text("checksum")
    expect(answer).to_contain_text("before-5.txt")
    opening.get_by_role("button", name=re.compile("Show what changed since")).press("Enter")
    assert "view=diff&before=" in page.url
    assert axe_finds(page) == []

    as_role(page, "member")
    page.goto(f"{address}/gates")
    expect(item).to_contain_text("An owner of the account can accept this")
    expect(item.get_by_label("It is meant, because")).to_have_count(0)
    as_role(page, "owner")
    page.goto(f"{address}/gates")
    item.get_by_label("It is meant, because").fill("stronger checksums")
    item.get_by_label("It is meant, because").press("Enter")
    expect(item).to_contain_text("Accepted: stronger checksums")
    kept.get_by_role("button", name="Remove checksums").press("Enter")
    expect(page.get_by_text("There are none yet.")).to_be_visible()
