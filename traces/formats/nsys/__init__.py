"""Nsight Systems' exports."""

from traces.formats.format import CALLS, RUNNING, Format
from traces.formats.head import Head


def looks_like_nsys(head: Head) -> bool:
    """A database whose schema, on its first pages, names tables of Nsight Systems."""
    return head.data.startswith(b"SQLite format 3\0") and b"StringIds" in head.data


NSYS = Format("nsys", "Nsight Systems exports (SQLite)", looks_like_nsys, __name__, (RUNNING, CALLS), threads=True)
