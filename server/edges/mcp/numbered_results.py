"""The results of one connection by number (`q7: ...`), so that addresses of figures can name them until it ends.

A program over stdin and stdout is one connection. Requests to `/mcp/` bring no connection with them: there the results
of one caller are one, in the process that answered. Another process numbers from elsewhere, so that a number which one
of them gave names nothing in the other, and never another result.
"""

import secrets
from collections import OrderedDict
from typing import Any

from server.agent.tools.contract.tool import Outcome
from server.agent.verification.references.kept_results import KeptResult
from server.ports.identity import Caller

MOST_RESULTS = 60
"""Kept of a connection, the newest: more than a person reads of one question."""
MOST_CALLERS = 64
"""Kept at a time by a server, those who asked last."""
FIRST_NUMBERS = range(100_000, 900_000)


class NumberedResults:
    """Of one connection, over all of its traces."""

    def __init__(self, first: int = 1) -> None:
        self._next = first
        self._kept: OrderedDict[int, tuple[str, KeptResult]] = OrderedDict()

    def keep(self, trace_id: str, tool: str, arguments: dict[str, Any], outcome: Outcome) -> int:
        """The number of a result, which is kept with it."""
        number, self._next = self._next, self._next + 1
        kept = KeptResult(number=number, tool=tool, arguments=arguments, data=outcome.data, text=outcome.text)
        self._kept[number] = (trace_id, kept)
        if len(self._kept) > MOST_RESULTS:
            self._kept.popitem(last=False)
        return number

    def of(self, trace_id: str) -> tuple[KeptResult, ...]:
        """What was returned about a trace, in order."""
        return tuple(kept for about, kept in self._kept.values() if about == trace_id)


class ResultsByCaller:
    """Those of a server's callers."""

    def __init__(self) -> None:
        self._first = secrets.choice(FIRST_NUMBERS)
        self._of: OrderedDict[Caller, NumberedResults] = OrderedDict()

    def of(self, caller: Caller) -> NumberedResults:
        found = self._of.setdefault(caller, NumberedResults(self._first))
        self._of.move_to_end(caller)
        if len(self._of) > MOST_CALLERS:
            self._of.popitem(last=False)
        return found
