"""The certificates that connections to other services trust, read once for the process."""

import ssl
from functools import cache

import httpx


@cache
def trusted_certificates() -> ssl.SSLContext:
    """certifi's, or those of SSL_CERT_FILE or SSL_CERT_DIR, as httpx reads them: for every client that is made for one
    question. Reading them takes some 40 ms of processor, in which an event loop stands still."""
    return httpx.create_ssl_context()


def certified_transport() -> httpx.AsyncBaseTransport:
    """A transport of its own, for one client."""
    return httpx.AsyncHTTPTransport(verify=trusted_certificates())
