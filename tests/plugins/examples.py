"""How many examples of a law are tried: few in `make test`, many in `make test-long`, always the same, so that a change
is judged by what it changes; more, and new ones, at every `make laws`.

A law that names its own number in `settings` keeps it.
"""

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("short", max_examples=25, deadline=None, derandomize=True)
LONG, LAWS = "long", "hypothesis"
for name, examples in ((LONG, 150), (LAWS, 400)):
    settings.register_profile(
        name, max_examples=examples, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
    )


def pytest_configure(config: pytest.Config) -> None:
    """Runs before any test is imported: `settings` are read where a law is decorated."""
    settings.load_profile(config.option.markexpr if config.option.markexpr in {LONG, LAWS} else "short")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Every law is also a long test."""
    for item in items:
        if config.option.markexpr in {LONG, LAWS} and getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker(pytest.mark.long)
            item.add_marker(pytest.mark.timeout(900))
