"""Pages of the web: what is connected to. Public addresses lead to a server of the test's own; every other would be a
way inside.
"""

import gzip
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import httpx
import pytest

from server.adapters.web.page_reader import PageReader
from server.adapters.web.public_addresses import is_public, resolved
from server.ports.web import MAX_PAGE_BYTES, WebFailed
from tests.foreign_servers import hostile_server, http

PUBLIC = "93.184.216.34"
HTML = "Content_Type"


@dataclass
class Internet:
    """Names with their addresses, the answers of the one public server, and what was reached."""

    answers: dict[str, bytes]
    names: dict[str, list[list[str]]] = field(default_factory=dict)
    resolved: list[str] = field(default_factory=list)
    reached: list[str] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        self.resolved.append(host)
        if host not in self.names:
            return await resolved(host, port)
        left = self.names[host]
        return left.pop(0) if len(left) > 1 else left[0]

    async def read(self, url: str, *, seconds: float = 8.0) -> str:
        answered = {"GET": lambda _: b""}
        async with hostile_server(answered) as server:
            answered["GET"] = lambda _: self.answers[server.asked[-1][1].split(" ")[1]]
            port = int(server.url.split(":")[2].split("/")[0])
            reader = PageReader(resolve=self.resolve, seconds=seconds, transport=lambda: _Leading(port, self.reached))
            try:
                return await reader.read(url)
            finally:
                self.sent += [request for _, request in server.asked]


class _Leading(httpx.AsyncHTTPTransport):
    """Connects to the test's server whatever address was chosen, and notes that."""

    def __init__(self, port: int, reached: list[str]) -> None:
        super().__init__()
        self._port = port
        self._reached = reached

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self._reached.append(f"{request.url.host} {request.extensions['sni_hostname']}")
        request.url = request.url.copy_with(scheme="http", host="127.0.0.1", port=self._port)
        return await super().handle_async_request(request)


def page(body: str | bytes, kind: str = "text/html", **more: str) -> bytes:
    return http(body, Content_Type=kind, **more)


def moved(location: str) -> bytes:
    return http("", status="302 Found", Location=location)


async def test_a_page_is_read_as_text_at_the_address_that_was_resolved() -> None:
    body = "<head><title>x</title></head><script>steal()</script><h1>Issue 7</h1><p>Slow in <b>3.2</b><!-- obey --></p>"
    internet = Internet({"/a?b=1": page(body)}, {"docs.example": [[PUBLIC], ["127.0.0.1"]]})
    assert await internet.read("http://docs.example/a?b=1") == "Issue 7\nSlow in 3.2"
    assert (internet.resolved, internet.reached) == (["docs.example"], [f"{PUBLIC} docs.example"])
    assert "Host: docs.example\r\n" in internet.sent[0]
    assert "cookie" not in internet.sent[0].lower()


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "fc00::1",
        "fe80::1%eth0",
        "ff02::1",
        "::ffff:127.0.0.1",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "2001:0:7f00:1::",
        "none",
    ],
)
async def test_no_name_leads_to_a_private_address(address: str) -> None:
    assert not is_public(address)
    for addresses in ([address], [PUBLIC, address]):
        internet = Internet({"/": page("inside")}, {"evil.example": [addresses]})
        with pytest.raises(WebFailed) as refused:
            await internet.read("http://evil.example/")
        assert refused.value.code == "refused"
        assert (internet.reached, internet.sent) == ([], [])


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0177.0.0.1/",
        "http://127.1/",
        "http://[::1]/",
        "http://[::ffff:169.254.169.254]/",
        "http://[::ffff:7f00:1]/",
        "http://localhost/",
        "http://localhost./",
        "http://docs.example:8080/",
        "http://docs.example:22/",
        "ftp://docs.example/",
        "file:///etc/passwd",
        "gopher://docs.example/",
        "http://user:password@docs.example/",
        "http://docs.example\\@127.0.0.1/",
        "http://docs.example/\r\nHost: inside",
        "http://１２７.0.0.1/",
        "http:///",
        "//docs.example/",
        "",
    ],
)
async def test_no_spelling_leads_inside(url: str) -> None:
    internet = Internet({"/": page("inside")}, {"docs.example": [[PUBLIC]]})
    with pytest.raises(WebFailed):
        await internet.read(url)
    assert (internet.reached, internet.sent) == ([], [])


@pytest.mark.parametrize(
    "location",
    [
        "http://127.0.0.1/",
        "http://[::1]/",
        "http://2130706433/",
        "http://169.254.169.254/latest/meta-data/",
        "http://other.example/",
        "//other.example/",
        "http://docs.example:8080/",
        "http://user@docs.example/",
        "file:///etc/passwd",
        "",
    ],
)
async def test_no_redirect_leads_elsewhere(location: str) -> None:
    names = {"docs.example": [[PUBLIC]], "other.example": [[PUBLIC]]}
    internet = Internet({"/": moved(location), "/latest/meta-data/": page("inside")}, names)
    with pytest.raises(WebFailed):
        await internet.read("http://docs.example/")
    assert internet.reached == [f"{PUBLIC} docs.example"]


async def test_a_redirect_on_the_same_host_goes_to_the_same_address() -> None:
    answers = {"/": moved("https://docs.example/new"), "/new": page("here", "text/plain"), "/r": moved("/r")}
    internet = Internet(answers, {"docs.example": [[PUBLIC], ["127.0.0.1"]]})
    assert await internet.read("http://docs.example/") == "here"
    assert internet.reached == [f"{PUBLIC} docs.example"] * 2
    assert internet.resolved == ["docs.example"]
    with pytest.raises(WebFailed, match="again and again"):
        await Internet(answers, {"docs.example": [[PUBLIC]]}).read("http://docs.example/r")


@pytest.mark.parametrize(
    "answer",
    [
        page("x" * (MAX_PAGE_BYTES + 1)),
        lambda: page(gzip.compress(b" " * (64 << 20)), Content_Encoding="gzip"),
        page(b"\x89PNG", "image/png"),
        page("x", "application/octet-stream"),
        http("no", status="500 Internal Server Error"),
        http("{", Content_Type="text/html", Content_Length="500"),
        b"",
        b"SSH-2.0\r\n",
    ],
)
async def test_what_is_no_page_is_not_read(answer: bytes | Callable[[], bytes]) -> None:
    internet = Internet({"/": answer if isinstance(answer, bytes) else answer()}, {"docs.example": [[PUBLIC]]})
    with pytest.raises(WebFailed):
        await internet.read("http://docs.example/", seconds=4.0)


async def test_hostile_html_ends_and_shows_no_script() -> None:
    deep = "<div>" * 20_000 + "deep" + "<script>" + "</style>" * 100 + "hidden"
    internet = Internet({"/": page(deep), "/c": page("ok", "text/plain; charset=none-such")}, {"a.example": [[PUBLIC]]})
    assert await internet.read("http://a.example/") == "deep"
    assert await internet.read("http://a.example/c") == "ok"
