"""What becomes of sentences, to the letter: `golden/marks.txt` has them by recording, and below each a line for every
check: its kind and claim, its place in the sentence, what it came to, and why.

`python -m tests.server.agent.verification.written_marks` writes the checks anew; look at them before they are kept.
"""

import sys
from functools import cache
from pathlib import Path

from evals.claims.marking import marked
from evals.claims.statements import Statement, read_statements
from server.protocol.wire_values import Check

MARKS = Path(__file__).parent / "golden" / "marks.txt"
TRACE, SENTENCE = "=== ", "- "


@cache
def written() -> dict[str, dict[str, list[str]]]:
    """By recording and sentence the lines of its checks."""
    found: dict[str, dict[str, list[str]]] = {}
    trace = sentence = ""
    for line in MARKS.read_text(encoding="utf-8").splitlines():
        if line.startswith(TRACE):
            trace = line.removeprefix(TRACE)
            found[trace] = {}
        elif line.startswith(SENTENCE):
            sentence = line.removeprefix(SENTENCE)
            found[trace][sentence] = []
        elif line:
            found[trace][sentence].append(line.strip())
    return found


def line_of(check: Check) -> str:
    why = check.how or check.actual or "-"
    return f"{check.kind} {check.claim!r} {check.start}-{check.end}: {check.status}, {why}, {check.address or '-'}"


def marks_of(trace: str) -> dict[str, list[str]]:
    """What is made of the sentences of a recording now."""
    known = {(one.trace, one.text): one for one in read_statements()}
    statements: list[Statement] = [known[trace, sentence] for sentence in written()[trace]]
    return {one.statement.text: [line_of(check) for check in one.checks] for one in marked(statements)}


def main() -> int:
    lines = []
    for trace in written():
        lines.append(f"{TRACE}{trace}")
        for sentence, checks in marks_of(trace).items():
            lines += [f"{SENTENCE}{sentence}", *(f"  {check}" for check in checks)]
        lines.append("")
    MARKS.write_text("\n".join(lines), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
