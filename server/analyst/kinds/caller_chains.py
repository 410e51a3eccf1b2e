"""Who calls the callers of a function, a round of questions each."""

from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.kinds.kind import Call
from server.analyst.kinds.paths import is_entry
from server.analyst.kinds.unnamed_functions import has_a_name
from server.analyst.ordinals import FURTHER_UP
from server.analyst.wording import cited, joined

UP = 3
"""Callers of callers that are followed."""
OTHERS = 3
"""Functions besides its own that an opening names."""


def is_flat(evidence: Evidence) -> bool:
    """Whether no function of the ranking calls another: the file has places, and no stacks."""
    rows = evidence.lead.rows if evidence.lead else []
    return len(rows) > 1 and all(row["self_value"] == row["total_value"] for row in rows)


def not_made(calls: list[Call], evidence: Evidence) -> bool:
    """Whether some of these calls were not made yet."""
    done = [(result.tool, result.arguments) for result in evidence.results]
    return any(call not in done for call in calls)


def chain_above(rows: list[dict[str, Any]], evidence: Evidence) -> list[dict[str, Any]]:
    """The heaviest caller of the first row, its heaviest caller, and so on, as far as they were asked for."""
    around = {data["frame"]["handle"]: data for data in (one.data for one in evidence.all("get_callers_callees"))}
    chain: list[dict[str, Any]] = []
    at = rows[0]["handle"] if rows else ""
    while at in around and len(chain) < UP + 1:
        above = next((one for one in around[at]["callers"] if one["handle"]), None)
        if above is None or above["handle"] in {one["handle"] for one in chain}:
            break
        chain.append(above)
        at = above["handle"]
    return chain


def highest(rows: list[dict[str, Any]], evidence: Evidence) -> str:
    """The last of the chain of callers, while it may go on."""
    chain = chain_above(rows, evidence)
    return chain[-1]["handle"] if 0 < len(chain) <= UP else ""


def further_up(rows: list[dict[str, Any]], callers: list[dict[str, Any]], evidence: Evidence) -> str:
    """Who calls the heaviest of these callers, and who that, as far as they have names and up to where the
    program begins; empty without."""
    above = [*callers[:1], *chain_above(rows, evidence)[1:]]
    begins = next((at for at, one in enumerate(above) if is_entry(one["name"])), len(above))
    chain = [one for one in above[1 : begins + 1] if has_a_name(one)][: OTHERS - len(callers)]
    mostly = "mostly " if len(callers) > 1 else ""
    return f"{FURTHER_UP} {mostly}from {joined([cited(one) for one in chain])}" if callers and chain else ""


def called_from(around: dict[str, Any]) -> str:
    """`, called from [`main`]`, by its heaviest caller; empty where nothing else calls it."""
    callers = [one for one in around["callers"] if one["handle"] and one["handle"] != around["frame"]["handle"]]
    mostly = " most of all" if len(callers) > 1 else ""
    return f", called{mostly} from {cited(callers[0])}" if callers else ""
