"""The web: the twin, and the port over a search service and a reader of pages."""

from collections.abc import Awaitable, Callable

import pytest

from server.adapters.web.open_web import OpenWeb
from server.adapters.web.page_reader import PageReader
from server.ports.web import FoundPage, Web, WebFailed
from server.testing.web import MemoryWeb
from tests.foreign_servers import ANNA, BEN

PAGE = "http://docs.example/7"


class OneResult:
    """Finds one page, and counts."""

    def __init__(self) -> None:
        self.queries: list[str] = []

    async def search(self, query: str) -> tuple[FoundPage, ...]:
        self.queries.append(query)
        return (FoundPage(title="A page", url=PAGE, excerpt="slow"),)


@pytest.fixture(params=["twin", "adapter"])
def web(request: pytest.FixtureRequest) -> Web:
    if request.param == "twin":
        return MemoryWeb({PAGE: "slow"})
    return OpenWeb(OneResult(), PageReader(resolve=nobody), monotonic=lambda: 0.0)


async def nobody(host: str, port: int) -> list[str]:
    raise OSError("no such host")


async def test_a_search_finds_pages_with_their_addresses(web: Web) -> None:
    assert [(one.url, one.excerpt) for one in await web.search(ANNA, "slow")] == [(PAGE, "slow")]


async def test_a_page_that_is_not_there_says_so(web: Web) -> None:
    with pytest.raises(WebFailed) as failed:
        await web.read(ANNA, "http://gone.example/")
    assert failed.value.code == "unavailable"


async def test_the_same_search_of_an_account_is_made_once() -> None:
    now, search = 0.0, OneResult()
    web = OpenWeb(search, PageReader(resolve=nobody), monotonic=lambda: now)
    for caller in (ANNA, ANNA, BEN):
        await web.search(caller, "slow")
    assert len(search.queries) == 2
    now = 601.0
    await web.search(ANNA, "slow")
    assert len(search.queries) == 3


async def test_the_same_page_of_an_account_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    async def reads(_: PageReader, url: str) -> str:
        read.append(url)
        return "text"

    monkeypatch.setattr(PageReader, "read", reads)
    web = OpenWeb(OneResult(), PageReader(), monotonic=lambda: 0.0)
    asked: list[Callable[[], Awaitable[str]]] = [lambda: web.read(ANNA, PAGE), lambda: web.read(ANNA, PAGE)]
    assert [await one() for one in asked] == ["text", "text"]
    assert read == [PAGE]
