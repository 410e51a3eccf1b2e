"""The room's compiled kernels: in this file's folder, loaded on first use, called without the interpreter's lock."""

import ctypes
import os
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from traces.kernels.library import SWITCH

PATH = Path(__file__).with_name("kernels.so")
SIGNATURES = {
    "merge_boxes_int64": "pppippidddd" + "iiipii" + "ppppppppp",
    "merge_boxes_double": "pppippidddd" + "iiipii" + "ppppppppp",
    "find_runs": "pppppiiiiipipppp",
    "find_rows": "ppppiip",
    "find_kinds": "ppiiiip",
    "side_by_side": "ppppppii" + "ppppp",
    "merge_tree": "ppppppiii" + "ddddii" + "pii" + "ppppppppp",
    "draw_strip": "piiippppipipi",
    "draw_letters": "piippppippp",
}
"""Arguments of each kernel: p a column, i an integer, d a float. All return an integer."""
TYPES = {"p": ctypes.c_void_p, "i": ctypes.c_int64, "d": ctypes.c_double}
ABI = 4
"""Raised with every change of a C signature; a library built from other sources is not used."""


@cache
def _loaded() -> ctypes.CDLL | None:
    if not PATH.is_file():
        return None
    try:
        library = ctypes.CDLL(str(PATH))
        if library.rendering_abi() != ABI:
            return None
        for name, signature in SIGNATURES.items():
            function = getattr(library, name)
            function.argtypes, function.restype = [TYPES[kind] for kind in signature], ctypes.c_int64
    except (OSError, AttributeError):
        return None
    return library


def kernels() -> ctypes.CDLL | None:
    """The compiled kernels, or None when the reference has to do: not built, built from other sources, switched off."""
    return None if os.environ.get(SWITCH) == "off" else _loaded()


def call(function: Any, *arguments: Any) -> int:
    """Call a kernel: contiguous columns as pointers, numbers as they are. Returns what it returns."""
    return int(function(*[a.__array_interface__["data"][0] if isinstance(a, np.ndarray) else a for a in arguments]))
