"""Asking a server about many recordings, and printing what it answers."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from server.edges.cli.reading import fail
from server.edges.cli.server_requests import asked
from server.quoting import plain, visible

CELL_CHARACTERS = 60
ROWS = 40
HEADLINE_CHARACTERS = 2_000


def ask(
    question: Mapping[str, Any], server: str, token: str | None, *, as_json: bool, chart: Path | None = None
) -> None:
    """Print the sentence, then the rows it stands on, or all of it as JSON; `chart` takes the picture. `question` is
    the request's body, in which None is nothing."""
    body = json.dumps({key: value for key, value in question.items() if value is not None}).encode()
    answer = asked(server, token, "POST", "/questions/run", body=body)["answer"]
    if chart is not None:
        _draw(answer, chart)
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


def _draw(answer: Mapping[str, Any], file: Path) -> None:
    from rendering.errors import InvalidOption
    from server.agent.questions.drawn_answers import drawn_answer

    try:
        file.write_bytes(drawn_answer(answer["chart"], answer["headline"]).png)
    except InvalidOption:
        fail("This answer has no chart.")
    except OSError as error:
        fail(f"{plain(str(file), 200)} cannot be written: {plain(error.strerror or '', 100)}")
