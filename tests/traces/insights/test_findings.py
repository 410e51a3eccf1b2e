"""What each detector says of a small trace, to the letter: figures, places, severity, share and window."""

from pathlib import Path

import pytest

from tests.traces.insights.test_detectors import BY_ID, CASES, Case
from traces.insights.insight import Evidence, Insight
from traces.insights.registry import insight

FINDINGS = Path(__file__).parent / "golden" / "findings.txt"
"""By hand where a detector changes: a paragraph each, as `described` writes it."""


def described(found: Insight, passing: Insight) -> str:
    about = [f"{found.severity}", f"{found.confidence}", f"profile {found.profile}"]
    if found.share is not None:
        about.append(f"share {found.share:.6g}")
    if found.window is not None:
        about.append(f"window {found.window.start:.0f} to {found.window.end:.0f}")
    places = [f"  {one.handle} {one.name}: {one.value}{_part(one)}" for one in found.evidence]
    detail = found.said(lambda evidence: f"[{evidence.name}]")
    return "\n".join([found.id, ", ".join(about), detail, *places, f"nearly: {passing.detail}"])


def _part(evidence: Evidence) -> str:
    return "" if evidence.share is None else f", {evidence.share:.6g}"


@pytest.mark.parametrize("case", BY_ID)
def test_a_finding_says_what_it_found_and_where(case: Case) -> None:
    written = {text.partition("\n")[0]: text for text in FINDINGS.read_text(encoding="utf-8").strip().split("\n\n")}
    assert described(insight(case.has(), case.id), insight(case.nearly(), case.id)) == written[case.id]


def test_every_case_is_written_once() -> None:
    texts = FINDINGS.read_text(encoding="utf-8").strip().split("\n\n")
    assert [text.partition("\n")[0] for text in texts] == [case.id for case in CASES]
