"""A plan's own models: stored with it, the first by default, the others by request, and no other."""

from dataclasses import replace

import pytest

from limits.administration import Administration, Author
from limits.errors import InvalidPlan
from limits.plans import Plan, changed
from server.adapters.model.choice import ChosenModels, ModelChoice
from server.adapters.model.patience import Patience
from server.errors import ModelFailed
from server.turns.features import features
from tests.openai_endpoint import Reply, openai_endpoint
from tests.plugins.worlds import World, new_uuid
from tests.server.agent.turns import stage

TEAM = Plan(name="team", display_name="Team", chat_models=("large", "org/small:8b"))
ANSWER = Reply(text="It is parse_json.")


async def test_a_plan_keeps_its_models_in_their_order(world: World) -> None:
    author, team = Author(user_id=new_uuid(), reason="asked for it"), replace(TEAM, name=f"t-{new_uuid()}"[:40])
    administration = Administration(world.plans)
    await administration.create_plan(team, author)
    assert await administration.plan(team.name) == team
    await administration.change_plan(team.name, {"chat_models": ("z", "a", "z")}, author)
    assert (await administration.plan(team.name)).chat_models == ("z", "a")
    assert (await features(world.plans, team.name)).models == ("z", "a")
    assert (await features(world.plans, "free")).models is None
    assert (await features(world.plans, "gone")).models is None


@pytest.mark.parametrize("name", ["", "two words", "a,b", "x" * 101])
def test_what_is_no_models_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidPlan, match="chat_models"):
        changed(TEAM, {"chat_models": (name,)})


async def test_a_prompt_is_answered_by_the_plans_first_model_or_the_one_it_asks_for() -> None:
    async with openai_endpoint(ANSWER, ANSWER) as endpoint:
        models = ChosenModels(ModelChoice(base_url=endpoint.base_url, model="servers", patience=Patience(retries=0)))
        scene = stage(models, offered_models=TEAM.chat_models)
        assert (await scene.agent.answer(scene.turn, scene.sink)).usage.model == "large"
        asked = replace(scene.turn, model_name="org/small:8b")
        assert (await scene.agent.answer(asked, type(scene.sink)())).usage.model == "org/small:8b"
        with pytest.raises(ModelFailed, match="'servers' is not offered here; offered are large, org"):
            await scene.agent.answer(replace(scene.turn, model_name="servers"), type(scene.sink)())
    assert [request["model"] for request in endpoint.requests] == ["large", "org/small:8b"]
