"""What a file of flags decides, and for whom."""

import uuid
from pathlib import Path

import pytest
from openfeature.provider.in_memory_provider import InMemoryProvider

from server.adapters.flags.flag_file import Rule, file_provider, read_rules, share_of
from server.adapters.flags.openfeature_flags import OpenFeatureFlags
from server.errors import ConfigError
from server.ports.flags import FLAGS, FlagSubject, TurnFlags, flags_of

TOOLS = ("query_trace", "find_frames")


def subject(user_id: str = "u1", account_id: str = "a1", plan_name: str = "team") -> FlagSubject:
    return FlagSubject(user_id=user_id, account_id=account_id, plan_name=plan_name)


def flags(folder: Path, text: str) -> OpenFeatureFlags:
    file = folder / "flags.toml"
    file.write_text(text, encoding="utf-8")
    return OpenFeatureFlags(file_provider(read_rules(file, TOOLS)), TOOLS)


async def test_what_no_flag_names_is_as_for_everybody(tmp_path: Path) -> None:
    decided = await flags(tmp_path, "").decided(subject())
    assert decided == TurnFlags()
    assert (decided.kept(), decided.text()) == ({}, None)


async def test_each_kind_of_flag_decides_its_part(tmp_path: Path) -> None:
    text = (
        '[prompt_version]\nvalue = "candidate"\n[model]\nvalue = "small"\n'
        "[interrupts]\nvalue = false\n[tools.query_trace]\nvalue = false\n"
        '[executor]\nvalue = "langgraph"\n[collectors]\nvalue = false\n'
    )
    decided = await flags(tmp_path, text).decided(subject())
    assert decided == TurnFlags(
        hidden_tools=frozenset({"query_trace"}),
        model="small",
        prompt_version="candidate",
        executor="langgraph",
        interrupts=False,
        collectors=False,
    )
    assert flags_of({FLAGS: decided.kept()}) == decided
    assert decided.text() == (
        "model=small promptVersion=candidate executor=langgraph interrupts=False collectors=False "
        "hiddenTools=query_trace"
    )


async def test_plans_and_accounts_and_the_switch_bound_whom_it_is_for(tmp_path: Path) -> None:
    text = '[model]\nvalue = "small"\nplans = ["team"]\naccounts = ["a1", "a2"]\n'
    text += '[prompt_version]\nvalue = "b"\non = false\n'
    file = flags(tmp_path, text)
    assert (await file.decided(subject())).model == "small"
    assert (await file.decided(subject(account_id="a3"))).model is None
    assert (await file.decided(subject(plan_name="free"))).model is None
    assert (await file.decided(subject())).prompt_version is None


async def test_a_share_of_the_users_is_the_same_ones_every_time(tmp_path: Path) -> None:
    users = [str(uuid.UUID(int=number)) for number in range(1_000)]
    text = '[prompt_version]\nvalue = "b"\nshare = 0.3\n[model]\nvalue = "small"\nshare = 0.3\n'
    first, again = flags(tmp_path, text), flags(tmp_path, text)
    chosen = {user for user in users if (await first.decided(subject(user))).prompt_version == "b"}
    assert chosen == {user for user in users if (await again.decided(subject(user))).prompt_version == "b"}
    assert 250 < len(chosen) < 350
    others = {user for user in users if share_of("model", user) < 0.3}
    assert 50 < len(chosen & others) < 130, "one flag's users are not another's"
    wider = Rule(value="b", share=0.6)
    assert chosen <= {user for user in users if share_of("prompt_version", user) < wider.share}, "a share only grows"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[no_flag]\nvalue = true\n", "has a flag no_flag; known are"),
        ("[tools.no_tool]\nvalue = false\n", "has a flag tools.no_tool"),
        ("[model]\nvalue = true\n", "model.value has to be a text"),
        ('[interrupts]\nvalue = "no"\n', "interrupts.value has to be true or false"),
        ('[model]\nvalue = "small"\nshare = 2\n', "model.share: input should be less than or equal to 1"),
        ('[model]\nvalue = "small"\nshares = 1\n', "model.shares"),
        ('[executor]\nvalue = "elsewhere"\n', "executor.value has to be one of in_process, langgraph"),
        ("[collectors]\nvalue = 3\n", "collectors.value"),
        ("[model\n", "cannot be read"),
        ("model = 3\n", "model"),
    ],
)
def test_a_file_that_cannot_be_meant_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(ConfigError, match="FLAMECHAT_FLAGS") as refused:
        flags(tmp_path, text)
    assert problem in str(refused.value)


class Breaks(InMemoryProvider):
    async def resolve_boolean_details_async(self, *args: object, **kwargs: object) -> None:  # type: ignore[override]
        raise RuntimeError("away")

    async def resolve_string_details_async(self, *args: object, **kwargs: object) -> None:  # type: ignore[override]
        raise RuntimeError("away")


async def test_a_provider_that_breaks_leaves_everything_as_for_everybody() -> None:
    assert await OpenFeatureFlags(Breaks({}), TOOLS).decided(subject()) == TurnFlags()


def test_what_a_newer_version_decided_is_passed_over() -> None:
    assert flags_of({FLAGS: {"planner": "on", "model": "small"}}) == TurnFlags(model="small")
    assert flags_of({}) == TurnFlags()
