"""What reading the recordings of a fleet comes to."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchDone:
    """Files by what came of them: `read`, the `same` bytes as another one, `refused` with a reason in the table of
    files, `known` from an earlier run."""

    read: int = 0
    same: int = 0
    refused: int = 0
    known: int = 0
