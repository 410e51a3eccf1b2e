"""People who ask one question after the other, whatever happens to the servers, and what became of each."""

import asyncio
import random
from dataclasses import dataclass, field
from time import monotonic

from tests.soak.accounts import CallRow, TurnSums, unaccounted
from tests.soak.fleet import Fleet
from tests.soak.following import Follower, Shown, numbered, wrong
from tests.soak.speaking import Endpoint, Script, in_letters
from tests.soak.tally import Tally

TURN_S = 180.0
"""Only a bound."""

RETRYABLE = {"server_stopped", "database_unavailable", "not_stored", "internal_error", "worker_failed", "server_error"}
"""Codes with which a turn may end when servers or the database are killed: docs/protocol.md says of each that it may be
asked again."""

ROWS = """
select sender, content_text, tool_status from chat_messages where turn_id = %s::uuid order by position
"""


CALLS = """
select outcome, error_code, provider_request_id, input_tokens, output_tokens, request_id, request_trace_id,
    graph_run_id::text, prompt_hash, attempt, call_number, try_number
from ai_invocation_summaries where turn_id = %s::uuid order by attempt, call_number, try_number
"""
TURN = "select attempt, input_tokens, output_tokens, prompt_hash, status from chat_turns where id = %s::uuid"


@dataclass(slots=True)
class People:
    """So many at once. `kills` are the moments at which something was killed; `hit` those after which a turn was taken
    over, with how long it took."""

    servers: Fleet
    endpoint: Endpoint
    tally: Tally
    words: tuple[int, int] = (150, 400)
    card: str = ""
    same_cards: bool = True
    """False where tools may say it in other words: over two versions only that each card is there and has ended."""
    falls_back: bool = False
    """Whether a completed turn may have a note that another model took over."""
    stops: float = 0.0
    """The share of answers that are stopped by the person."""
    kills: list[float] = field(default_factory=list)
    hit: set[float] = field(default_factory=set)
    _began: dict[str, float] = field(default_factory=dict)
    _last: dict[str, float] = field(default_factory=dict)
    _asking: list[asyncio.Task[None]] = field(default_factory=list)
    _stopped: bool = False

    async def begin(self, number: int) -> None:
        """Let them ask, after one undisturbed turn that shows what the tool says."""
        script = Script("first", words=10)
        first = Follower(self.servers.addresses, self.servers.trace_id, script)
        await first.follow(TURN_S)
        self.card = next(iter(first.shown.cards.values())).text or ""
        self._asking = [asyncio.create_task(self._ask_on()) for _ in range(number)]

    async def end(self) -> None:
        """Wait for the turns that run, and look for what was left undone."""
        self._stopped = True
        await asyncio.gather(*self._asking)
        [(unended,)] = await self.servers.select("select count(*) from chat_turns where ended_at is null")
        self.tally.count("turns without an end", unended)

    async def _ask_on(self) -> None:
        while not self._stopped:
            key = in_letters(random.getrandbits(40))
            script = Script(key, words=random.randint(*self.words), looks=random.randint(1, 2))
            stop_after = random.randint(1, 400) if random.random() < self.stops else None
            one = Follower(
                self.servers.addresses, self.servers.trace_id, script, on_event=self._noted, stop_after=stop_after
            )
            self._began[one.turn_id] = self._last[one.turn_id] = monotonic()
            try:
                await one.follow(TURN_S)
            except TimeoutError:
                self.tally.complain(f"{one.turn_id} did not end; attempt {one.shown.attempt}, seq {one.shown.seq}")
            await self._judge(one)
            del self._began[one.turn_id], self._last[one.turn_id]

    def _noted(self, shown: Shown, rose: bool) -> None:
        """A new attempt after a kill is a recovery from the first kill that came after the turn's last event."""
        now, last = monotonic(), self._last[shown.turn_id]
        blamed = [kill for kill in self.kills if kill >= last - 0.5]
        if rose and shown.attempt > 1 and blamed:
            self.hit.add(blamed[0])
            self.tally.sample("recovery", now - blamed[0])
            self.tally.count("turns taken over")
        self._last[shown.turn_id] = now

    async def _judge(self, one: Follower) -> None:
        shown, script = one.shown, one.script
        self.tally.count("turns")
        self.tally.count(f"ended {shown.end or 'never'}{f': {shown.code}' if shown.code else ''}")
        problems = wrong(shown, script, self.card if self.same_cards else None)
        ends = {"completed", "failed", *([] if one.stop_after is None else ["cancelled"])}
        if shown.end not in ends or (shown.end == "failed" and shown.code not in RETRYABLE):
            problems.append(f"ended {shown.end} ({shown.code})")
        await self._count_calls(one, problems)
        problems += await self._stored(one)
        problems += await self._accounted(one)
        self.tally.count("turns with something lost, doubled or half done", bool(problems))
        for problem in problems:
            self.tally.complain(f"{one.turn_id}: {problem}")

    async def _count_calls(self, one: Follower, problems: list[str]) -> None:
        """Each attempt may repeat the call that the one before it was cut off in. More calls: a process that was taken
        for dead lived on, and made the same calls as its successor."""
        calls = self.endpoint.calls.pop(one.script.key, 0)
        [(attempts,)] = await self.servers.select(
            "select attempt from chat_turns where id = %s::uuid", [one.turn_id]
        ) or [(0,)]
        if calls > one.script.looks + max(attempts, 1):
            self.tally.count("turns whose attempts ran side by side")
            if attempts < 2:
                problems.append(f"{calls} model calls in one attempt")

    async def _accounted(self, one: Follower) -> list[str]:
        """How the rows of the turn's model calls differ from what the endpoint knows of them."""
        rows = await self.servers.select(CALLS, [one.turn_id])
        [(attempts, sent, received, prompt_hash, status)] = await self.servers.select(TURN, [one.turn_id]) or [
            (0, None, None, None, None)
        ]
        was_hit = any(kill >= self._began[one.turn_id] for kill in self.kills)
        turn = TurnSums(attempts, sent, received, prompt_hash, status == "cancelled" and was_hit)
        log = self.endpoint.log.pop(one.script.key, [])
        problems = unaccounted(log, [CallRow(*row) for row in rows], turn)
        answered = [sent for sent in log if sent.mishap != "busy"]
        self.tally.count("requests that were answered", len(answered))
        self.tally.count("answered requests without a row", any("without a row" in problem for problem in problems))
        self.tally.count("answered requests with two rows", sum("has 2 rows" in problem for problem in problems))
        self.tally.count("model calls accounted for", len(rows))
        for outcome, *_ in rows:
            self.tally.count(f"rows {outcome}")
        return problems

    async def _stored(self, one: Follower) -> list[str]:
        """How what is stored differs from what was shown."""
        status_of = "select status from chat_turns where id = %s::uuid"
        [(status,)] = await self.servers.select(status_of, [one.turn_id]) or [("",)]
        rows = await self.servers.select(ROWS, [one.turn_id])
        problems = [f"stored as {status}, shown as {one.shown.end}"] if status != one.shown.end else []
        if not rows or rows[0][:2] != ("user", one.script.prompt):
            problems.append("the prompt is not stored")
        if status == "completed":
            look = ["model", "tool_request", "tool_result"]
            kept = [row[0] for row in rows if not (self.falls_back and row[0] == "system_event")]
            if kept != ["user", *look * one.script.looks, "model"]:
                problems.append(f"stored: {[row[0] for row in rows]}")
            if [row[1] for row in rows if row[0] == "model"] != one.script.texts:
                problems.append("other texts are stored than were shown")
            results = [row[1:] for row in rows if row[0] == "tool_result"]
            if not all(text and status == "success" for text, status in results) or (
                self.same_cards and [text for text, _ in results] != numbered(self.card, one.script.looks)
            ):
                problems.append("half a tool result is stored")
        return problems
