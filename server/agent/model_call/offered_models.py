"""Which models a prompt may ask for: the plan's own, else those of the server's settings."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

ANALYST = "built-in"
ANALYST_LABEL = "Built-in analyst (rules, not a language model)"
DEFAULT_MODEL = "gpt-5"
"""What a key alone gets; FLAMECHAT_MODEL names another."""


def label_of(name: str) -> str:
    """Its label for people."""
    return ANALYST_LABEL if name == ANALYST else name


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedModels:
    """`of_server` are those of the settings, the default first. Without a provider the built-in analyst answers
    alone, whatever settings and plans offer.
    """

    of_server: tuple[str, ...] = (ANALYST,)
    has_provider: bool = False

    @classmethod
    def of_settings(cls, model: str | None, allowed: Sequence[str], *, has_provider: bool) -> Self:
        """`model` is the default, `allowed` the others that may be chosen."""
        if not has_provider:
            return cls()
        return cls(of_server=tuple(dict.fromkeys((model or DEFAULT_MODEL, *allowed))), has_provider=True)

    def names(self, of_plan: Sequence[str] | None) -> tuple[str, ...]:
        """What a person may choose from, the default first."""
        return tuple(dict.fromkeys(of_plan)) if of_plan and self.has_provider else self.of_server

    def refusal(self, name: str, of_plan: Sequence[str] | None) -> str | None:
        """Why a prompt may not ask for that model; None when it may, as it always may for the built-in analyst."""
        names = tuple(dict.fromkeys((*self.names(of_plan), ANALYST)))
        if name in names:
            return None
        return f"The model {name!r} is not offered here; offered are {', '.join(names)}."
