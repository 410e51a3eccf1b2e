"""Tests of one `xdist_group` run in one process: they share a server and a browser.

pytest-xdist 3.8 writes a test's group where pytest 9.2 no longer looks for its name, so that groups are without effect.
"""

import pytest
from _pytest.nodeid import NodeId


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The group's name behind the test's, as `--dist loadgroup` reads it."""
    if not getattr(config.option, "loadgroup", False):
        return
    for item in items:
        mark = item.get_closest_marker("xdist_group")
        if mark is not None and not item.nodeid.endswith(f"@{mark.args[0]}"):
            item._id = NodeId.parse(f"{item.nodeid}@{mark.args[0]}")
