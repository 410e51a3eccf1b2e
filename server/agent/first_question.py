"""What is asked first of a trace; without the graph's libraries, for commands that only offer it."""

from traces.values import Unit


def first_question(unit: str) -> str:
    """What is asked first of a trace whose values have this unit."""
    if unit == Unit.NANOSECONDS:
        return "Why is this slow?"
    return "Where does the memory go?" if unit == Unit.BYTES else "What takes the most?"
