"""Recordings of scheduling with known states, written field by field: what each thread did is made up first."""

import random
from collections import Counter
from collections.abc import Sequence

from tests.traces.formats.protobuf_messages import message, varint

Value = int | bytes | str
Sums = Counter[tuple[int, str]]
"""Nanoseconds by thread and state."""
STATES = {0: "runnable", 256: "runnable", 1: "sleeping", 2: "blocked", 128: "sleeping"}


def packet(*fields: tuple[int, Value]) -> bytes:
    return message((1, message((10, 1), *fields)))


def bundle(cpu: int, *events: bytes, compact: bytes = b"") -> bytes:
    inside = [(2, event) for event in events] + ([(4, compact)] if compact else [])
    return packet((8, 1), (1, message((1, cpu), *inside)))


def mark(time: int, tid: int, text: str) -> bytes:
    return message((1, time), (2, tid), (3, message((1, 9), (2, text))))


def switch(time: int, tid: int, name: str, *, previous: int | None = None, state: int = 0) -> bytes:
    left = [] if previous is None else [(2, previous), (4, state)]
    return message((1, time), (2, 1), (4, message(*left, (5, name), (6, tid))))


def waking(time: int, tid: int) -> bytes:
    return message((1, time), (2, 1), (20, message((2, tid))))


def packed(*numbers: int) -> bytes:
    return b"".join(varint(number) for number in numbers)


class _Machine:
    """Processors and threads that switch and wake by chance."""

    def __init__(self, chance: random.Random, threads: int, cpus: int) -> None:
        self.switches: list[tuple[int, int, int, int, int]] = []  # time, processor, thread before, its state, thread
        self.wakings: list[tuple[int, int, int]] = []
        self.state = dict.fromkeys(range(1, threads + 1), "")
        self.sums: Sums = Counter()
        self._since = dict.fromkeys(self.state, 0)
        self._on_cpu = [0] * cpus
        self._chance = chance

    def becomes(self, tid: int, name: str, time: int) -> None:
        if self.state[tid]:
            self.sums[tid, self.state[tid]] += time - self._since[tid]
        self.state[tid], self._since[tid] = name, time

    def wake(self, time: int) -> None:
        """Wake a thread, mostly one that waits: the others go on as they are."""
        known = [tid for tid, name in self.state.items() if name]
        waits = [tid for tid in known if self.state[tid] in {"sleeping", "blocked"}]
        among = waits if waits and self._chance.random() < 0.8 else known
        if among:
            tid = self._chance.choice(among)
            self.wakings.append((time, self._chance.randrange(len(self._on_cpu)), tid))
            if tid in waits:
                self.becomes(tid, "runnable", time)

    def switch(self, time: int) -> None:
        cpu = self._chance.randrange(len(self._on_cpu))
        left, raw = self._on_cpu[cpu], self._chance.choice(list(STATES))
        following = self._chance.choice([0, *(tid for tid, name in self.state.items() if name in {"", "runnable"})])
        if following == left:
            return
        if left:
            self.becomes(left, STATES[raw], time)
        if following:
            self.becomes(following, "running", time)
        self.switches.append((time, cpu, left, raw if left else 0, following))
        self._on_cpu[cpu] = following


def made_up(seed: int, *, threads: int, cpus: int, switches: int, in_columns: bool) -> tuple[bytes, Sums]:
    """A recording of about so many switches, and what its threads spent in each state, as far as it shows that."""
    chance = random.Random(seed)
    machine = _Machine(chance, threads, cpus)
    time = 1_000
    for _ in range(switches):
        time += chance.randrange(1, 2_000)
        machine.switch(time)
        time += chance.randrange(1, 500)
        machine.wake(time)
    last = max(machine.switches[-1][0], machine.wakings[-1][0])
    for tid in machine.state:
        machine.becomes(tid, "", last)
    return _written(machine.switches, machine.wakings, cpus, in_columns=in_columns), +machine.sums


def _written(
    rows: Sequence[tuple[int, int, int, int, int]],
    wakings: Sequence[tuple[int, int, int]],
    cpus: int,
    *,
    in_columns: bool,
) -> bytes:
    parts = [packet((45, message((1, message((1, "Linux"), (3, "5.10.0"))))))]  # what its states' bits mean
    for cpu in range(cpus):
        mine = [row for row in rows if row[1] == cpu]
        woken = [row for row in wakings if row[1] == cpu]
        if not in_columns:
            events = [
                (row[0], switch(row[0], row[4], f"thread {row[4]}", previous=row[2], state=row[3])) for row in mine
            ]
            events += [(time, waking(time, tid)) for time, _, tid in woken]
            parts.append(bundle(cpu, *(event for _, event in sorted(events))))
            continue
        columns = message(
            *((5, f"thread {tid}") for _, _, _, _, tid in mine),
            (1, packed(*_steps([row[0] for row in mine]))),
            (2, packed(*(row[3] for row in mine))),
            (3, packed(*(row[4] for row in mine))),
            (4, packed(*(120 for _ in mine))),
            (6, packed(*range(len(mine)))),
            (7, packed(*_steps([row[0] for row in woken]))),
            (8, packed(*(row[2] for row in woken))),
            (9, packed(*(cpu for _ in woken))),
            (10, packed(*(120 for _ in woken))),
            (11, packed(*(0 for _ in woken))),
        )
        parts.append(bundle(cpu, compact=columns))
    return b"".join(parts)


def _steps(times: Sequence[int]) -> list[int]:
    return [time - before for before, time in zip([0, *times], times, strict=False)]
