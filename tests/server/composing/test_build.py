"""The version that rows of model calls name."""

from pathlib import Path

from server.composing.build import graph_version
from server.edges.mcp.version import version


def test_a_build_names_the_commit_it_was_made_from_and_a_checkout_none(tmp_path: Path) -> None:
    (tmp_path / "commit").write_text("1a2b3c4d5e6f\n")
    assert graph_version(tmp_path / "commit") == f"{version()}+1a2b3c4d5e6f"
    assert graph_version(tmp_path / "none") == version()
