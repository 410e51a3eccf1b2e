"""A small command that formats one date. With 1 it imports every plugin at its start, with 0 the one it needs."""

import sys


def load_plugins(everything: bool) -> list[str]:
    if everything:
        import asyncio
        import email.mime.multipart
        import http.server
        import multiprocessing.pool
        import pydoc
        import unittest.mock
        import xml.dom.minidom
        import xmlrpc.client

        return [m.__name__ for m in (asyncio, email, http, multiprocessing, pydoc, unittest, xml, xmlrpc)]
    return []


def parse_date(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("-"))


def format_dates(count: int) -> str:
    return "\n".join("/".join(map(str, reversed(parse_date(f"20{n % 80:02}-{n % 12 + 1}-{n % 28 + 1}")))) for n in range(count))


def run_command(everything: bool) -> None:
    load_plugins(everything)
    format_dates(60_000)


run_command(sys.argv[1] == "1")
