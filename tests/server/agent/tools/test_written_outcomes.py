"""Tools that have no tests of their own, to the letter."""

import pytest

from tests.server.agent.tools.written_outcomes import assert_answered, calls_of


@pytest.mark.parametrize(("module", "call"), calls_of("tools"))
async def test_an_outcome_is_as_it_is_written(module: str, call: str) -> None:
    await assert_answered(module, call)
