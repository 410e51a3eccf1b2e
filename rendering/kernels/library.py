"""The room's compiled kernels: found beside this file, loaded on first use, called without the interpreter's lock."""

import ctypes
import os
from functools import cache
from pathlib import Path

from traces.kernels.library import SWITCH

PATH = Path(__file__).with_name("kernels.so")
NAMES = (
    *("merge_boxes_int64", "merge_boxes_double", "find_runs"),
    *("side_by_side", "draw_strip", "draw_letters", "rendering_abi"),
)
ABI = 2
"""Raised with every change of a C signature; a library built from other sources is not used."""


@cache
def _loaded() -> ctypes.CDLL | None:
    if not PATH.is_file():
        return None
    try:
        library = ctypes.CDLL(str(PATH))
        usable = all(hasattr(library, name) for name in NAMES) and library.rendering_abi() == ABI
    except OSError:
        return None
    return library if usable else None


def kernels() -> ctypes.CDLL | None:
    """The compiled kernels, or None when the reference has to do: not built, built from other sources, switched off."""
    return None if os.environ.get(SWITCH) == "off" else _loaded()
