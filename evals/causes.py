"""`python -m evals.causes`: how many planted causes the detectors find, by class, and what they claim falsely.

Found: of a planted program some finding claims its class (`Insight.cause`). False: on its sibling some finding claims
that class, or on a recording of `known_causes.toml` one that is not listed there. `--list` names what is missed and
what is false.
"""

import argparse
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evals.questions import file_of, read_batches
from traces.insights.insight import Confidence
from traces.insights.registry import insights, ranked
from traces.reader import read_trace

KNOWN = Path(__file__).with_name("known_causes.toml")
PROGRAMS = Path(__file__).with_name("programs")


@dataclass(frozen=True, slots=True)
class Recording:
    """`cause` is the class of the planted fault, `planted` whether the fault is in it; `claims` are the classes that
    findings claim, and `sure` those that one of high confidence claims."""

    name: str
    cause: str
    planted: bool
    claims: frozenset[str]
    sure: frozenset[str]


def recordings() -> Iterator[Recording]:
    """Planted programs and their siblings. Raises BadCase."""
    causes = {one.program: str(one.cause) for one in read_batches() if one.program}
    for program, cause in sorted(causes.items()):
        for path in sorted((PROGRAMS / program).glob("*.gz")):
            claims, sure = _claims(path)
            yield Recording(f"{program}/{path.name}", cause, path.name.startswith("fault"), claims, sure)


def false_claims() -> tuple[int, list[str]]:
    """How many recordings without a planted fault of the batches there are, and their false claims, one a line."""
    known: dict[str, list[str]] = tomllib.loads(KNOWN.read_text(encoding="utf-8"))
    found = []
    for trace, allowed in known.items():
        claims, _ = _claims(file_of(trace))
        found += [f"{trace}: {cause}" for cause in sorted(claims - set(allowed))]
    return len(known), found


def _claims(path: Path) -> tuple[frozenset[str], frozenset[str]]:
    found = [one for one in ranked(insights(read_trace(path.read_bytes(), name=path.name))) if one.cause]
    every = frozenset(one.cause for one in found if one.cause)
    return every, frozenset(one.cause for one in found if one.cause and one.confidence is Confidence.HIGH)


def printed_causes(found: Sequence[Recording], others: int, false: Sequence[str]) -> str:
    """The table as Markdown."""
    by_class: dict[str, list[Recording]] = defaultdict(list)
    for one in found:
        by_class[one.cause].append(one)
    lines = ["|cause|planted|found|siblings|claimed of siblings|", f"|---|{'---:|' * 4}"]
    lines += [_row(cause, by_class[cause]) for cause in sorted(by_class)]
    lines.append(_row("all", found))
    sure = sum(bool(one.sure & {one.cause}) for one in found if not one.planted)
    lines += [
        "",
        f"Of {others} other recordings {len(false)} claims are false; of the siblings {sure} with high confidence.",
    ]
    return "\n".join(lines)


def _row(cause: str, found: Sequence[Recording]) -> str:
    planted = [one for one in found if one.planted]
    siblings = [one for one in found if not one.planted]
    right = sum(one.cause in one.claims for one in planted)
    wrong = sum(one.cause in one.claims for one in siblings)
    return f"|{cause}|{len(planted)}|{right}|{len(siblings)}|{wrong}|"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m evals.causes", description="Planted causes that are found.")
    parser.add_argument("--list", action="store_true", help="name what is missed and what is false")
    chosen = parser.parse_args(arguments)
    found = list(recordings())
    others, false = false_claims()
    print(printed_causes(found, others, false))
    if chosen.list:
        missed = [f"missed: {one.name}: {one.cause}" for one in found if one.planted and one.cause not in one.claims]
        claimed = [f"false: {one.name}: {one.cause}" for one in found if not one.planted and one.cause in one.claims]
        print("\n".join(["", *missed, *claimed, *(f"false: {one}" for one in false)]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
