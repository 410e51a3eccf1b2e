"""Where webhooks may go: https, public addresses, the one that was resolved, and no further."""

from collections.abc import Sequence

import httpx
import pytest

from server.adapters.web.webhook_sender import HttpsSender
from server.ports.web import WebFailed


def sender(*addresses: str, status: int = 204, seen: list[httpx.Request] | None = None) -> HttpsSender:
    """One for which every host has these addresses, and every address answers the status."""

    async def resolve(_: str, __: int) -> Sequence[str]:
        return addresses

    def answer(request: httpx.Request) -> httpx.Response:
        (seen if seen is not None else []).append(request)
        return httpx.Response(status, headers={"Location": "https://127.0.0.1/"})

    return HttpsSender(resolve=resolve, transport=lambda: httpx.MockTransport(answer))


async def test_it_connects_to_what_was_resolved_under_the_hosts_name() -> None:
    seen: list[httpx.Request] = []
    status = await sender("93.184.216.34", seen=seen).send("https://hooks.example:8443/a?b=1", b"{}", {"X-A": "1"})
    assert status == 204
    (request,) = seen
    assert str(request.url) == "https://93.184.216.34:8443/a?b=1"
    assert (request.headers["host"], request.headers["x-a"]) == ("hooks.example:8443", "1")
    assert request.extensions["sni_hostname"] == "hooks.example"
    assert request.content == b"{}"


async def test_no_redirect_is_followed() -> None:
    seen: list[httpx.Request] = []
    assert await sender("93.184.216.34", status=302, seen=seen).send("https://hooks.example/", b"{}", {}) == 302
    assert len(seen) == 1


@pytest.mark.parametrize(
    "addresses",
    [
        ("127.0.0.1",),
        ("10.0.0.1",),
        ("169.254.169.254",),
        ("192.168.1.1",),
        ("::1",),
        ("fd00::1",),
        ("::ffff:10.0.0.1",),
        ("93.184.216.34", "127.0.0.1"),
        (),
    ],
)
async def test_no_private_address_is_connected_to(addresses: tuple[str, ...]) -> None:
    seen: list[httpx.Request] = []
    with pytest.raises(WebFailed):
        await sender(*addresses, seen=seen).send("https://hooks.example/", b"{}", {})
    assert seen == []


@pytest.mark.parametrize(
    "url", ["http://hooks.example/", "https://user:pw@hooks.example/", "https://", "ftp://a/", "x"]
)
async def test_only_https_addresses_are_sent_to(url: str) -> None:
    with pytest.raises(WebFailed):
        await sender("93.184.216.34").send(url, b"{}", {})
