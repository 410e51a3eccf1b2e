"""The machine's certificates, read once in a process: each client of a model reads them twice, at 30 ms of a processor.

Who names certificates of their own has them read. Tests speak with servers of 127.0.0.1, without TLS.
"""

import os
import ssl
from collections.abc import Callable
from functools import cache

import httpx._transports.default
import httpx2._transports.default
import pytest

_patched = pytest.MonkeyPatch()


def read_once(read: Callable[..., ssl.SSLContext]) -> Callable[..., ssl.SSLContext]:
    """The same, but that what it reads by default is remembered, for as long as the environment names no others."""

    @cache
    def remembered(trust_env: bool, file: str | None, folder: str | None) -> ssl.SSLContext:
        return read(trust_env=trust_env)

    def context(verify: object = True, cert: object = None, trust_env: bool = True) -> ssl.SSLContext:
        if verify is not True or cert is not None:
            return read(verify=verify, cert=cert, trust_env=trust_env)
        return remembered(trust_env, os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))

    return context


def pytest_configure() -> None:
    for module in (httpx._transports.default, httpx2._transports.default):
        _patched.setattr(module, "create_ssl_context", read_once(module.create_ssl_context))


def pytest_unconfigure() -> None:
    _patched.undo()
