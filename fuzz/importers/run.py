"""Mutate every sample and read what comes out: `python -m fuzz.importers.run [seconds] [mutations of each sample]`.

Goes on where it stopped: `.make/fuzzed.json` counts what was done of each sample with the engine as it was then;
delete it to start again. Samples take turns, so that a short run has seen all of them. What is wrong goes into
`fuzz/crashes/importers/`, input and reason; made smaller, it belongs into `tests/traces/found/`.
"""

import json
import multiprocessing
import os
import sys
import time
from multiprocessing.connection import Connection, wait

from fuzz.importers.judging import fault, watched
from fuzz.importers.samples import ROOT, Sample, samples

CRASHES = ROOT / "fuzz" / "crashes" / "importers"
PROGRESS = ROOT / ".make" / "fuzzed.json"
TURN = 20
"""Mutations of one sample before the next has its turn: large ones have theirs less often."""
UNIT_BYTES = 20_000
GRACE_SECONDS = 5
"""What is left of a turn when the time is over may take this long."""


def work(pipe: Connection) -> None:
    """Judge the mutations that come (sample, first, last); each is answered by its fault or None."""
    known = samples()
    by_name = {sample.name: sample for sample in known}
    while (task := pipe.recv()) is not None:
        name, first, last = task
        with watched():
            for number in range(first, last):
                pipe.send(fault(by_name[name].mutation(number, known), short(name)))


def short(name: str) -> str:
    """A file's own name, as somebody would upload it."""
    return name.rsplit("/", 1)[-1].removesuffix(".gz")


def save(sample: Sample, number: int, known: list[Sample], reason: str) -> None:
    """Keep an input that is read wrongly, and why."""
    CRASHES.mkdir(parents=True, exist_ok=True)
    place = CRASHES / f"{sample.name.replace('/', '_')}-{number}"
    place.write_bytes(sample.mutation(number, known))
    place.with_name(f"{place.name}.reason.txt").write_text(reason, "utf-8", "replace")
    print(f"{sample.name} {number}: {reason.splitlines()[0][:200]}", flush=True)


class Worker:
    """A process that judges, made again when an input ends it."""

    def __init__(self) -> None:
        self.sample = ""
        self.number = self.last = 0
        self._start()

    def _start(self) -> None:
        self.pipe, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.get_context("spawn").Process(target=work, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()

    def give(self, sample: str, first: int, last: int) -> None:
        """Mutations `first` to `last`, without `last`."""
        self.sample, self.number, self.last = sample, first, last
        self.pipe.send((sample, first, last))

    def answer(self) -> str | None:
        """The fault of the next mutation, and on with the one after it."""
        try:
            reason: str | None = self.pipe.recv()
        except (EOFError, ConnectionResetError):
            self.process.join()
            reason = f"the process ended with {self.process.exitcode}"
            self._start()
            self.give(self.sample, self.number + 1, self.last)
            self.number -= 1
        self.number += 1
        return reason


def main(seconds: float, target: int) -> int:
    """Returns 1 if a fault was found."""
    known = samples()
    by_name = {sample.name: sample for sample in known}
    done: dict[str, int] = json.loads(PROGRESS.read_text("ascii")) if PROGRESS.exists() else {}
    before, faults, end = sum(done.values()), 0, time.monotonic() + seconds
    workers = [Worker() for _ in range(min(2, os.cpu_count() or 1))]
    idle, busy = list(workers), dict[object, Worker]()
    while True:
        taken = {worker.sample for worker in busy.values()}
        left = [s.name for s in known if done.get(s.name, 0) < target and s.name not in taken]
        while idle and left and time.monotonic() < end:
            name = min(left, key=lambda sample: done.get(sample, 0) * (UNIT_BYTES + len(by_name[sample].part)))
            left.remove(name)
            worker = idle.pop()
            worker.give(name, done.get(name, 0), min(target, done.get(name, 0) + TURN))
            busy[worker.pipe] = worker
        if not busy:
            break
        for pipe in wait([worker.pipe for worker in busy.values()]):
            worker = busy.pop(pipe)
            number, reason = worker.number, worker.answer()
            if reason is not None:
                faults += 1
                save(by_name[worker.sample], number, known, reason)
            done[worker.sample] = number + 1
            if worker.number < worker.last and time.monotonic() < end + GRACE_SECONDS:
                busy[worker.pipe] = worker
            else:
                idle.append(worker)
                PROGRESS.parent.mkdir(exist_ok=True)
                PROGRESS.write_text(json.dumps(done), "ascii")
    for worker in workers:
        worker.process.terminate()
    reached = [min(target, done.get(sample.name, 0)) for sample in known]
    print(
        f"{sum(done.values()) - before:,} mutations judged, {faults} faults; in all {sum(reached):,} of "
        f"{target * len(known):,}, at least {min(reached):,} of each of {len(known)} samples"
    )
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1] if len(sys.argv) > 1 else 500), int(sys.argv[2] if len(sys.argv) > 2 else 10_000)))
