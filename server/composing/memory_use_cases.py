"""What is remembered, over any adapters."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from server.adapters.in_process.clock import SystemClock
from server.adapters.model.noticed_facts import MOST_TOKENS, ModelNoticer
from server.adapters.model.prices import read_prices
from server.adapters.prometheus import PrometheusMeasures
from server.adapters.supabase.realtime import RealtimeRelay
from server.agent.model_call.call_ledger import CallLedger
from server.agent.model_call.chat_model import Model
from server.composing.agent import NOBODY, build_models
from server.edges.mcp.version import version
from server.ports.core_memory import CoreMemory
from server.ports.embedder import Embedder
from server.ports.executor import ModelCaller
from server.ports.invocations import InvocationLog
from server.ports.knowledge import Knowledge
from server.ports.memories import Memories
from server.ports.relay import Relay
from server.settings import Settings
from server.turns.account_memory import AccountMemory
from server.turns.collector import Collector
from server.turns.memory_keeping import MemoryKeeping
from server.turns.memory_search import MemorySearch
from server.turns.team_knowledge import TeamKnowledge

NO_MODEL = "none"
"""In place of a model's name: rules look for facts, whatever prices are known."""

USUAL_TOKENS = 1_000
"""Of a request for facts, by which prices are compared."""

COUNTED = {
    "made": "Memories that this process has made.",
    "skipped": "Memories that say what another says already.",
    "conflicts": "Facts that do not go together with an older one.",
    "failed": "Steps of taking in memories that failed.",
}

SERVER = Path(__file__).parents[1]
PAGES = (SERVER / "shipped" / "docs", SERVER.parent / "docs")
"""Of our documentation: in an installed wheel, and in a checkout."""


class RememberedRows(Protocol):
    """The tables of it; None for one that is not there."""

    @property
    def memory(self) -> CoreMemory | None: ...

    @property
    def memories(self) -> Memories | None: ...

    @property
    def knowledge(self) -> Knowledge | None: ...

    @property
    def invocations(self) -> InvocationLog | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberedTables:
    """Those that a command opens."""

    memory: CoreMemory | None = None
    memories: Memories | None = None
    knowledge: Knowledge | None = None
    invocations: InvocationLog | None = None


def memory_use_cases(
    settings: Settings, rows: RememberedRows, embedders: Sequence[Embedder] = (), relay: Relay | None = None
) -> tuple[AccountMemory | None, MemoryKeeping | None]:
    """The use cases, and what makes memories next to them; neither where nothing is remembered."""
    if rows.memory is None or settings.memory == "off":
        return None, None
    search, keeping = None, None
    if rows.memories is not None:
        search = MemorySearch(rows.memories, embedders)
        keeping = MemoryKeeping(rows.memories, embedders[0] if embedders else None, knowledge=rows.knowledge)
    noticer = _noticer(settings, rows.invocations)
    memory = AccountMemory(
        rows.memory,
        writes=settings.memory_writes,
        search=search,
        collector=Collector(noticer),
        condenser=noticer,
        keeping=keeping,
        knowledge=None if rows.knowledge is None else TeamKnowledge(rows.knowledge, embedders),
        broadcast=relay if isinstance(relay, RealtimeRelay) else None,
    )
    return memory, keeping


def watch_memories(measures: PrometheusMeasures, keeping: MemoryKeeping | None) -> None:
    """Show what became of what this process took in."""
    if keeping is not None:
        for name, meaning in COUNTED.items():
            measures.watch(f"memories_{name}", meaning, partial(keeping.counts.__getitem__, name))


def _noticer(settings: Settings, invocations: InvocationLog | None) -> ModelNoticer | None:
    """The model that is asked for facts and nothing else; None where rules look for them."""
    chosen = noticing_model(settings)
    if chosen is None:
        return None
    asked = {"models_allowed": (), "model_fallbacks": (NOBODY,), "answer_tokens": MOST_TOKENS}
    models = build_models(settings.model_copy(update=asked))

    def model(caller: ModelCaller) -> Model | None:
        name = chosen(caller)
        return None if name is None else models.model(name, offered=(name,))

    if invocations is None:
        return ModelNoticer(model)
    return ModelNoticer(model, CallLedger(invocations=invocations, clock=SystemClock(), graph_version=""))


def noticing_model(settings: Settings) -> Callable[[ModelCaller], str | None] | None:
    """The name of the model that looks for facts, by caller: the one of FLAMECHAT_MEMORY_MODEL, else of those that
    their plan offers the cheapest whose price is known. None without a language model, where no price is known, and
    where the setting is `none`. Raises ConfigError for prices that cannot be read."""
    name = settings.memory_model
    if not settings.uses_language_model or name == NO_MODEL:
        return None
    if name is not None:
        return lambda _: name
    prices, offered = read_prices(settings.model_prices), settings.offered_models

    def cheapest(caller: ModelCaller) -> str | None:
        priced = [one for one in offered.names(caller.models) if one in prices]
        return min(priced, key=lambda one: prices[one].bound(USUAL_TOKENS, MOST_TOKENS), default=None)

    return cheapest if prices else None


async def own_documents(memory: AccountMemory | None) -> None:
    """Take in our documentation, where it is not there as it stands now. Raises DatabaseUnavailable."""
    folder = next((one for one in PAGES if one.is_dir()), None)
    if memory is not None and memory.knowledge is not None and folder is not None:
        await memory.knowledge.add_ours(folder, version())
