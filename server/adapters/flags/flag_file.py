"""Flags of a TOML file: a table each, with the value that it gives and whom it gives it to."""

import hashlib
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from openfeature.evaluation_context import EvaluationContext
from openfeature.flag_evaluation import FlagResolutionDetails, Reason
from openfeature.provider.in_memory_provider import InMemoryFlag, InMemoryProvider
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from server.errors import ConfigError
from server.ports.flags import EXECUTORS

ACCOUNT, PLAN = "account_id", "plan_name"
"""Attributes of whom is decided for, besides the targeting key, which is their user id."""

OFF, GIVEN = "off", "given"
"""A flag's variants: as for everybody, and what the file gives."""

TEXTS = ("prompt_version", "model", "executor")
SWITCHES = ("interrupts", "collectors")
TOOLS = "tools."


class Rule(BaseModel):
    """What a flag gives, and to whom: to `share` of the users, by a hash that stays the same, of these plans and
    accounts (none: all). `on` false switches it off."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    value: bool | Annotated[str, Field(min_length=1, max_length=200)]
    on: bool = True
    share: Annotated[float, Field(ge=0, le=1)] = 1.0
    plans: tuple[str, ...] = ()
    accounts: tuple[str, ...] = ()

    def is_for(self, name: str, context: EvaluationContext) -> bool:
        """Whether the flag of this name gives its value there."""
        attributes = context.attributes
        return (
            self.on
            and (not self.plans or attributes.get(PLAN) in self.plans)
            and (not self.accounts or attributes.get(ACCOUNT) in self.accounts)
            and share_of(name, context.targeting_key or "") < self.share
        )

    def described(self) -> str:
        """What it gives to whom, as people read it."""
        value = self.value if isinstance(self.value, str) else str(self.value).lower()
        if not self.on:
            return f"{value}, switched off"
        parts = [f" for {self.share * 100:g} % of the users"] if self.share < 1 else []
        parts += [f" of the plans {', '.join(self.plans)}"] if self.plans else []
        parts += [f" of {len(self.accounts)} accounts"] if self.accounts else []
        return value + ",".join(parts)


def share_of(flag: str, user_id: str) -> float:
    """Where a user stands between 0 and 1 for a flag: the same for ever, and of no other flag."""
    digest = hashlib.sha256(f"{flag}/{user_id}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def read_rules(path: Path, tools: Sequence[str]) -> dict[str, Rule]:
    """The file's flags by name: those of TEXTS and SWITCHES, and `tools.<name>`. Raises ConfigError."""
    try:
        with path.open("rb") as file:
            found = TypeAdapter(dict[str, Rule]).validate_python(_flat(tomllib.load(file)))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"FLAMECHAT_FLAGS: {path} cannot be read: {error}") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise ConfigError(f"FLAMECHAT_FLAGS: {path}, {place}: {first['msg'][0].lower()}{first['msg'][1:]}") from None
    for name, rule in found.items():
        kind: type = str if name in TEXTS else bool
        if name not in (*TEXTS, *SWITCHES, *(TOOLS + tool for tool in tools)):
            raise ConfigError(
                f"FLAMECHAT_FLAGS: {path} has a flag {name}; known are {', '.join((*TEXTS, *SWITCHES))}, tools.NAME"
            )
        if not isinstance(rule.value, kind):
            wanting = "a text" if kind is str else "true or false"
            raise ConfigError(f"FLAMECHAT_FLAGS: {path}, {name}.value has to be {wanting}")
        if name == "executor" and rule.value not in EXECUTORS:
            raise ConfigError(f"FLAMECHAT_FLAGS: {path}, {name}.value has to be one of {', '.join(EXECUTORS)}")
    return found


def _flat(tables: dict[str, object]) -> dict[str, object]:
    """With the tables in `tools` by their names."""
    tools = tables.pop("tools", {})
    of_tools = {TOOLS + name: rule for name, rule in tools.items()} if isinstance(tools, dict) else {"tools": tools}
    return tables | of_tools


def file_provider(rules: dict[str, Rule]) -> InMemoryProvider:
    """The rules as OpenFeature's provider in memory."""
    return InMemoryProvider({name: _flag(name, rule) for name, rule in rules.items()})


def _flag(name: str, rule: Rule) -> InMemoryFlag[bool | str]:
    otherwise: bool | str = "" if isinstance(rule.value, str) else True

    def decided(flag: InMemoryFlag[bool | str], context: EvaluationContext) -> FlagResolutionDetails[bool | str]:
        variant = GIVEN if rule.is_for(name, context) else OFF
        reason = Reason.TARGETING_MATCH if variant == GIVEN else Reason.DEFAULT
        return FlagResolutionDetails(value=flag.variants[variant], variant=variant, reason=reason)

    return InMemoryFlag(default_variant=OFF, variants={OFF: otherwise, GIVEN: rule.value}, context_evaluator=decided)
