"""What a turn's graph is run on, from its row: the recording, the history, the plan, what its tools may reach."""

from limits.administration import PlanRecords
from limits.errors import UnknownAccount, UnknownUser
from limits.spending import smallest
from limits.usage import Usage
from server.agent.model_call.offered_models import ANALYST
from server.agent.turn import TurnInput
from server.analyst.memory_orders import is_command
from server.ports.clock import Clock
from server.ports.conversations import Conversations, TurnRow
from server.ports.core_memory import BY_PROGRAM
from server.ports.flags import FLAGS, flags_of
from server.ports.identity import Caller
from server.protocol.wire_values import LimitsView, ViewerState
from server.turns.account_memory import NOTHING, PROPOSES, AccountMemory, KnownOfTurn
from server.turns.asker import asker_of
from server.turns.earlier_messages import earlier_messages, has_answer
from server.turns.features import features
from server.turns.outside_reach import NOTHING_OUTSIDE, OutsideReach
from server.turns.page_answers import page_answer_of
from server.turns.run_questions import runs_of
from server.turns.tool_context import AccountToolContext
from server.turns.trace_library import TraceLibrary


class TurnInputs:
    """Makes them; each call reads everything anew."""

    def __init__(
        self,
        *,
        conversations: Conversations,
        library: TraceLibrary,
        clock: Clock,
        plans: PlanRecords | None = None,
        outside: OutsideReach = NOTHING_OUTSIDE,
        memory: AccountMemory | None = None,
    ) -> None:
        self._conversations = conversations
        self._library = library
        self._clock = clock
        self._plans = plans
        self._outside = outside
        self._memory = memory

    async def __call__(self, turn: TurnRow) -> TurnInput:
        """Raises what opening a recording does, and DatabaseUnavailable."""
        caller = Caller(user_id=turn.user_id, account_id=turn.account_id)
        row, opened = await self._library.open(caller, turn.trace_id)
        history = earlier_messages(await self._conversations.messages(caller, turn.session_id), turn.turn_id)
        flags = flags_of(turn.context)
        offered = await features(self._plans, turn.plan_name)
        usage, known = await self._usage(caller), NOTHING
        if self._memory is not None:
            hidden = offered.hidden_tools | flags.hidden_tools
            copied = self._library.copied(opened)
            known = await self._memory.for_turn(turn, caller, copied, hidden=hidden, models=offered.models)
        return TurnInput(
            turn_id=turn.turn_id,
            session_id=turn.session_id,
            attempt=turn.attempt,
            caller=caller,
            trace=row,
            opened=opened,
            prompt=turn.prompt,
            history=history,
            viewer=ViewerState.model_validate({k: v for k, v in turn.context.items() if k not in (BY_PROGRAM, FLAGS)}),
            model_name=ANALYST if self._memory is not None and is_command(turn.prompt) else turn.model or flags.model,
            plan_name=turn.plan_name,
            messages_used=turn.messages_used,
            messages_limit=turn.messages_limit,
            local_time=self._clock.now().astimezone(),
            is_first_answer=not has_answer(history),
            hidden_tools=offered.hidden_tools | flags.hidden_tools,
            flags=flags,
            asker=None if usage is None else asker_of(turn, row, await self._library.rows(caller), usage),
            offered_models=offered.models,
            token_limit=await self._token_limit(caller, offered.turn_tokens, usage),
            analyst_over_budget=offered.analyst_over_budget,
            page_answer=page_answer_of(turn),
            foreign=await self._outside.tools_of(caller),
            web=self._outside.web_of(caller),
            request_id=turn.request_id,
            request_trace_id=turn.request_trace_id,
            api_key_id=turn.api_key_id,
            tool_context=await self._tool_context(turn, caller, known),
            core_memory=known.facts,
            asked_before=known.asked_before,
            near_memories=known.near,
        )

    async def collect(self, turn: TurnRow) -> bool:
        """Begin again to look for facts in a turn's prompt, as its call did; whether there is anything to look at.
        Raises what a call does."""
        if self._memory is None:
            return False
        caller = Caller(user_id=turn.user_id, account_id=turn.account_id)
        _, opened = await self._library.open(caller, turn.trace_id)
        offered = await features(self._plans, turn.plan_name)
        is_hidden = PROPOSES in offered.hidden_tools | flags_of(turn.context).hidden_tools
        proposals = None if is_hidden else self._memory.of_turn(turn, caller, self._library.copied(opened))
        return self._memory.collect(turn, proposals, offered.models)

    async def _usage(self, caller: Caller) -> Usage | None:
        """None where nobody keeps plans, and for a person who was removed meanwhile."""
        if self._plans is None:
            return None
        try:
            return await self._plans.usage(caller.user_id)
        except UnknownUser:
            return None

    async def _token_limit(self, caller: Caller, of_plan: int | None, usage: Usage | None) -> int | None:
        """The smallest of the plan's, the person's and the account's."""
        if self._plans is None or usage is None:
            return of_plan
        try:
            of_account = (await self._plans.account_spending(caller.account_id)).limits.turn_token_limit
        except UnknownAccount:
            of_account = None
        return smallest(of_plan, usage.own.turn_token_limit, of_account)

    async def _tool_context(self, turn: TurnRow, caller: Caller, known: KnownOfTurn) -> AccountToolContext:
        async def limits() -> LimitsView:
            return await self._conversations.limits(caller, turn.session_id)

        return AccountToolContext(
            self._library,
            caller,
            turn.trace_id,
            limits=limits,
            source_folder=self._outside.source_folder,
            repository=self._outside.repository_of(caller),
            memory=known.proposals,
            runs=await runs_of(self._library, caller, turn.trace_id),
            recall=known.recall,
            documents=known.documents,
        )
