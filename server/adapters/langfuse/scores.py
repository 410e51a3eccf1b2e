"""What people think of answers, as scores of the turns' traces."""

from server.adapters.langfuse.connection import LangfuseConnection
from server.adapters.langfuse.tracing import trace_id_of
from server.agent.model_call.debug_messages import masked

SCORE = "user_feedback"


class LangfuseScores:
    """Implements `Scores`. A person's words go along only where contents may."""

    def __init__(self, connection: LangfuseConnection) -> None:
        self._connection = connection

    def rated(self, *, turn_id: str, message_id: str, user_id: str, score: int, reason: str | None) -> None:
        self._connection.client.create_score(
            name=SCORE,
            value=float(score),
            data_type="NUMERIC",
            trace_id=trace_id_of(turn_id),
            score_id=f"{message_id}-{user_id}",
            comment=masked(reason) if self._connection.with_contents else None,
            metadata={"message_id": message_id},
        )
