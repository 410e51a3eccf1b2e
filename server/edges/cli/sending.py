"""Recordings on their way to a server."""

import json
from collections.abc import Sequence
from pathlib import Path

import click

from server.edges.cli.reading import MISUSED, fail
from server.edges.cli.server_requests import query_of, sent_file
from server.quoting import plain


def upload(files: Sequence[Path], labels: Sequence[str], server: str, token: str | None, *, as_json: bool) -> None:
    """Send each file with the labels; the first that is refused ends it."""
    wrong = next((one for one in labels if not one.partition("=")[1]), None)
    if wrong is not None:
        fail(f"A label is written key=value, like branch=main; {plain(wrong, 60)} is not.", MISUSED)
    named = [("label", f"{key}:{value}") for key, _, value in (one.partition("=") for one in labels)]
    for file in files:
        answer = sent_file(server, token, f"/traces?{query_of([('name', file.name), *named])}", file)
        trace = answer["trace"]
        address = f"{server.rstrip('/')}/t/{trace['traceId']}"
        if as_json:
            click.echo(json.dumps({"trace": trace["traceId"], "address": address, "name": trace["name"]}))
        else:
            click.echo(address)
