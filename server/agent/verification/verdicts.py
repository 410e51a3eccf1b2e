"""What can become of one claim."""

from dataclasses import dataclass
from typing import Literal

Status = Literal["verified", "derived", "contradicted", "unchecked", "not_found"]


@dataclass(frozen=True, slots=True)
class Verification:
    """`call` returned it, `how` says from what it follows or why it is open, `actual` what the trace says instead."""

    status: Status
    call: str | None = None
    how: str | None = None
    actual: str | None = None

    @property
    def is_proven(self) -> bool:
        return self.status in ("verified", "derived")

    @property
    def is_decided(self) -> bool:
        return self.is_proven or self.status == "contradicted"


NOT_FOUND = Verification("not_found")
UNCHECKED = Verification("unchecked")
LATE = Verification("unchecked", how="there was no time left to look it up")
NOT_MEASURED = "the trace does not say this of"
"""How a verdict begins where nothing measures what a sentence says of a function."""
AMBIGUOUS = Verification("unchecked", how="its sentence may be read in another way")
"""The most obvious reading is wrong, another one right: no other figures and no address make it hold."""
