"""`python -m evals.talks`: the conversations of evals/batches, asked of the built-in analyst and of three dull
answerers, with the table of five grades. `--first BATCH` asks a batch for the first time and stores what was answered.
"""

import argparse
import asyncio
import json
import logging
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import structlog

from evals.asking import FIRST_CONTACT, Turn, asked, first_contact
from evals.case import BadCase
from evals.dull_talkers import Analyst, Blind, Symptom, Talker, TopFunction
from evals.first_contact import store
from evals.grades import Grade, opening
from evals.grades_table import printed_grades
from evals.questions import Conversation, left_out, read_batches
from evals.talking import Talking

SHOWN = ("analyst", FIRST_CONTACT)
"""Whose answers are worth reading."""


def main(arguments: Sequence[str]) -> int:
    chosen = _parser().parse_args(arguments)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    began = time.monotonic()
    try:
        if chosen.first is not None:
            asyncio.run(_ask_first(chosen.first, chosen.commit))
            return 0
        conversations = read_batches(chosen.only)
        if absent := left_out(chosen.only):
            print(f"left out: {len(absent)} conversations, as FLAMECHAT_SHARED does not have their recordings")
        if not conversations:
            raise BadCase(f"no conversation is called {chosen.only!r}")
        turns = [] if chosen.stored else asyncio.run(_turns(conversations, chosen.model))
        first = first_contact(conversations)
    except BadCase as error:
        sys.stderr.write(f"evals: {error}\n")
        return 2
    if chosen.answers is not None:
        chosen.answers.write_text(listed([*turns, *first] if chosen.stored else turns), encoding="utf-8")
    if chosen.json is not None:
        chosen.json.write_text(
            json.dumps([_row(turn) for turn in turns], ensure_ascii=False, indent=1), encoding="utf-8"
        )
    print(printed_grades(turns, first))
    print(f"\n{len(turns)} answers in {time.monotonic() - began:.0f} s")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m evals.talks", description="Ask conversations with known answers.")
    parser.add_argument("--only", help="conversations whose batch/name has this in it")
    parser.add_argument("--model", help="ask this model of the settings' endpoint instead of the analyst")
    parser.add_argument("--stored", action="store_true", help="ask nobody: grade the answers of first contact")
    parser.add_argument("--first", metavar="BATCH", help="ask a new batch and store its answers")
    parser.add_argument("--commit", default="", help="of the analyst, for --first")
    parser.add_argument(
        "--answers", type=Path, metavar="FILE", help="write the analyst's answers, worst first, as Markdown"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every answer with its grade")
    return parser


async def _turns(conversations: Sequence[Conversation], model: str | None) -> list[Turn]:
    talking = Talking(model)
    talkers: list[Talker] = [Analyst(talking, model or "analyst")]
    if model is None:
        talkers += [Blind(talking), TopFunction(), Symptom()]
    return [turn async for turns in asked(conversations, talkers) for turn in turns]


async def _ask_first(batch: str, commit: str) -> None:
    analyst, answers = Analyst(Talking()), {}
    for conversation in read_batches():
        if conversation.batch == batch:
            answers[conversation.name] = await analyst.answers(conversation)
    if not answers:
        raise BadCase(f"there is no batch called {batch!r}")
    store(batch, answers, commit=commit, day=datetime.now(UTC).date().isoformat())


def listed(turns: Sequence[Turn]) -> str:
    """The analyst's answers that are not right, worst grade first, with what they lack."""
    parts = []
    for grade in reversed(Grade):
        for turn in turns:
            if turn.graded.grade is grade and grade is not Grade.RIGHT and turn.answerer in SHOWN:
                name = f"{turn.conversation.batch}/{turn.conversation.name}, {turn.turn}"
                why = "\n".join(f"- {one}" for one in turn.graded.why)
                parts.append(f"## {grade}: {name}\n\nAsked: {turn.question.asked}\n\n> {opening(turn.text)}\n\n{why}\n")
    return "\n".join(parts)


def _row(turn: Turn) -> dict[str, object]:
    return {
        "conversation": f"{turn.conversation.batch}/{turn.conversation.name}",
        "turn": turn.turn,
        "asked": turn.question.asked,
        "answerer": turn.answerer,
        "grade": turn.graded.grade,
        "why": turn.graded.why,
        "answer": turn.text,
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
