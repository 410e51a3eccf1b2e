"""The findings of small traces as `golden/findings.txt` has them, to the letter: figures, places, severity, share,
window. By hand where a detector changes: a paragraph each, as `described` writes it.
"""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.traces.insights.test_detectors import CASES, Case
from traces.insights.insight import Detector, Evidence, Insight
from traces.insights.registry import insight

FINDINGS = Path(__file__).parent / "golden" / "findings.txt"


@cache
def written() -> dict[str, str]:
    texts = FINDINGS.read_text(encoding="utf-8").strip().split("\n\n")
    return {text.partition("\n")[0]: text for text in texts}


def cases_of(detectors: Iterable[Detector]) -> list[Any]:
    """The cases of some detectors, as parameters of a test of the module that has them."""
    names = {one.id for one in detectors}
    return [pytest.param(case, id=case.id) for case in CASES if case.id in names]


def assert_as_written(case: Case) -> None:
    """What is found in the trace that has it, and why it is not in the one that nearly has it."""
    assert described(insight(case.has(), case.id), insight(case.nearly(), case.id)) == written()[case.id]


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
