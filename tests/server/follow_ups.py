"""Conversations whose subject of the first turn is that of the third: asked of the analyst over each way to it."""

from typing import NamedTuple

STACKS = (
    b"serve;load_orders;price_of 900\nserve;load_orders;tax_of 50\nserve;render_page;escape 30\nserve;render_page 50\n"
)


class FollowUp(NamedTuple):
    """What is asked in order; every answer from the second on says this name aloud, and none of the others first."""

    asked: tuple[str, ...]
    subject: str


FOLLOW_UPS = (
    FollowUp(("how much is `load_orders`?", "who calls it?", "and what does it call?"), "load_orders"),
    FollowUp(("tell me about `render_page`", "self time?", "and the share of it"), "render_page"),
    FollowUp(("what does `price_of` cost?", "from where?", "how many samples ended in it"), "price_of"),
)


def said_aloud(answer: str, subject: str) -> bool:
    """Whether the first function that an answer's opening names is this one."""
    first = answer.partition("\n")[0]
    return f"`{subject}`" in first and first.index("`") == first.index(f"`{subject}`")
