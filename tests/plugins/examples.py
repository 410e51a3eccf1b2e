"""How many examples of a law are tried: few in `make test`, always the same; many, and new ones, in `make test-long`.

A law that names its own number in `settings` keeps it.
"""

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("short", max_examples=25, deadline=None, derandomize=True)
settings.register_profile("long", max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
LONG = "long"


def pytest_configure(config: pytest.Config) -> None:
    """Runs before any test is imported: `settings` are read where a law is decorated."""
    settings.load_profile("long" if config.option.markexpr == LONG else "short")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Every law is also a long test."""
    for item in items:
        if config.option.markexpr == LONG and getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker(pytest.mark.long)
            item.add_marker(pytest.mark.timeout(300))
