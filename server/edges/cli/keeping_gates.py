"""Making, listing and removing gates of a server, and printing what they found."""

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

import click

from server.edges.cli.gate_on_server import named_labels
from server.edges.cli.reading import MISUSED, fail, remark
from server.edges.cli.server_requests import asked, query_of
from server.quoting import plain
from traces.gate.rules import InvalidRule

NAME_CHARACTERS = 40
LINE_CHARACTERS = 300


def create(
    wish: Mapping[str, Any], baseline: str, labels: Sequence[str], server: str, token: str | None, *, as_json: bool
) -> None:
    """Print the gate's id on stdout; the secret of its webhook, where it has one, with it."""
    judged: dict[str, str] = {}
    try:
        before = named_labels(baseline, "--baseline")
        for one in labels:
            judged |= named_labels(one, "--label")
    except InvalidRule as error:
        fail(str(error), MISUSED)
    body = {**wish, "rules": list(wish["rules"]), "baseline": before, "labels": judged}
    made = asked(server, token, "POST", "/gates", body=json.dumps(body).encode())
    if as_json:
        click.echo(json.dumps(made))
        return
    click.echo(made["gate"]["gateId"])
    if made["webhookSecret"] is not None:
        click.echo(made["webhookSecret"])
        remark("the second line signs what the webhook is sent; this is the only time that it is shown.")


def list_all(server: str, token: str | None, *, as_json: bool) -> None:
    """Print a line a gate, and one a rule."""
    found = _gates(server, token)
    if as_json:
        click.echo(json.dumps({"gates": found}))
        return
    if not found:
        click.echo("There are no gates.")
    for gate in found:
        judged = gate["labels"] | ({} if gate["program"] is None else {"program": gate["program"]})
        against = (
            f"{_labels(judged) or 'every upload'} against the last {gate['lastRuns']} of {_labels(gate['baseline'])}"
        )
        click.echo(f"{gate['gateId']}  {plain(gate['name'], NAME_CHARACTERS)}: {plain(against, LINE_CHARACTERS)}")
        for rule in gate["rules"]:
            click.echo(f"  {plain(rule, LINE_CHARACTERS)}")


def list_results(named: str | None, last: int, server: str, token: str | None, *, as_json: bool) -> None:
    """Print a line a result, and why where it is not kept."""
    chosen = [] if named is None else [("gateId", str(_gate(named, server, token)["gateId"]))]
    path = f"/gates/results?{query_of([*chosen, ('limit', str(last))])}"
    found: list[dict[str, Any]] = asked(server, token, "GET", path)["results"]
    if as_json:
        click.echo(json.dumps({"results": found}))
        return
    if not found:
        click.echo("Nothing was judged.")
    for one in found:
        ended = one["outcome"] or ("failed" if one["problem"] else "waiting")
        accepted = "" if one["acceptedAt"] is None else f" (accepted: {plain(one['acceptedReason'], LINE_CHARACTERS)})"
        address = f"{server.rstrip('/')}/t/{one['traceId']}"
        name = plain(one["gateName"], NAME_CHARACTERS)
        click.echo(f"{one['resultId']}  {one['createdAt'][:16]}  {ended:13}  {name}  {address}{accepted}")
        for reason in _reasons(one):
            click.echo(f"  {plain(reason, LINE_CHARACTERS)}")


def remove(named: str, server: str, token: str | None) -> None:
    """With its results."""
    gate = _gate(named, server, token)
    asked(server, token, "DELETE", f"/gates/{quote(str(gate['gateId']), safe='')}")
    click.echo(f"{plain(gate['name'], NAME_CHARACTERS)} is removed.")


def _gates(server: str, token: str | None) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = asked(server, token, "GET", "/gates")["gates"]
    return found


def _gate(named: str, server: str, token: str | None) -> dict[str, Any]:
    """The gate of that name or id. Ends the command where there is none."""
    matching = [gate for gate in _gates(server, token) if named in (gate["gateId"], gate["name"])]
    if not matching:
        fail(f"There is no gate {plain(named, NAME_CHARACTERS)}: flamechat gates list shows them.", MISUSED)
    return matching[0]


def _reasons(result: Mapping[str, Any]) -> list[str]:
    """Why it did not hold."""
    if result["problem"]:
        return [str(result["problem"])]
    rules = (result["report"] or {}).get("results", [])
    return [f"{one['rule']['text']}: {one['reason']}" for one in rules if one["outcome"] != "held"]


def _labels(labels: Mapping[str, str]) -> str:
    return ", ".join(f"{key}:{value}" for key, value in sorted(labels.items()))
