"""Who calls the callers of a function, a round of questions each."""

from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.kinds.kind import Call

UP = 3
"""Callers of callers that are followed."""


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
