"""What a model is asked with besides the prompt, whatever API it has: the one place for what belongs to this prompt
alone. It stands with the prompt and not in the system prompt, so that the beginning of a conversation stays the same
and a provider can cache it.
"""

from server.agent.bounds import CHARACTERS_PER_TOKEN
from server.agent.graph.first_look import FirstLook
from server.agent.turn import Asker, TurnInput
from server.quoting import quoted

MOST_CHARACTERS = int(150 * CHARACTERS_PER_TOKEN)
"""Of what else the person has here: 150 tokens."""

NAME_CHARACTERS = 40


def asked_with(turn: TurnInput, look: FirstLook) -> str:
    """What is on the person's screen, their time and plan, who they are, and what else they have here. Names are
    quoted: they are data."""
    known = [looking_at(look), f"Their local time: {local_time(turn)}.", f"Plan: {turn.plan_name}."]
    if turn.asker is not None:
        known += [*_who(turn.asker), *_what_else(turn.asker)]
    return " ".join(known)


def local_time(turn: TurnInput) -> str:
    """Of the person, to the minute."""
    return f"{turn.local_time:%Y-%m-%d %H:%M %Z}".strip()


def looking_at(look: FirstLook) -> str:
    """What is on the person's screen."""
    return f"The person is looking at: {look.seen}."


def _who(asker: Asker) -> list[str]:
    """Their name, and what is left of their plan."""
    named = [] if asker.name is None else [f"They are called {quoted(asker.name, NAME_CHARACTERS)}."]
    return named + ([f"Left of their plan: {', '.join(asker.left)}."] if asker.left else [])


def _what_else(asker: Asker) -> list[str]:
    """Their other recordings: how many, of which programs, and those nearest to this one, as many as there is room
    for."""
    if not asker.recordings:
        return ["They have no other recording here."]
    count = f"{asker.recordings:,}{' or more' if asker.more else ''}"
    said = [f"Other recordings of theirs: {count}."]
    for heading, names in (("Nearest to this one", asker.nearest), ("Of the programs", asker.programs)):
        shown: list[str] = []
        for name in names:
            longer = f"{heading}: {', '.join([*shown, quoted(name, NAME_CHARACTERS)])}."
            if len(" ".join([*said, longer])) > MOST_CHARACTERS:
                break
            shown.append(quoted(name, NAME_CHARACTERS))
        if shown:
            said.append(f"{heading}: {', '.join(shown)}.")
    return said
