"""`python -m evals.both_executors --langgraph URL [--model NAME] [--only PART]`: every case and conversation asked
twice, with the graph in this process and on a LangGraph server, and each answer's grade here and there.

The server at the URL is one with our graph (docs/runs.md) and the same models as the settings of this process: without
`--model` none, so that the built-in analyst answers. Ends with 1 where a grade differs.
"""

import argparse
import asyncio
import json
import logging
import sys
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import structlog
from langgraph.checkpoint.memory import InMemorySaver

from evals.asking import graded_turns
from evals.case import BadCase, Case, read_cases
from evals.conditions import Condition, WithTools
from evals.graders import failures
from evals.over_langgraph import KeptPictures, langgraph_agent
from evals.questions import Conversation, left_out, read_batches
from evals.running import trace_of
from evals.talking import Talking
from server.adapters.in_process.workers import InlineTraceWorkers
from server.agent.model_call.offered_models import ANALYST
from server.composing.agent import build_agent
from server.errors import ServerError
from server.settings import load_settings
from traces.model import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """`calls` are the tools that were called, by name: those of one round end in any order. Of a conversation they are
    not known."""

    grade: str
    why: tuple[str, ...]
    text: str
    calls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A case, or one question of a conversation: what came of it in this process and there."""

    name: str
    answerer: str
    here: Outcome
    there: Outcome

    @property
    def has_same_grade(self) -> bool:
        return (self.here.grade, self.here.why) == (self.there.grade, self.there.why)

    @property
    def has_same_answer(self) -> bool:
        return (self.here.text, self.here.calls) == (self.there.text, self.there.calls)


async def compared_cases(
    cases: Sequence[Case], here: Condition, there: Condition, answerer: str
) -> AsyncIterator[Compared]:
    """Each case asked of both."""
    for case in cases:
        trace = trace_of(case)
        yield Compared(
            name=case.name,
            answerer=answerer,
            here=await _case_outcome(case, trace, here),
            there=await _case_outcome(case, trace, there),
        )


async def _case_outcome(case: Case, trace: Trace, condition: Condition) -> Outcome:
    answer = await condition.ask(trace, case.prompt)
    why = tuple(failures(case, answer))
    return Outcome(
        grade="fail" if why else "pass",
        why=why,
        text=answer.error or answer.text,
        calls=tuple(sorted(call.tool for call in answer.calls)),
    )


async def compared_conversations(
    conversations: Sequence[Conversation], here: Talking, there: Talking, answerer: str
) -> AsyncIterator[Compared]:
    """Each question of each conversation asked of both. Raises BadCase."""
    for conversation in conversations:
        turns = [graded_turns(conversation, answerer, await talking.answers(conversation)) for talking in (here, there)]
        for of_here, of_there in zip(*turns, strict=True):
            yield Compared(
                name=f"{conversation.batch}/{conversation.name}, {of_here.turn}",
                answerer=answerer,
                here=Outcome(grade=of_here.graded.grade, why=of_here.graded.why, text=of_here.text),
                there=Outcome(grade=of_there.graded.grade, why=of_there.graded.why, text=of_there.text),
            )


async def compared(
    url: str, model: str | None, cases: Sequence[Case], conversations: Sequence[Conversation]
) -> AsyncIterator[Compared]:
    """All of them, asked of the analyst or of the model. Raises BadCase, ConfigError."""
    workers, answerer = InlineTraceWorkers(), model or ANALYST
    at_home = build_agent(
        load_settings(model=model), workers=workers, pictures=KeptPictures(), checkpoints=InMemorySaver
    )
    async with langgraph_agent(url, workers, model) as away:
        here, there = (WithTools(answerer, agent, workers, answerer) for agent in (at_home, away))
        async for one in compared_cases(cases, here, there, answerer):
            yield one
    async for one in compared_conversations(conversations, Talking(model), Talking(model, url), answerer):
        yield one


def summary(rows: Iterable[Compared]) -> str:
    """How many were compared and how many differ, by answerer, and each that differs."""
    lines: list[str] = []
    by_answerer: dict[str, list[Compared]] = {}
    for row in rows:
        by_answerer.setdefault(row.answerer, []).append(row)
    for answerer, of_it in by_answerer.items():
        grades = [one for one in of_it if not one.has_same_grade]
        answers = [one for one in of_it if not one.has_same_answer]
        lines.append(
            f"{answerer}: {len(of_it)} compared, {len(grades)} with another grade, {len(answers)} with another answer"
        )
        lines += [f"  {one.name}: {one.here.grade} here, {one.there.grade} there" for one in grades]
        lines += [f"  {one.name}: another answer" for one in answers if one.has_same_grade]
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    chosen = _parser().parse_args(arguments)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    try:
        rows = asyncio.run(_rows(chosen))
    except (BadCase, ServerError) as error:
        sys.stderr.write(f"evals: {error}\n")
        return 2
    if absent := left_out(chosen.only):
        print(f"left out: {len(absent)} conversations, as FLAMECHAT_SHARED does not have their recordings")
    print(summary(rows))
    return int(any(not row.has_same_grade for row in rows))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m evals.both_executors")
    parser.add_argument("--langgraph", required=True, metavar="URL", help="the LangGraph server with our graph")
    parser.add_argument("--model", help="ask this model of the settings' endpoint instead of the analyst")
    parser.add_argument("--only", help="cases, and conversations whose batch/name, with this in it")
    parser.add_argument("--seen", type=Path, metavar="FILE", help="add each line here, and leave out what is there")
    return parser


async def _rows(chosen: argparse.Namespace) -> list[Compared]:
    seen = [] if chosen.seen is None else read_compared(chosen.seen)
    names = {row.name for row in seen if row.answerer == (chosen.model or ANALYST)}
    cases = [one for one in read_cases(chosen.only) if one.name not in names]
    conversations = [one for one in read_batches(chosen.only) if f"{one.batch}/{one.name}, 1" not in names]
    rows = list(seen)
    async for row in compared(chosen.langgraph, chosen.model, cases, conversations):
        sys.stderr.write(f"{'same' if row.has_same_grade else 'DIFFERS'} {row.answerer} {row.name}\n")
        if chosen.seen is not None:
            add_compared(chosen.seen, row)
        rows.append(row)
    return rows


def read_compared(file: Path) -> list[Compared]:
    """What was compared before; nothing where there is no such file."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    return [_compared(json.loads(line)) for line in lines]


def add_compared(file: Path, row: Compared) -> None:
    """One more line of JSON."""
    with file.open("a", encoding="utf-8") as adding:
        adding.write(json.dumps(asdict(row), ensure_ascii=False) + "\n")


def _compared(written: dict[str, Any]) -> Compared:
    here, there = (
        Outcome(**{**written[place], "why": tuple(written[place]["why"]), "calls": tuple(written[place]["calls"])})
        for place in ("here", "there")
    )
    return Compared(name=written["name"], answerer=written["answerer"], here=here, there=there)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
