"""Which addresses may be connected to: those of the public internet, none that leads back inside by another name."""

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Sequence

from server.ports.web import WebFailed

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]

_INSIDE_OUT = tuple(
    ipaddress.ip_network(one)
    for one in ("::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "2001::/32", "2002::/16")
)
"""IPv6 that carries an IPv4 address: compatible, mapped, translated, NAT64, Teredo, 6to4."""


def is_public(address: str) -> bool:
    """Whether an address as it was resolved is one of the public internet."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if found.version == 6 and any(found in network for network in _INSIDE_OUT):
        return False
    return found.is_global and not found.is_multicast and not found.is_reserved


async def resolved(host: str, port: int) -> Sequence[str]:
    """Every address of a host. Raises OSError."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(one[4][0]) for one in found))


async def public_address(host: str, port: int, resolve: Resolve) -> str:
    """The one address to connect to, resolved once. Raises WebFailed where any of them is not public."""
    try:
        found = await resolve(host, port)
    except (OSError, UnicodeError):
        raise WebFailed("there is no such host", "unavailable") from None
    if not found or not all(is_public(one) for one in found):
        raise WebFailed("the page is not at a public address", "refused")
    return found[0]
