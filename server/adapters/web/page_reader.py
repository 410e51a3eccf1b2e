"""Pages of the web, read carefully: public addresses only, resolved once and connected to as resolved, no redirects to
others, a megabyte of text.
"""

import asyncio
import ipaddress
from collections.abc import Callable, Collection
from dataclasses import dataclass

import httpx

from server.adapters.trusted_certificates import certified_transport
from server.adapters.web.page_text import MAX_TEXT, text_of_html
from server.adapters.web.public_addresses import Resolve, public_address, resolved
from server.ports.web import MAX_PAGE_BYTES, WEB_SECONDS, WebFailed

PORTS = frozenset({80, 443})
MOST_REDIRECTS = 3
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
ASKED = {"Accept": "text/html, text/*", "Accept-Encoding": "identity"}
_TEXT = ("text/", "application/json", "application/xhtml+xml")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageReader:
    """`resolve` gives the addresses of a host, `transport` connects to the one that was chosen."""

    resolve: Resolve = resolved
    ports: Collection[int] = PORTS
    seconds: float = WEB_SECONDS
    transport: Callable[[], httpx.AsyncBaseTransport] = certified_transport

    async def read(self, url: str) -> str:
        """Raises WebFailed."""
        try:
            async with asyncio.timeout(self.seconds):
                return await self._read(_parsed(url))
        except TimeoutError:
            raise WebFailed(f"the page has not come within {self.seconds:g} s", "timeout") from None
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError, ValueError):
            raise WebFailed("the page cannot be read", "unavailable") from None

    async def _read(self, url: httpx.URL) -> str:
        host = url.host
        self._check(url, host)
        named = url.raw_host.decode("ascii")
        address = await public_address(named, _port(url), self.resolve)
        async with httpx.AsyncClient(
            trust_env=False, follow_redirects=False, timeout=self.seconds, transport=self.transport()
        ) as client:
            for _ in range(MOST_REDIRECTS + 1):
                async with client.stream(
                    "GET",
                    url.copy_with(host=_in_a_url(address)),
                    headers=ASKED | {"Host": url.netloc.decode("ascii")},
                    extensions={"sni_hostname": named},
                ) as response:
                    if response.status_code not in _REDIRECTS:
                        return await _text(response)
                    url = url.join(_parsed_reference(response.headers.get("location", "")))
                self._check(url, host)
        raise WebFailed("the page redirects again and again", "refused")

    def _check(self, url: httpx.URL, host: str) -> None:
        if url.scheme not in ("http", "https") or url.userinfo or not url.host:
            raise WebFailed("this is no address of a page", "refused")
        if _port(url) not in self.ports:
            raise WebFailed("pages are at port 80 or 443", "refused")
        if url.host != host:
            raise WebFailed("the page redirects to another place", "refused")


def _parsed(url: str) -> httpx.URL:
    if any(character.isspace() or not character.isprintable() for character in url) or "\\" in url:
        raise WebFailed("this is no address of a page", "refused")
    return httpx.URL(url)


def _parsed_reference(location: str) -> httpx.URL:
    if not location:
        raise WebFailed("the page redirects to nowhere", "unavailable")
    return _parsed(location)


def _port(url: httpx.URL) -> int:
    return url.port or (443 if url.scheme == "https" else 80)


def _in_a_url(address: str) -> str:
    return f"[{address}]" if ipaddress.ip_address(address).version == 6 else address


async def _text(response: httpx.Response) -> str:
    if response.status_code != 200:
        raise WebFailed(f"the page answers {response.status_code}", "unavailable")
    kind = response.headers.get("content-type", "").split(";")[0].strip().lower()
    if not kind.startswith(_TEXT) or response.headers.get("content-encoding", "identity") != "identity":
        raise WebFailed("the page is no text", "refused")
    content = bytearray()
    async for chunk in response.aiter_raw():
        content += chunk
        if len(content) > MAX_PAGE_BYTES:
            raise WebFailed("the page is longer than a megabyte", "refused")
    try:
        text = content.decode(response.charset_encoding or "utf-8", errors="replace")
    except LookupError:
        text = content.decode("utf-8", errors="replace")
    return await asyncio.to_thread(text_of_html, text) if "html" in kind else text[:MAX_TEXT]
