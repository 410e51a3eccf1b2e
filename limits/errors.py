"""LimitsError
├── UnknownPlan       no plan of that name
└── InvalidPlan       a plan's numbers contradict each other
"""


class LimitsError(Exception):
    """Root of the room's errors."""


class UnknownPlan(LimitsError):
    pass


class InvalidPlan(LimitsError):
    pass
