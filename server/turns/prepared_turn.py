"""What is decided for a prompt before it is accepted: its flags, and what its first model call may come to."""

from collections.abc import Callable, Collection
from dataclasses import replace

from limits.administration import PlanRecords
from server.agent.model_call.offered_models import OfferedModels
from server.ports.conversations import Conversations, TurnRequest
from server.ports.flags import FLAGS, Flags, FlagSubject, NoFlags, TurnFlags
from server.ports.invocations import CallCost
from server.ports.request_ids import CURRENT
from server.turns.features import features


class TurnPreparation:
    """Decides for each prompt once: what is stored with its turn holds for all its attempts."""

    def __init__(
        self,
        *,
        conversations: Conversations,
        plans: PlanRecords,
        models: OfferedModels,
        flags: Flags | None = None,
        first_call: Callable[[str | None], CallCost | None] = lambda _: None,
        executors: Collection[str] = (),
    ) -> None:
        """`first_call`: what the first model call of a turn may come to, by the model it asks for. `executors` are
        those that a flag may choose from."""
        self._conversations = conversations
        self._plans = plans
        self._models = models
        self._flags = flags or NoFlags()
        self._first_call = first_call
        self._executors = executors

    async def __call__(self, request: TurnRequest) -> TurnRequest:
        """The request with its ids, flags and bound. A flag's model that the plan does not offer is left out, and
        an executor that is not there."""
        flags = await self._decided(request)
        kept, bound = flags.kept(), self._first_call(request.model or flags.model)
        context = request.context | ({FLAGS: kept} if kept else {})
        return replace(request, ids=CURRENT.get(), bound=bound, context=context)

    async def _decided(self, request: TurnRequest) -> TurnFlags:
        if isinstance(self._flags, NoFlags):
            return TurnFlags()
        caller = request.caller
        plan_name = (await self._conversations.limits(caller, None)).plan_name
        subject = FlagSubject(user_id=caller.user_id, account_id=caller.account_id, plan_name=plan_name)
        decided = await self._flags.decided(subject)
        offered = (await features(self._plans, plan_name)).models
        if decided.model is not None and self._models.refusal(decided.model, offered) is not None:
            decided = replace(decided, model=None)
        return decided if decided.executor in self._executors else replace(decided, executor=None)
