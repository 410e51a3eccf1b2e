"""Whose code a function is: the program's own, a library's, or the runtime's and system's."""

import re
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from traces.analysis.filters import frames_that, library_frames
from traces.model import Trace

PACKAGE = re.compile(
    r"(?:^|[/\\])(?:node_modules|site-packages|dist-packages|bower_components|jspm_packages|gems|rubygems|vendor)[/\\]"
    r"|pkg[/\\]mod[/\\]|[/\\]\.cargo[/\\]registry"
)
"""Where package managers put what a program depends on. Code that is neither there nor the program's own came with the
language or the system."""


class Owner(IntEnum):
    OWN = 0
    LIBRARY = 1
    RUNTIME = 2


def owners(trace: Trace) -> npt.NDArray[np.int8]:
    """The Owner of each frame."""
    packaged = np.where(frames_that(trace, PACKAGE), Owner.LIBRARY, Owner.RUNTIME)
    return np.where(library_frames(trace), packaged, Owner.OWN).astype(np.int8)
