"""A gate whose baseline is on a server: the runs are sent there with their labels, and judged there."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from server.edges.cli.gate_settings import GateSettings
from server.edges.cli.reading import MISUSED, fail
from server.edges.cli.server_requests import asked, query_of, sent_file
from server.quoting import plain
from traces.gate.judgement import Judgement
from traces.gate.rules import InvalidRule

ANCESTORS = 200
GIT_S = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerBaseline:
    """The newest `last` runs with these labels at a server; the runs that are judged get `labels`."""

    server: str
    token: str | None = field(repr=False)
    baseline: Mapping[str, str]
    labels: Mapping[str, str]
    last: int

    def as_options(self) -> tuple[str, ...]:
        """As the command takes them, but for the token."""
        baseline = ",".join(f"{key}:{value}" for key, value in self.baseline.items())
        labels = [word for key, value in self.labels.items() for word in ("--label", f"{key}={value}")]
        return ("--baseline", f"label={baseline}", "--last", str(self.last), *labels, "--server", self.server)


@dataclass(frozen=True, slots=True)
class JudgedThere:
    """The judgement, the names of both sides' runs there, the address that shows the first of them against each
    other, and lines about how the baseline was found."""

    judgement: Judgement
    before: tuple[str, ...]
    after: tuple[str, ...]
    diff: str
    notes: tuple[str, ...]


def named_labels(text: str, option: str) -> dict[str, str]:
    """The labels of `label=branch:main,scenario=checkout` or `branch:main,scenario:checkout`. Raises InvalidRule."""
    found: dict[str, str] = {}
    for part in text.removeprefix("label=").split(","):
        places = [place for place in (part.find(":"), part.find("=")) if place > 0]
        if not places:
            raise InvalidRule(f"{option} has labels such as branch:main, and {part or 'an empty text'} is none.")
        key, value = part[: min(places)].strip(), part[min(places) + 1 :].strip()
        if key in found:
            raise InvalidRule(f"{option} has the label {key} twice.")
        found[key] = value
    return found


def baseline_of(
    text: str | None,
    settings: GateSettings,
    *,
    labels: Sequence[str],
    last: int | None,
    server: str | None,
    token: str | None,
) -> ServerBaseline | None:
    """What the options and the settings name; None where they name no baseline on a server. Raises InvalidRule."""
    baseline = dict(settings.baseline) if text is None else named_labels(text, "--baseline")
    if not baseline:
        return None
    address = server or settings.server
    if address is None:
        raise InvalidRule("a baseline by labels is on a server: name it with --server.")
    given = dict(settings.labels)
    for one in labels:
        given |= named_labels(one, "--label")
    if "program" in baseline:
        given.setdefault("program", baseline["program"])
    return ServerBaseline(
        server=address, token=token, baseline=baseline, labels=given, last=last or settings.last or 10
    )


def judged_there(
    where: ServerBaseline, after: Sequence[Path], rules: Sequence[str], single_run: str | None
) -> JudgedThere:
    """Send the runs and have them judged; a server that refuses ends the command."""
    from server.turns.gate_judging import judgement_of

    labels = [("label", f"{key}:{value}") for key, value in where.labels.items()]
    sent = [
        sent_file(where.server, where.token, f"/traces?{query_of([('name', file.name), *labels])}", file)["trace"]
        for file in after
    ]
    commit = where.baseline.get("commit")
    body: dict[str, Any] = {
        "after": [trace["traceId"] for trace in sent],
        "baseline": dict(where.baseline),
        "rules": list(rules),
        "lastRuns": where.last,
        "singleRun": single_run,
        "commits": [] if commit is None else ancestors_of(commit),
    }
    answer = asked(where.server, where.token, "POST", "/gates/run", body=json.dumps(body).encode())
    before, address = answer["before"], where.server.rstrip("/")
    first, newest = quote(str(sent[0]["traceId"])), quote(str(before[-1]["traceId"]))
    try:
        judgement = judgement_of(answer["judgement"])
    except ValueError:
        fail(f"{plain(address, 200)} judges as another version of Flamechat does.", MISUSED)
    notes: tuple[str, ...] = ()
    if answer["commit"] is not None:
        notes = (f"{commit} has no runs: judged by those of its ancestor {answer['commit']}",)
    return JudgedThere(
        judgement,
        tuple(str(trace["name"]) for trace in before),
        tuple(str(trace["name"]) for trace in sent),
        f"{address}/t/{first}?view=diff&before={newest}",
        notes,
    )


def ancestors_of(commit: str) -> list[str]:
    """The commits before one, the nearest first, as the repository of the working folder has them; none where there is
    no repository, or not that commit."""
    if commit.startswith("-"):
        return []
    asked_git = ["git", "rev-list", "--first-parent", f"--max-count={ANCESTORS + 1}", f"{commit}^{{commit}}", "--"]
    try:
        done = subprocess.run(asked_git, capture_output=True, timeout=GIT_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return done.stdout.decode("ascii", "replace").split()[1:] if done.returncode == 0 else []


def accept(result_id: str, reason: str | None, server: str, token: str | None) -> str:
    """Accept what a gate of the server found. Returns a line about it."""
    if not reason:
        fail("Say why with --reason: it stands in the next report.", MISUSED)
    body = json.dumps({"reason": reason}).encode()
    path = f"/gates/results/{quote(result_id, safe='')}/accept"
    result = asked(server, token, "POST", path, body=body)["result"]
    return f"accepted: {plain(str(result['gateName']), 80)}. Its baseline begins anew with that run."
