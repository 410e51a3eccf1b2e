"""What the routes of runs elsewhere need."""

from dataclasses import dataclass

from server.turns.deployed_runs import DeployedRuns


@dataclass(frozen=True, slots=True, kw_only=True)
class RunServices:
    """Runs of graphs elsewhere; without `deployed_runs` there are no routes of them."""

    deployed_runs: DeployedRuns | None = None

    @property
    def deployed(self) -> DeployedRuns:
        assert self.deployed_runs is not None, "their routes are there with them"
        return self.deployed_runs
