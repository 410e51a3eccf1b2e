"""The table of five grades: every answerer, by batch, by cause class, and what the dull ones get right."""

from collections.abc import Callable, Sequence

from evals.asking import FIRST_CONTACT, Turn
from evals.grades import Grade
from evals.table import wilson

DULL = ("blind", "top-1", "symptom")


def share(turns: Sequence[Turn], grade: Grade) -> float:
    """The share of turns with a grade; 0 of none."""
    return sum(turn.graded.grade is grade for turn in turns) / len(turns) if turns else 0.0


def printed_grades(turns: Sequence[Turn], first: Sequence[Turn] = ()) -> str:
    """Markdown: grades by answerer; of the analyst by batch (first contact next to), kind and cause class; and what
    dull answerers get right. `first` are the turns of first contact."""
    analyst = [turn for turn in turns if turn.answerer not in DULL]
    parts = [_answerers(turns, first), _by("batch", analyst, first, lambda turn: turn.conversation.batch)]
    parts.append(_by("kind", analyst, first, _kind))
    parts.append(_by("cause class", analyst, first, _class))
    parts.append(_dull(turns))
    return "\n\n".join(part for part in parts if part)


def _answerers(turns: Sequence[Turn], first: Sequence[Turn]) -> str:
    conversations = {(turn.conversation.batch, turn.conversation.name) for turn in turns or first}
    questions = len({(turn.conversation.batch, turn.conversation.name, turn.turn) for turn in turns or first})
    rows = [_row(name, [turn for turn in turns if turn.answerer == name]) for name in _names(turns)]
    rows += [_row(f"analyst, {FIRST_CONTACT}", first)] if first else []
    head = f"### Five grades: {questions} questions in {len(conversations)} conversations"
    return "\n".join(
        [head, "", f"| |{'|'.join(Grade)}|right|95 % interval|wrong|", f"|---|{'---:|' * (len(Grade) + 3)}", *rows]
    )


def _row(name: str, turns: Sequence[Turn]) -> str:
    counts = [sum(turn.graded.grade is grade for turn in turns) for grade in Grade]
    low, high = wilson(counts[0], len(turns))
    cells = [*map(str, counts), f"{share(turns, Grade.RIGHT):.1%}", f"{low:.1%} to {high:.1%}"]
    return f"|{name}|{'|'.join([*cells, f'{share(turns, Grade.WRONG):.1%}'])}|"


def _by(what: str, analyst: Sequence[Turn], first: Sequence[Turn], key: Callable[[Turn], str]) -> str:
    rows = []
    for name in sorted({key(turn) for turn in (*analyst, *first)}):
        now = [turn for turn in analyst if key(turn) == name]
        then = [turn for turn in first if key(turn) == name]
        rows.append(f"|{name}|{len(now) or len(then)}|{_figures(now)}|{_figures(then)}|")
    head = f"|{what}|questions|right|wrong|right at {FIRST_CONTACT}|wrong at {FIRST_CONTACT}|"
    return "\n".join([head, f"|---|{'---:|' * 5}", *rows])


def _figures(turns: Sequence[Turn]) -> str:
    return f"{share(turns, Grade.RIGHT):.1%}|{share(turns, Grade.WRONG):.1%}" if turns else "not asked|"


def _kind(turn: Turn) -> str:
    of = "sibling" if turn.conversation.sibling else "planted" if turn.conversation.program else "known"
    return f"{of}, {'follow-up' if turn.is_follow_up else 'first question'}"


def _class(turn: Turn) -> str:
    of = turn.conversation.cause or "(no planted fault)"
    return f"{of}, sibling" if turn.conversation.sibling else of


def _dull(turns: Sequence[Turn]) -> str:
    lines = [
        f"- {turn.answerer}: {turn.conversation.batch}/{turn.conversation.name}, {turn.turn}: {turn.question.asked}"
        for turn in turns
        if turn.answerer in DULL and turn.graded.grade is Grade.RIGHT
    ]
    return "\n".join([f"Right without thought, {len(lines)} answers:", "", *lines]) if lines else ""


def first_contact_row(batch: str, first: Sequence[Turn]) -> str:
    """The row of docs/evaluation.md about a batch's first contact."""
    return _row(batch, [turn for turn in first if turn.conversation.batch == batch])


def _names(turns: Sequence[Turn]) -> list[str]:
    return list(dict.fromkeys(turn.answerer for turn in turns))
