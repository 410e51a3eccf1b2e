"""Certificates that a client trusts by default are read once, others each time."""

import ssl

import httpx
import httpx2
import pytest

from tests.plugins.certificates import read_once


def test_the_default_is_read_once_for_each_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, object]] = []

    def read(**arguments: object) -> ssl.SSLContext:
        asked.append(arguments)
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)

    context = read_once(read)
    assert context() is context(verify=True, cert=None, trust_env=True)
    assert context(trust_env=False) is not context()
    monkeypatch.setenv("SSL_CERT_FILE", "another.pem")
    assert context() is context()
    assert len(asked) == 3
    own = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context(verify=own)
    context(verify=own)
    context(verify=False)
    assert [arguments["verify"] for arguments in asked[3:]] == [own, own, False]


def test_clients_of_both_libraries_share_it() -> None:
    for library in (httpx, httpx2):
        first, second = (library.HTTPTransport()._pool._ssl_context for _ in range(2))
        assert first is second
        assert first is not None
