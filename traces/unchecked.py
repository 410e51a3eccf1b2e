"""Values of frozen classes, by the thousand."""

from typing import Any, TypeVar

Made = TypeVar("Made")


def unchecked(kind: type[Made], /, **members: Any) -> Made:
    """A value of a frozen dataclass without slots, of which all members are given, and some of its cached properties
    may be. Its own `__init__` sets one member after the other by a call each, which takes four times as long."""
    made = object.__new__(kind)
    object.__setattr__(made, "__dict__", members)
    return made
