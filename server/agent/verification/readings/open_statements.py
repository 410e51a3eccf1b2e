"""Every free reading of the sentences of one answer."""

from server.agent.verification.facts import Facts
from server.agent.verification.readings.earlier_recordings import EarlierRecordings
from server.agent.verification.readings.invented_names import InventedNames
from server.agent.verification.readings.lock_claims import LockClaims
from server.agent.verification.readings.orders_of_functions import Rankings
from server.agent.verification.readings.origins import Origins, Recursion
from server.agent.verification.readings.own_parts import OwnParts
from server.agent.verification.readings.proportions import Proportions
from server.agent.verification.readings.recording_sizes import RecordingSizes
from server.agent.verification.readings.several_functions import SeveralFunctions
from server.agent.verification.readings.splits import Splits
from server.agent.verification.readings.superlatives import Superlatives
from server.agent.verification.readings.thread_counts import ThreadCounts
from server.agent.verification.readings.thread_places import ThreadPlaces
from server.agent.verification.readings.thread_shares import ThreadShares
from server.agent.verification.readings.time_order import TimeOrder
from server.agent.verification.readings.trends import Trends
from server.agent.verification.statements.measures import Measures
from server.agent.verification.statements.relations import Reader
from server.agent.verification.statements.stack_relations import StackRelations


def readers(measures: Measures, facts: Facts) -> tuple[Reader, ...]:
    """Those that read, in the order in which they do: what one decides is not read again."""
    stacks = StackRelations(measures)
    return (
        EarlierRecordings(measures, facts),
        Recursion(measures),
        Splits(measures, stacks),
        Origins(measures, stacks),
        Rankings(measures),
        Superlatives(measures),
        Proportions(measures),
        OwnParts(measures),
        RecordingSizes(measures),
        SeveralFunctions(measures, stacks),
        ThreadPlaces(measures, stacks),
        ThreadCounts(measures, stacks),
        InventedNames(measures),
        LockClaims(measures),
        ThreadShares(measures),
        TimeOrder(measures),
        Trends(facts.developments),
    )
