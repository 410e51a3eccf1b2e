"""What a turn that goes on elsewhere reads anew: its plan, and the pictures that its model had not seen yet."""

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from server.errors import LimitExceeded
from tests.openai_endpoint import openai_endpoint
from tests.server.agent.test_service_resuming import ANSWER, CUT_OFF, LOOKING, killed_while_saying
from tests.server.agent.turns import endpoint_models, stage


async def test_a_picture_drawn_before_the_crash_is_shown_to_the_model_by_the_next_attempt() -> None:
    saver = InMemorySaver()
    async with openai_endpoint(LOOKING, CUT_OFF, ANSWER) as endpoint:
        died = stage(endpoint_models(endpoint.base_url), checkpoints=lambda: saver)
        await killed_while_saying(died, "half")
        heir = stage(endpoint_models(endpoint.base_url), checkpoints=lambda: saver, attempt=2)
        heir.pictures.saved.update(died.pictures.saved)
        await heir.agent.answer(heir.turn, heir.sink)
    assert len(died.pictures.saved) == 1
    assert endpoint.requests[1]["messages"][-1]["content"][1]["type"] == "image_url"
    assert endpoint.requests[2]["messages"][-1] == endpoint.requests[1]["messages"][-1]


async def test_a_picture_that_is_gone_leaves_its_words() -> None:
    saver = InMemorySaver()
    async with openai_endpoint(LOOKING, CUT_OFF, ANSWER) as endpoint:
        died = stage(endpoint_models(endpoint.base_url), checkpoints=lambda: saver)
        await killed_while_saying(died, "half")
        heir = stage(endpoint_models(endpoint.base_url), checkpoints=lambda: saver, attempt=2)
        answer = await heir.agent.answer(heir.turn, heir.sink)
    assert answer.text == ANSWER.text
    assert endpoint.requests[2]["messages"][-1]["role"] == "tool"


async def test_a_turn_that_goes_on_under_a_smaller_plan_is_stopped_by_it() -> None:
    saver = InMemorySaver()
    async with openai_endpoint(LOOKING, CUT_OFF, ANSWER) as endpoint:
        died = stage(endpoint_models(endpoint.base_url), checkpoints=lambda: saver, messages_used=9, messages_limit=50)
        await killed_while_saying(died, "half")
        heir = stage(
            endpoint_models(endpoint.base_url),
            checkpoints=lambda: saver,
            attempt=2,
            messages_used=9,
            messages_limit=8,
            plan_name="smaller",
        )
        with pytest.raises(LimitExceeded) as refused:
            await heir.agent.answer(heir.turn, heir.sink)
    assert (refused.value.decision.plan_name, refused.value.decision.limit) == ("smaller", 8)
    assert len(endpoint.requests) == 2


async def test_a_turn_that_goes_on_under_a_larger_plan_goes_on() -> None:
    saver = InMemorySaver()
    async with openai_endpoint(LOOKING, CUT_OFF, ANSWER) as endpoint:
        died = stage(endpoint_models(endpoint.base_url), checkpoints=lambda: saver, messages_used=9, messages_limit=9)
        await killed_while_saying(died, "half")
        heir = stage(endpoint_models(endpoint.base_url), checkpoints=lambda: saver, attempt=2, messages_limit=None)
        assert (await heir.agent.answer(heir.turn, heir.sink)).text == ANSWER.text
