"""The arguments of every span at once, as the file has them: JSON texts, for SQL."""

import mmap

import numpy as np

from traces.content_key import content_key
from traces.decompression import unwrapped
from traces.errors import InvalidQuestion
from traces.formats.detection import is_trace
from traces.formats.surrogates import without_half_characters
from traces.formats.trace_event.json_lines import as_array
from traces.model import Int64, Trace

MOST_BYTES = 256 << 20
"""Of all arguments together; those of later spans are left out."""


def argument_texts(data: bytes | memoryview | mmap.mmap, trace: Trace) -> tuple[Int64, list[str], bool]:
    """Spans by number, the text of each one's arguments, and whether some were left out; spans without are not there.
    `data` is the file that the trace was read from. Raises InvalidQuestion (another file)."""
    given = memoryview(data)
    if content_key(given) != trace.content_key:
        raise InvalidQuestion(f"{trace.name}: this is not the file that the trace was read from.")
    content = as_array(unwrapped(given, trace.name, is_trace).content)
    spans: list[Int64] = []
    texts: list[str] = []
    left = MOST_BYTES
    for profile in trace.profiles:
        if profile.spans is None:
            continue
        rows = np.flatnonzero(profile.spans.args_length > 0)
        sizes = profile.spans.args_length[rows].astype(np.int64)
        taken = int(np.searchsorted(np.cumsum(sizes), left, side="right"))
        left -= int(sizes[:taken].sum())
        places = profile.spans.args_offset[rows[:taken]].tolist()
        texts += [_text(content[at : at + size]) for at, size in zip(places, sizes[:taken].tolist(), strict=True)]
        spans.append(rows[:taken].astype(np.int64) + profile.span_base)
        if taken < len(rows):
            return np.concatenate(spans), texts, True
    return np.concatenate(spans) if spans else np.zeros(0, np.int64), texts, False


def _text(said: bytes | memoryview) -> str:
    repaired, halves = without_half_characters(said)
    return bytes(repaired if halves else said).decode("utf-8", "replace")
