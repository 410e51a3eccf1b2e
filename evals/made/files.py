"""Files in public formats, written by hand from stacks."""

import json
from collections.abc import Sequence

Made = tuple[str, bytes]
"""A file's name and its bytes."""
Sample = tuple[Sequence[str], int]
"""A stack, root first, and its weight in milliseconds."""


def speedscope(name: str, threads: dict[str, Sequence[Sample]]) -> Made:
    """A sampled profile for each thread. Format: speedscope's file-format schema."""
    frames: dict[str, int] = {}
    profiles = []
    for thread, samples in threads.items():
        stacks = [[frames.setdefault(frame, len(frames)) for frame in stack] for stack, _ in samples]
        weights = [weight for _, weight in samples]
        profiles.append(
            {
                "type": "sampled",
                "name": thread,
                "unit": "milliseconds",
                "startValue": 0,
                "endValue": sum(weights),
                "samples": stacks,
                "weights": weights,
            }
        )
    document = {
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": {"frames": [{"name": frame} for frame in frames]},
        "profiles": profiles,
    }
    return f"{name}.speedscope.json", json.dumps(document).encode()


def collapsed(name: str, samples: Sequence[Sample]) -> Made:
    """One line a stack and its count (Brendan Gregg's folded stacks)."""
    return f"{name}.collapsed.txt", "".join(f"{';'.join(stack)} {count}\n" for stack, count in samples).encode()
