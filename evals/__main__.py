"""`make eval`, or `python -m evals [--model NAME] [--runs 3] [--only PART] ...`; ends with 1 when a case failed.

Without a model only the built-in analyst is asked: it needs no key and no network. `--model` asks that model too (of
the endpoint in the settings, docs/settings.md), with the tools and with a text dump instead of them.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from evals.case import BadCase, read_cases
from evals.claims.__main__ import main as claims
from evals.conditions import Condition, NoPictures, WithDump, WithTools
from evals.running import Graded, graded
from evals.table import Prices, printed
from server.adapters.in_process.workers import InlineTraceWorkers
from server.agent.model_call.offered_models import ANALYST
from server.composing.agent import build_agent, build_models
from server.errors import ServerError
from server.settings import load_settings


def main(arguments: Sequence[str]) -> int:
    if "--claims" in arguments:
        return claims([one for one in arguments if one != "--claims"])
    chosen = _parser().parse_args(arguments)
    began = time.monotonic()
    try:
        rows = asyncio.run(_rows(chosen))
    except (BadCase, ServerError) as error:
        sys.stderr.write(f"evals: {error}\n")
        return 2
    if chosen.failures is not None:
        chosen.failures.write_text(_failed(rows), encoding="utf-8")
    if chosen.json is not None:
        chosen.json.write_text(json.dumps([_row(row) for row in rows], indent=1, ensure_ascii=False), encoding="utf-8")
    print(printed(rows, None if chosen.prices is None else Prices(*chosen.prices)))
    print(f"\n{len(rows)} answers in {time.monotonic() - began:.0f} s")
    return int(any(not row.passed for row in rows))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m evals", description="Ask questions with known answers.")
    parser.add_argument("--model", help="ask this model too, of the endpoint in the settings")
    parser.add_argument("--runs", type=int, default=3, help="how often a model is asked each question (3)")
    parser.add_argument("--only", help="cases whose name holds this")
    parser.add_argument("--prices", type=float, nargs=2, metavar=("IN", "OUT"), help="dollars for a million tokens")
    parser.add_argument(
        "--failures", type=Path, metavar="FILE", help="write what failed, with the answers, as Markdown"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every run")
    parser.add_argument("--claims", action="store_true", help="mark the statements of evals/claims instead")
    return parser


async def _rows(chosen: argparse.Namespace) -> list[Graded]:
    cases = read_cases(chosen.only)
    if not cases:
        raise BadCase(f"no case is called {chosen.only!r}")
    rows = []
    async for row in graded(cases, conditions(chosen.model, chosen.runs)):
        sys.stderr.write(f"{'pass' if row.passed else 'FAIL'} {row.condition} {row.case.name}\n")
        for why in row.failures:
            sys.stderr.write(f"     {why}\n")
        rows.append(row)
    return rows


def conditions(model: str | None, runs: int) -> list[Condition]:
    """The analyst, and a model with and without tools when one is named. Raises ConfigError."""
    settings, workers = load_settings(model=model), InlineTraceWorkers()
    agent = build_agent(settings, workers=workers, pictures=NoPictures())
    found: list[Condition] = [WithTools("built-in analyst", agent, workers, ANALYST)]
    if model is not None:
        found.append(WithTools(f"{model} with tools", agent, workers, model, runs))
        found.append(WithDump(f"{model} with a text dump, no tools", build_models(settings), model, runs))
    return found


def _failed(rows: Sequence[Graded]) -> str:
    parts = []
    for row in rows:
        if not row.passed:
            why = "\n".join(f"- {one}" for one in row.failures)
            said = "\n".join(f"> {line}" for line in (row.answer.text or row.answer.error or "").splitlines())
            trace = row.case.trace or f"made: {row.case.made}"
            parts.append(
                f"## {row.case.name} ({row.case.kind}, {row.format}, {row.condition})\n\n{trace}\n\n"
                f"Asked: {row.case.prompt}\n\n{row.case.why}\n\nMissing or wrong:\n{why}\n\n{said}"
            )
    return "\n\n".join(parts) + "\n"


def _row(row: Graded) -> dict[str, object]:
    answer = asdict(row.answer)
    answer["checks"] = [one.model_dump() for one in row.answer.checks]
    answer["citations"] = [one.model_dump() for one in row.answer.citations]
    return {
        "case": row.case.name,
        "kind": row.case.kind,
        "format": row.format,
        "condition": row.condition,
        "passed": row.passed,
        "failures": row.failures,
        "answer": answer,
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
