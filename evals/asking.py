"""Asking conversations of answerers, and grading what they say."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from evals.dull_talkers import Talker
from evals.first_contact import answers_of, stored_answers
from evals.grades import Graded, grade
from evals.questions import Conversation, Question

FIRST_CONTACT = "first contact"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One graded answer: the `turn`th question (from 1) of a conversation, by `answerer`."""

    conversation: Conversation
    turn: int
    answerer: str
    text: str
    graded: Graded

    @property
    def question(self) -> Question:
        return self.conversation.turns[self.turn - 1]

    @property
    def is_follow_up(self) -> bool:
        return self.turn > 1


def graded_turns(conversation: Conversation, answerer: str, answers: Sequence[str]) -> list[Turn]:
    """The conversation's turns with the grades of these answers, one a question."""
    return [
        Turn(conversation=conversation, turn=number, answerer=answerer, text=text, graded=grade(question, text))
        for number, (question, text) in enumerate(zip(conversation.turns, answers, strict=True), 1)
    ]


async def asked(conversations: Sequence[Conversation], talkers: Sequence[Talker]) -> AsyncIterator[list[Turn]]:
    """Every conversation of every answerer, one after another. Raises BadCase."""
    for conversation in conversations:
        for talker in talkers:
            yield graded_turns(conversation, talker.name, await talker.answers(conversation))


def first_contact(conversations: Sequence[Conversation]) -> list[Turn]:
    """The turns of batches that have been asked once, with the grades of those first answers. Raises BadCase."""
    found: list[Turn] = []
    for batch in dict.fromkeys(one.batch for one in conversations):
        stored = stored_answers(batch)
        if stored is not None:
            for conversation in conversations:
                if conversation.batch == batch:
                    found += graded_turns(conversation, FIRST_CONTACT, answers_of(conversation, stored))
    return found
