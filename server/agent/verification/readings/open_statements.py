"""Every free reading of the sentences of one answer."""

from server.agent.verification.facts import Facts
from server.agent.verification.readings.invented_names import InventedNames
from server.agent.verification.readings.origins import Origins, Recursion
from server.agent.verification.readings.proportions import Proportions
from server.agent.verification.readings.recording_sizes import RecordingSizes
from server.agent.verification.readings.superlatives import Superlatives
from server.agent.verification.readings.thread_counts import ThreadCounts
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
        Recursion(measures),
        Origins(measures, stacks),
        Superlatives(measures),
        Proportions(measures),
        RecordingSizes(measures),
        ThreadCounts(measures, stacks),
        InventedNames(measures),
        ThreadShares(measures),
        TimeOrder(measures),
        Trends(facts.developments),
    )
