"""`make soak`, or `python -m tests.soak [PART] [--seconds 500] [--state .make/soak] [--aim N]`: the long trials.

Without PART, what is missing of every part, one after the other; with one, one run of it. A run ends in time and the
next one goes on with it; of a part that is complete the figures are only printed again. To start again remove the
folder of the state, which also has the logs of the last run's servers.
"""

import argparse
import asyncio
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from time import monotonic

from tests.soak.calls import Calls
from tests.soak.crowds import Crowds
from tests.soak.cuts import Cuts
from tests.soak.full_disk import FullDisk
from tests.soak.hosts import Hosts
from tests.soak.kills import Kills
from tests.soak.neighbour import Neighbour
from tests.soak.pressure import Quota, Slowloris, Standstill
from tests.soak.restarts import Restarts
from tests.soak.rolling import Rolling
from tests.soak.spending import Spending
from tests.soak.streams import Streams
from tests.soak.tally import Tally, print_table

ROOT = Path(__file__).parents[2]
RUN_S = 480
"""With what a run needs to come to its end, under nine minutes."""

PARTS = {
    part.name: part
    for part in (
        *(Crowds(), Cuts(), Kills(), Calls(), Restarts(), Rolling(), Quota(), Standstill(), Slowloris()),
        *(Streams(), Hosts(), Spending(), Neighbour(), FullDisk()),
    )
}


def main() -> int:
    arguments = argparse.ArgumentParser(prog="python -m tests.soak")
    arguments.add_argument("part", nargs="?", choices=sorted(PARTS))
    arguments.add_argument("--seconds", type=float, default=RUN_S, help="of a run")
    arguments.add_argument("--state", type=Path, default=ROOT / ".make" / "soak")
    arguments.add_argument("--aim", type=int, help="units instead of the part's own number")
    given = arguments.parse_args()
    chosen = [PARTS[given.part]] if given.part else list(PARTS.values())
    figures = []
    for part in chosen:
        if given.aim:
            part = replace(part, aim=given.aim)  # noqa: PLW2901
        tally = Tally.load(given.state, part.name, part.aim)
        while not tally.is_complete:
            folder = given.state.absolute() / f"{part.name}-servers"
            shutil.rmtree(folder, ignore_errors=True)
            asyncio.run(part.run(folder, given.state, tally, monotonic() + given.seconds))
            tally.save(given.state)
            shutil.rmtree(folder / "data", ignore_errors=True)
            if given.part:
                break
        figures += part.figures(tally)
        for complaint in tally.complaints[:10]:
            print(f"{part.name}: {complaint}", flush=True)
    return 0 if print_table(figures) else 1


if __name__ == "__main__":
    sys.exit(main())
