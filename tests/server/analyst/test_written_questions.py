"""How prompts are read, by modules that have no tests of their own."""

import pytest

from tests.server.analyst.written_questions import assert_read, prompts_of


@pytest.mark.parametrize(("module", "context", "prompt"), prompts_of("questions"))
def test_a_prompt_is_read_as_it_is_written(module: str, context: str, prompt: str) -> None:
    assert_read(module, context, prompt)
