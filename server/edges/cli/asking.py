"""Asking a server about many recordings, and printing what it answers."""

import json

import click

from server.edges.cli.server_requests import asked
from server.quoting import plain, visible

CELL_CHARACTERS = 60
ROWS = 40
HEADLINE_CHARACTERS = 2_000


def ask(
    question: str, program: str | None, trace: str | None, server: str, token: str | None, *, as_json: bool
) -> None:
    """Print the sentence, then the rows it stands on; or all of it as JSON."""
    of = {"program": program, "traceId": trace}
    body = json.dumps({"text": question} | {key: value for key, value in of.items() if value is not None}).encode()
    answer = asked(server, token, "POST", "/questions/run", body=body)["answer"]
    if as_json:
        click.echo(json.dumps(answer))
        return
    for sentence in (answer["headline"], *answer["notes"]):
        click.echo(plain(str(sentence).replace("**", ""), HEADLINE_CHARACTERS))
    columns, rows = answer["table"]["columns"], answer["table"]["rows"]
    shown = [[plain(str(cell), CELL_CHARACTERS) for cell in row] for row in (columns, *rows[-ROWS:])]
    widths = [max(len(row[place]) for row in shown) for place in range(len(columns))]
    click.echo()
    for row in shown:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    if len(rows) > ROWS:
        click.echo(visible(f"... {len(rows) - ROWS} older recordings: --json has all"))
