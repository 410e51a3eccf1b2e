"""A trace of which more is said than when it was made: nothing of its columns is reckoned again."""

from dataclasses import replace
from typing import Any

from traces.model import Trace


def restated(trace: Trace, **said: Any) -> Trace:
    """The trace with other warnings or another default profile, and with what was found out about its profiles, of
    which none depends on those. Its summary holds both, and must not have been asked for."""
    assert "summary" not in trace.answers
    result = replace(trace, **said)
    members = vars(result)
    members.update((name, known) for name, known in vars(trace).items() if name not in members)
    return result
