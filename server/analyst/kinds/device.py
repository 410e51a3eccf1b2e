"""Questions about a device that computes for the processor: how busy it is, and with which kernels."""

import re
from typing import Any

from server.analyst.evidence import Evidence, busy_of, length_of
from server.analyst.wording import amount, cited_profile, share

DEVICE = re.compile(r"\b(?:gpus?|device|cuda|kernels?|streams?)\b", re.IGNORECASE)
_OF_A_DEVICE = re.compile(r"\bGPU \d+\b|\bstream \d+\b|\bDevice \d+\b")
_HOW_BUSY = re.compile(
    r"\b(?:idle|busy|share|part|fraction|utili[sz]\w*|starv\w*|wait\w*|percent|fed)\b|%", re.IGNORECASE
)
SHOWN = 4


def asks_how_busy(text: str) -> bool:
    """Whether a prompt asks for the share of time in which a device works or does not."""
    return DEVICE.search(text) is not None and _HOW_BUSY.search(text) is not None


def on_device(evidence: Evidence) -> list[str]:
    """How busy the tracks of devices are, the busiest first; nothing where none was recorded."""
    rows: list[dict[str, Any]] = (evidence.summary or {"profiles": []})["profiles"]
    tracks = sorted((row for row in rows if _OF_A_DEVICE.search(row["name"])), key=lambda row: -busy_of(row))
    if not tracks:
        return []
    return [
        f"**The device works for {_of_the_recording(tracks[0])}** on its busiest track, {cited_profile(tracks[0])}.",
        "\n".join(f"- {cited_profile(row)}: {_of_the_recording(row)}" for row in tracks[1:SHOWN]),
    ]


def _of_the_recording(row: dict[str, Any]) -> str:
    """`65.2 ms, 0.2% of the recording, and is idle 99.8%`."""
    busy, length = busy_of(row), length_of(row)
    if not length:
        return amount(busy, row["unit"])
    part = busy / length
    return f"{amount(busy, row['unit'])}, {share(part)} of the recording, and is idle {share(1 - part)}"
