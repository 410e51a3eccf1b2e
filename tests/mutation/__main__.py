"""`python -m tests.mutation SEED [--points 60] [--part 1/3]`: change the product at random points, one at a time, and
see whether the tests of the changed module notice.

Lines have equal chances, over all rooms. Each mutant meets its module's own tests, which are those that the module's
path leads to (`tests/mutation/selection.py`), then, if these pass, those elsewhere that import the module, and those
around it. The rate is of what its own tests kill. A mutant that no test can meet has survived. Unjudged is what no test
passes in time without the mutation, or what cannot be imported, which any test would find; the rates are of those
judged, without those that change nothing observable.
"""

import argparse
import random
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

from tests.mutation.copied_tree import CopiedTree, Outcome
from tests.mutation.points import Point, points_of
from tests.mutation.selection import Selection
from tests.mutation.unobservable import UNOBSERVABLE

ROOT = Path(__file__).parents[2]
MUTANT_S = 150
"""Bounds a run of some of the tests of a mutant."""

AT_ONCE = 6
"""Files of tests in a run, after the first."""

NO_TEST = "survived (no test)"
NO_IMPORT = "unjudged (not imported)"
OWN, IMPORTING, AROUND = "own tests", "importing tests", "tests around"


def drawn(points: Iterable[Point], seed: int, count: int) -> list[Point]:
    """Points at lines drawn evenly, each line at most once. A line's chance comes from the seed, its path and its text:
    code that is added or changed elsewhere moves no point."""
    by_line: defaultdict[tuple[Path, int], list[Point]] = defaultdict(list)
    for point in points:
        by_line[point.path, point.line].append(point)
    alike: Counter[tuple[Path, str]] = Counter()
    chances = []
    for (path, line), of_line in sorted(by_line.items()):
        code = path, of_line[0].code
        alike[code] += 1
        chance = random.Random(f"{seed} {path.as_posix()} {of_line[0].code} {alike[code]}")
        chances.append((chance.random(), path, line, chance.choice(of_line)))
    return [point for *_, point in sorted(chances, key=lambda drawn: drawn[:3])[:count]]


class Judge:
    """Runs tests with a mutation, and without it those files that noticed it: what fails anyway proves nothing."""

    def __init__(self, tree: CopiedTree, selection: Selection, *, own_alone: bool = False) -> None:
        self._tree = tree
        circles = [(OWN, selection.own), (IMPORTING, selection.importing), (AROUND, selection.around)]
        self._circles = circles[:1] if own_alone else circles
        self._is_green: dict[Path, bool] = {}

    def judged(self, point: Point) -> str:
        """The file that its path leads to is asked alone at first: that kills most, and five others need not be
        collected."""
        verdicts = []
        for which, of_module in self._circles:
            tests = of_module(point.path)
            later = (tests[start : start + AT_ONCE] for start in range(1, len(tests), AT_ONCE))
            for some in (tests[:1], *later):
                verdicts.append(self._met(point, some, which))
                if verdicts[-1].startswith("killed") or verdicts[-1] == NO_IMPORT:
                    return verdicts[-1]
        return next((verdict for verdict in verdicts if verdict != NO_TEST), NO_TEST)

    def _met(self, point: Point, tests: list[Path], which: str) -> str:
        tests = [test for test in tests if self._is_green.get(test, True)]
        while tests:
            source = (self._tree.folder / point.path).read_bytes()
            with self._tree.changed(point.path, point.applied(source)):
                outcome, printed = self._tree.run(tests, within_s=MUTANT_S)
            match outcome:
                case Outcome.PASSED:
                    return "survived"
                case Outcome.LATE:
                    return "unjudged (late)"
                case Outcome.NOTHING:
                    return NO_TEST
                case Outcome.FAILED:
                    pass
            failure = _first_failure(printed)
            noticed = next((test for test in tests if failure.startswith(str(test))), tests[0])
            if self._passes(noticed):
                if "::" not in failure:
                    return NO_IMPORT
                return f"killed by {which} ({failure})"
            tests = [test for test in tests if test != noticed]
        return NO_TEST

    def _passes(self, test: Path) -> bool:
        """Whether a file's tests pass without a mutation."""
        if test not in self._is_green:
            outcome, _ = self._tree.run([test], within_s=MUTANT_S)
            self._is_green[test] = outcome is Outcome.PASSED
            if outcome is not Outcome.PASSED:
                sys.stdout.write(f"  {test} is {outcome} without a mutation: left out\n")
        return self._is_green[test]


def _first_failure(printed: str) -> str:
    """As pytest's summary names it; records of logs may begin with the same word."""
    found = re.search(r"^(?:FAILED|ERROR) (tests/.+?)(?: - .*)?$", printed, re.MULTILINE)
    return found[1] if found else "not collected"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("seed", type=int)
    parser.add_argument("--points", type=int, default=60)
    parser.add_argument("--part", default="1/1", help="N/M: the Nth of M parts of the points")
    parser.add_argument(
        "--only", default="", help="points whose `path:line` contains one of these, by commas; of all drawn"
    )
    parser.add_argument("--own", action="store_true", help="leave out the tests elsewhere, which only survivors meet")
    chosen = parser.parse_args()
    selection = Selection(ROOT)
    modules = selection.modules.values()
    changes = (point for path in modules for point in points_of(path, (ROOT / path).read_bytes()))
    points = drawn(changes, chosen.seed, chosen.points)
    number, of = map(int, chosen.part.split("/"))
    names = chosen.only.split(",")
    points = [
        point for point in points[number - 1 :: of] if any(name in f"{point.path}:{point.line} " for name in names)
    ]
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        tree = CopiedTree(ROOT, Path(folder).resolve())
        tree.check()
        judge = Judge(tree, selection, own_alone=chosen.own)
        for point in points:
            reason = UNOBSERVABLE.get((str(point.path), point.code, point.old, point.new))
            verdict = f"unobservable: {reason}" if reason else judge.judged(point)
            counts[verdict.split(" (")[0].split(":")[0]] += 1
            sys.stdout.write(f"{verdict}\n    {point}\n")
            sys.stdout.flush()
    own, killed = counts[f"killed by {OWN}"], sum(counts[f"killed by {which}"] for which in (OWN, IMPORTING, AROUND))
    judged = killed + counts["survived"]
    sys.stdout.write(f"seed {chosen.seed}, part {chosen.part}: {dict(counts)}\n")
    if judged:
        sys.stdout.write(
            f"{own} of {judged} judged were killed by their own tests: {100 * own / judged:.0f} %; "
            f"with those elsewhere, {killed}: {100 * killed / judged:.0f} %\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
