"""Each view has an address: a reload, a pasted link, Back and Forward show the same; a bad one says what is wrong."""

import random
import re
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.many_threads import written
from tests.e2e.pages import open_room, open_thread, room_of
from tests.e2e.running_server import RunningServer

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]

SEEN = ("data-mode", "data-profile", "data-selected", "data-view-start", "data-view-end")


def seen(page: Page) -> dict[str, str | None]:
    chart = page.locator(".chart")
    return {name: chart.get_attribute(name) for name in SEEN} | {"search": page.get_by_label("Search f").input_value()}


def expect_seen(page: Page, view: dict[str, str | None]) -> None:
    chart = page.locator(".chart")
    for name in SEEN:
        expect(chart).to_have_attribute(name, view[name] or "")
    expect(page.get_by_label("Search f")).to_have_value(view["search"] or "")


@pytest.mark.long
def test_a_view_survives_a_reload_a_pasted_link_and_back_and_forward(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_room(page, analyst_server.address, written(tmp_path))
    opened = seen(page)
    page.get_by_role("tab", name="Left heavy").click()
    expect(page).to_have_url(re.compile("view=left_heavy"))
    heavy = seen(page)
    page.get_by_label("Search f").fill("flush")
    expect(page).to_have_url(re.compile("find=flush"))
    open_thread(page, "p27")
    expect(page).to_have_url(re.compile("thread=p27"))
    page.get_by_role("tab", name="Time order").click()
    expect(page.locator(".chart")).to_have_attribute("data-boxes", "80")
    page.get_by_role("button", name="Next match").click()
    expect(page).to_have_url(re.compile(r"start=.*#"))
    last = seen(page)
    assert last["data-profile"] == "p27"
    page.get_by_role("button", name="Copy link to this view").click()
    link = page.evaluate("() => navigator.clipboard.readText()")
    assert link == page.url
    page.reload()
    expect_seen(page, last)
    other = page.context.new_page()
    other.goto(link)
    expect_seen(other, last)
    other.close()
    for _ in range(8):
        if seen(page) == heavy:
            break
        before = page.url
        page.go_back()
        expect(page).not_to_have_url(before)
        expect(page.locator(".chart")).to_have_attribute("aria-busy", "false")
    expect_seen(page, heavy)
    page.go_back()
    expect_seen(page, opened)
    page.go_forward()
    expect_seen(page, heavy)


def some_view(data: random.Random, profiles: list[str]) -> str:
    """The query of a view that can be had of the trace, with parts of it left out."""
    threads = data.sample(profiles, 3)
    start = data.uniform(1e6, 300e6)
    parts = {
        "view": data.choice(["", "", "left_heavy"]),
        "thread": data.choice(["", threads[0]]),
        "threads": data.choice(["", ",".join(threads)]),
        "find": data.choice(["", "flush", "tick <b>", "a&b=c"]),
        "transforms": data.choice(["", "", "collapse-recursion"]),
        "table": data.choice(["", "functions"]),
    }
    if parts["threads"] and not parts["thread"]:
        parts["thread"] = threads[0]
    if not parts["view"]:
        parts |= {"start": repr(start), "end": repr(start + data.uniform(1e5, 90e6))}
    return urlencode({name: value for name, value in parts.items() if value})


@pytest.mark.long
def test_twenty_views_survive_a_reload_and_back_and_forward(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    open_room(page, analyst_server.address, written(tmp_path))
    path = room_of(page)
    data = random.Random(16)
    chart = page.locator(".chart")
    went = []
    for _ in range(20):
        query = some_view(data, [f"p{number}" for number in range(50) if number != 30])
        page.goto(f"{path}?{query}")
        begins = parse_qs(query).get("start", [""])[0][:6]
        expect(chart).to_have_attribute("data-view-start", re.compile(f"^{re.escape(begins)}"))
        expect(chart).to_have_attribute("aria-busy", "false")
        before = seen(page)
        page.reload()
        expect_seen(page, before)
        assert parse_qs(urlsplit(page.url).query).keys() == parse_qs(query).keys(), query
        went.append(before)
    for before in reversed(went[:-1]):
        page.go_back()
        expect_seen(page, before)
    for before in went[1:]:
        page.go_forward()
        expect_seen(page, before)


@pytest.mark.long
def test_a_bad_link_says_what_is_wrong_and_shows_the_trace(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    open_room(page, analyst_server.address, written(tmp_path))
    path = room_of(page)
    for query, word in (
        ("?thread=p9999", "thread"),
        ("?start=NaN&end=Infinity", "range of time"),
        ("?view=<img src=x onerror=alert(1)>", "view"),
        (f"?find={'x' * 9000}", "too long"),
    ):
        page.goto(path + query)
        expect(page.locator(".chart").get_by_role("alert")).to_contain_text(word)
        expect(page.locator(".chart")).to_have_attribute("data-boxes", "120")
    page.goto(f"{path}?start=-9e300&end=9e300")
    expect(page.locator(".chart")).to_have_attribute("data-boxes", "120")
