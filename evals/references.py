"""`python -m evals.references`: how many figures of the analyst's answers are exact by reference, over every case.

A figure is a number, share, ratio or count that the answer claims; it is exact when its link resolves and agrees.
Ends with 1 when one is contradicted by its own address.
"""

import argparse
import asyncio
import sys
from collections import Counter
from collections.abc import Sequence

from evals.case import read_cases
from evals.conditions import NoPictures, WithTools
from evals.running import trace_of
from server.adapters.in_process.workers import InlineTraceWorkers
from server.agent.model_call.offered_models import ANALYST
from server.composing.agent import build_agent
from server.protocol.wire_values import Check
from server.settings import load_settings

FIGURES = frozenset({"number", "percentage", "ratio", "count", "window"})
AROUND = 60
"""Characters shown on either side of a figure that is not exact."""


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m evals.references", description=__doc__)
    parser.add_argument("--only", help="cases whose name holds this")
    parser.add_argument("--show", action="store_true", help="print each figure that is not exact, with its sentence")
    chosen = parser.parse_args(arguments)
    counted: Counter[str] = Counter()
    asyncio.run(_count(chosen.only, counted, show=chosen.show))
    figures = counted.total()
    exact = counted["exact"]
    print(f"{figures:,} figures in the analyst's answers: {exact:,} exact by reference ({exact / max(figures, 1):.1%})")
    print(", ".join(f"{count:,} {what}" for what, count in counted.most_common() if what != "exact"))
    return int(counted["contradicted"] > 0)


async def _count(only: str | None, counted: Counter[str], *, show: bool) -> None:
    workers = InlineTraceWorkers()
    agent = build_agent(load_settings(), workers=workers, pictures=NoPictures())
    analyst = WithTools("built-in analyst", agent, workers, ANALYST)
    for case in read_cases(only):
        answer = await analyst.ask(trace_of(case), case.prompt)
        for check in answer.checks:
            if check.kind not in FIGURES:
                continue
            state = state_of(check)
            counted[state] += 1
            if show and state != "exact":
                around = answer.text[max(0, check.start - AROUND) : check.end + AROUND]
                print(f"{case.name}: {state}: {check.claim!r} ({check.actual or check.how}) in {around!r}")


def state_of(check: Check) -> str:
    """`exact`, `contradicted`, `unchecked` by reference, or `without a reference`."""
    if check.address is None:
        return "unchecked" if check.how and check.status == "unchecked" else "without a reference"
    return "exact" if check.status in ("verified", "derived") else check.status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
