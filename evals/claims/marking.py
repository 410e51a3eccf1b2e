"""What becomes of statements: each is the answer of a turn in which the usual tools were called."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from langchain_core.messages import ToolMessage

from evals.claims.known_facts import known_facts, recording
from evals.claims.statements import Statement
from server.agent.tools.compare_traces import CompareTraces, compare_two
from server.agent.tools.contract.tool import Outcome
from server.agent.tools.get_insights import GetInsights, answer_insights
from server.agent.tools.get_top_functions import TopFunctions, answer_top_functions
from server.agent.tools.get_trace_summary import NoArguments, answer_summary
from server.agent.verification.facts import gathered
from server.agent.verification.references.checked_answer import checked_answer
from server.protocol.wire_values import Check
from traces.model import Trace

COMPARED = {
    "search-index.cpuprofile.gz": "redact-documents.cprofile.prof",
    "evals/programs/ledger_post/fault.pb.gz": "evals/programs/ledger_post/sibling.pb.gz",
    "evals/programs/rate_fetch/fault.viztracer.json.gz": "evals/programs/rate_fetch/sibling.viztracer.json.gz",
}
"""Traces that were compared with another one before, the first with another program: statements speak of that."""


class Mark(StrEnum):
    """What a reader sees of a statement: green, red or neither."""

    CERTIFIED = "certified"
    CONTRADICTED = "contradicted"
    UNCHECKED = "unchecked"


@dataclass(frozen=True, slots=True)
class Marked:
    """`checks` is what the mark was made of."""

    statement: Statement
    mark: Mark
    checks: tuple[Check, ...] = ()


def mark_of(checks: Sequence[Check]) -> Mark:
    """Red where anything is contradicted; green where figures and relations are there and all of them hold. That a name
    is one of the trace proves nothing of what is said of it."""
    claims = [check for check in checks if check.kind != "name"]
    if any(check.status == "contradicted" for check in checks):
        return Mark.CONTRADICTED
    holds = bool(claims) and all(check.status in ("verified", "derived") for check in claims)
    return Mark.CERTIFIED if holds else Mark.UNCHECKED


Link = Literal["claimed", "source"]
"""Where a figure's link leads: to what the statement says that it is, or to what it is."""


def marked(statements: Sequence[Statement], link: Link | None = None) -> Iterator[Marked]:
    """Marked by the checker of the product, after the tools that a turn usually calls: by the rules for sentences, or
    with each made figure as a link. Those of recordings that are not here are left out."""
    for name in dict.fromkeys(one.trace for one in statements):
        if not recording(name).exists():
            continue
        trace = known_facts(name).trace
        facts = gathered(_messages(trace, COMPARED.get(name)), {})
        for statement in (one for one in statements if one.trace == name):
            text = statement.text if link is None else linked(statement, link)
            checks = checked_answer(trace, text, facts, "Is that so?", ()).checks
            yield Marked(statement, mark_of(checks), checks)


def linked(statement: Statement, link: Link) -> str:
    """The statement with its figure as a link; as it is where it has none, or nobody made it."""
    address = statement.claimed if link == "claimed" else statement.source
    if statement.figure is None or address is None:
        return statement.text
    figure = re.compile(rf"(?<![\w.,]){re.escape(statement.figure)}(?![.,]?\d)")
    places = list(figure.finditer(statement.text))
    if len(places) != 1:
        raise ValueError(f"{statement.figure} stands {len(places)} times in: {statement.text}")
    return figure.sub(lambda found: f"[{found[0]}](#{address})", statement.text)


def always(mark: Mark) -> Callable[[Sequence[Statement]], Iterator[Marked]]:
    """A dull checker, which the bounds have to refuse."""

    def dull(statements: Sequence[Statement]) -> Iterator[Marked]:
        for statement in statements:
            yield Marked(statement, mark)

    return dull


def _messages(trace: Trace, before: str | None) -> list[ToolMessage]:
    outcomes: list[tuple[str, Outcome]] = [
        ("get_trace_summary", answer_summary(trace, NoArguments())),
        ("get_top_functions", answer_top_functions(trace, TopFunctions())),
        ("get_insights", answer_insights(trace, GetInsights())),
    ]
    if before is not None:
        arguments = CompareTraces(others=[before])
        outcomes.append(("compare_traces", compare_two(trace, arguments, known_facts(before).trace)))
    return [
        ToolMessage(outcome.text, name=tool, tool_call_id=tool, artifact={"data": outcome.data, "arguments": {}})
        for tool, outcome in outcomes
    ]
