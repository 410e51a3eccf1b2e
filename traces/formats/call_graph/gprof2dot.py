"""gprof2dot's JSON, which memray (`transform gprof2dot`) and others write: costs of call chains.

Format: https://github.com/jrfonseca/gprof2dot/wiki/Json. Chains begin at the innermost function.
"""

import msgspec

from traces.builder import TraceBuilder
from traces.counting import counting
from traces.formats.time_units import in_unit, unit_named
from traces.stacks import StackTable
from traces.values import ValueType


class Cost(msgspec.Struct):
    description: str = ""
    unit: str = ""


class Function(msgspec.Struct, gc=False):
    name: str
    module: str | None = None


class Event(msgspec.Struct):
    chain: list[int] = msgspec.field(name="callchain")
    cost: list[float | int]


class File(msgspec.Struct):
    costs: list[Cost]
    functions: list[Function]
    events: list[Event]


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed the one profile, every cost a value of it. Raises DamagedTrace."""
    file = msgspec.json.decode(content, type=File)
    if any(len(event.cost) != len(file.costs) for event in file.events) or not file.costs:
        raise builder.damaged("an event has another number of costs than there are kinds of them.")
    frames = [builder.frame(f.name, f.module or None) for f in file.functions]
    if any(not 0 <= function < len(frames) for event in file.events for function in event.chain):
        raise builder.damaged("an event names a function that is not in its list.")
    stacks = StackTable()
    leaves = stacks.leaves([[frames[function] for function in reversed(event.chain)] for event in file.events])
    units = [unit_named(cost.unit) for cost in file.costs]
    try:
        weights = [in_unit([e.cost[k] for e in file.events], *unit) for k, unit in enumerate(units)]
    except ValueError as error:
        raise builder.damaged(f"{error}.") from error
    values = tuple(
        ValueType(cost.description or f"cost {k}", unit)
        for k, (cost, (unit, _)) in enumerate(zip(file.costs, units, strict=True))
    )
    facts = counting(builder.facts, values, may_count_calls=True)
    builder.add_sampled(builder.name, stacks, leaves, weights, values=values, facts=facts)
