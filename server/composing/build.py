"""Which build this is."""

from collections.abc import Callable
from pathlib import Path

from server.edges.mcp.version import version
from server.ports.request_ids import RunFacts

COMMIT = Path(__file__).parents[1] / "shipped" / "commit"
"""Written when a wheel is built from a checkout; a checkout itself moves on, and has none."""


def graph_version(commit: Path = COMMIT) -> str:
    """The package's version, and after a `+` the commit it was built from where that is known: `0.1.0+1a2b3c4d5e6f`."""
    try:
        built_from = commit.read_text(encoding="utf-8").strip()
    except OSError:
        return version()
    return f"{version()}+{built_from}"


def run_facts(trace_id_of: Callable[[str], str] | None) -> Callable[[str], RunFacts]:
    """What is stored of the run of a turn, by its id; `trace_id_of` gives its trace in a tracing service."""
    from server.agent.model_call.call_ledger import GRAPH_NAME

    version_of_graph = graph_version()
    return lambda turn_id: RunFacts(
        graph_name=GRAPH_NAME,
        graph_version=version_of_graph,
        observation_trace_id=None if trace_id_of is None else trace_id_of(turn_id),
    )
