"""Which build this is."""

from pathlib import Path

from server.edges.mcp.version import version

COMMIT = Path(__file__).parents[1] / "shipped" / "commit"
"""Written when a wheel is built from a checkout; a checkout itself moves on, and has none."""


def graph_version(commit: Path = COMMIT) -> str:
    """The package's version, and after a `+` the commit it was built from where that is known: `0.1.0+1a2b3c4d5e6f`."""
    try:
        built_from = commit.read_text(encoding="utf-8").strip()
    except OSError:
        return version()
    return f"{version()}+{built_from}"
