"""A claim that nothing waits for a lock is contradicted with the lock that is waited for most."""

import numpy as np

from server.agent.verification.answer_checks import checked
from server.agent.verification.facts import Facts
from tests.traces.insights.recorded import MS, finished, frame
from traces.builder import TraceBuilder
from traces.formats.format import sums
from traces.model import Trace
from traces.stacks import StackTable
from traces.values import Counts, Unit, ValueType, Waits

DELAYS = {"main;lookup;sync.(*RWMutex).RLock": 20.0, "main;post;sync.(*Mutex).Lock": 900.0}


def two_locks() -> Trace:
    """A mutex profile in which the first lock is hardly waited for."""
    builder = TraceBuilder("ledger.mutex.pprof", "pprof")
    table = StackTable()
    leaves = table.leaves([[frame(builder, one) for one in stack.split(";")] for stack in DELAYS])
    builder.add_sampled(
        "mutex",
        table,
        leaves,
        [np.array(list(DELAYS.values())) * MS],
        values=(ValueType("delay", Unit.NANOSECONDS),),
        facts=sums(Counts.EVENTS, Waits.WAITING),
    )
    return finished(builder)


def test_the_heaviest_lock_is_named_and_not_the_first() -> None:
    found = checked(two_locks(), "There is no lock contention.", Facts(), "Is that so?", ()).checks
    (wrong,) = [one for one in found if one.status == "contradicted"]
    assert "sync.(*Mutex).Lock and other locks" in (wrong.actual or "")
