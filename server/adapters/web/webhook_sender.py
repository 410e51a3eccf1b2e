"""Sending to addresses that people name: https alone, no private address, resolved once and connected to as resolved,
no redirect followed, nothing of the answer read but its status."""

import asyncio
import ipaddress
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import httpx

from server.adapters.trusted_certificates import certified_transport
from server.adapters.web.public_addresses import Resolve, public_address, resolved
from server.ports.web import WebFailed

SECONDS = 10.0
HTTPS = 443


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpsSender:
    """`resolve` gives the addresses of a host, `transport` connects to the one that was chosen."""

    resolve: Resolve = resolved
    seconds: float = SECONDS
    transport: Callable[[], httpx.AsyncBaseTransport] = certified_transport

    async def send(self, url: str, body: bytes, headers: Mapping[str, str]) -> int:
        """The status of the answer. Raises WebFailed."""
        try:
            async with asyncio.timeout(self.seconds):
                return await self._send(httpx.URL(url), body, headers)
        except TimeoutError:
            raise WebFailed(f"no answer came within {self.seconds:g} s", "timeout") from None
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError, ValueError) as error:
            raise WebFailed(f"it cannot be reached ({type(error).__name__})", "unavailable") from None

    async def _send(self, url: httpx.URL, body: bytes, headers: Mapping[str, str]) -> int:
        if url.scheme != "https" or url.userinfo or not url.host:
            raise WebFailed("webhooks go to https addresses", "refused")
        named = url.raw_host.decode("ascii")
        address = await public_address(named, url.port or HTTPS, self.resolve)
        is_v6 = ipaddress.ip_address(address).version == 6
        async with (
            httpx.AsyncClient(
                trust_env=False, follow_redirects=False, timeout=self.seconds, transport=self.transport()
            ) as client,
            client.stream(
                "POST",
                url.copy_with(host=f"[{address}]" if is_v6 else address),
                content=body,
                headers=dict(headers) | {"Host": url.netloc.decode("ascii")},
                extensions={"sni_hostname": named},
            ) as answer,
        ):
            return answer.status_code
