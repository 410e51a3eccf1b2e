"""Nodes side by side, by the kernel: what it cannot do is not drawn."""

from types import SimpleNamespace

import numpy as np
import pytest

from rendering.kernels import layout
from traces.kernels.library import Outcome


def test_a_kernel_that_got_no_memory_gives_no_places(monkeypatch: pytest.MonkeyPatch) -> None:
    failing = SimpleNamespace(side_by_side=lambda *_: -Outcome.NO_MEMORY)
    monkeypatch.setattr(layout, "kernels", lambda: failing)
    parent, weight = np.array([-1, 0], np.int32), np.array([2.0, 1.0])
    with pytest.raises(MemoryError):
        layout.side_by_side(parent, np.array([0, 1], np.int32), weight, np.arange(2))
