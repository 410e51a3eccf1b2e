"""LimitsError
├── UnknownPlan       no plan of that name
├── UnknownUser       no user of that id
├── UnknownAccount    no account of that id
└── InvalidPlan       a plan's numbers contradict each other, its name is taken, or it may not be used that way
"""


class LimitsError(Exception):
    """Root of the room's errors."""


class UnknownPlan(LimitsError):
    pass


class UnknownUser(LimitsError):
    pass


class UnknownAccount(LimitsError):
    pass


class InvalidPlan(LimitsError):
    pass
