"""`python -m evals.claims`, or `make eval EVAL=--claims`: marks of true and false statements; ends with 1 when a bound
is not kept, or when a dull checker keeps them all."""

import argparse
import logging
import sys
import time
from collections.abc import Sequence

import structlog

from evals.claims.known_facts import recording
from evals.claims.marking import Link, Mark, Marked, always, marked
from evals.claims.marks_table import broken, printed_marks
from evals.claims.statements import read_statements

WAYS: tuple[tuple[str, Link | None], ...] = (
    ("by rules", None),
    ("by reference, linked to what they say that it is", "claimed"),
    ("by reference, linked to where the figure is from", "source"),
)
DULL = (("all unchecked", Mark.UNCHECKED), ("all verified", Mark.CERTIFIED))


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m evals.claims", description="Mark statements known to be so or not."
    )
    parser.add_argument("--missed", action="store_true", help="list what the open part's marks miss")
    chosen = parser.parse_args(arguments)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    statements, began = read_statements(), time.monotonic()
    failed: list[str] = []
    for title, link in WAYS:
        found = list(marked(statements, link))
        print(f"{printed_marks(title, found)}\n")
        failed += [f"{title}: {one}" for one in broken(found, is_of_address=link == "source")]
        if chosen.missed:
            print("\n".join([*missed(found), ""]))
    passed_by = [name for name, mark in DULL if not broken(list(always(mark)(statements)))]
    print(f"bounds not kept: {'; '.join(failed) or 'none'}")
    print(f"dull checkers that keep them: {', '.join(passed_by) or 'none'}")
    absent = [one for one in statements if not recording(one.trace).exists()]
    if absent:
        print(f"{len(absent)} are left out: their recordings are not here (FLAMECHAT_SHARED)")
    print(f"{len(statements) - len(absent)} statements in {time.monotonic() - began:.0f} s")
    return int(bool(failed or passed_by))


def missed(found: Sequence[Marked]) -> list[str]:
    """Statements of the open part whose mark does not fit, with the checks."""
    lines = []
    for one in found:
        statement, mark = one.statement, one.mark
        right = Mark.CERTIFIED if statement.is_true else Mark.CONTRADICTED
        if not statement.is_unseen and mark is not (right if statement.is_decidable else Mark.UNCHECKED):
            checks = "; ".join(f"{c.kind} {c.claim!r} {c.status} {c.how or c.actual or ''}" for c in one.checks)
            lines.append(
                f"{statement.is_true} {mark} {statement.kind} {statement.trace[:9]}: {statement.text}\n    {checks}"
            )
    return lines


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
