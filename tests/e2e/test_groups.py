"""Tests that share a server and a browser run in one process."""

import pytest


@pytest.mark.xdist_group("browser")
@pytest.mark.parametrize("way", ["one", "another"])
def test_a_tests_group_stands_behind_its_name_where_tests_are_spread(request: pytest.FixtureRequest, way: str) -> None:
    is_spread = getattr(request.config.option, "loadgroup", False)
    assert request.node.nodeid.endswith("@browser" if is_spread else f"[{way}]")
