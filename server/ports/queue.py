"""Accepted turns wait here until a runner takes them."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class TurnJob:
    turn_id: str
    session_id: str


class TurnQueue(Protocol):
    """Jobs of one session never run side by side; jobs come out in the order they went in."""

    async def put(self, job: TurnJob) -> int:
        """Enqueue; returns how many jobs of the same session stand before it. Putting the same turn twice is one
        job."""
        ...

    async def put_again(self, job: TurnJob) -> None:
        """Enqueue a turn that goes on, also while the job by which it went before is not quite done."""
        ...

    def jobs(self) -> AsyncIterator[TurnJob]:
        """Jobs to run now. The next job of a session comes out only after `done` of the one before."""
        ...

    async def done(self, job: TurnJob) -> None: ...

    async def cancel(self, turn_id: str) -> bool:
        """Take a waiting job out. False when it is not waiting (it runs, has ended, or was never here); whoever runs
        it, in whichever process, gets its id from `stops`."""
        ...

    def stops(self) -> AsyncIterator[str]:
        """Turns that were given to this process and shall stop."""
        ...

    async def stop(self) -> None:
        """Give out no more jobs; those given out go on."""
        ...
