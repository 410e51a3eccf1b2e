"""Names of many functions at once."""

from traces.model import Int64, Trace

ALL_FROM = 4
"""Decoding a name alone takes about so many times as long as one among all."""


def names_of(trace: Trace, frames: Int64) -> list[str]:
    """The names of some frames; all of the trace's are decoded where these are a large part of them."""
    if ALL_FROM * len(frames) >= len(trace.frames):
        return [trace.frame_names[frame] for frame in frames.tolist()]
    return [trace.frame_name(frame) for frame in frames.tolist()]
