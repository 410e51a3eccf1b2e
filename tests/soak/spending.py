"""Five hundred prompts at once, over two servers, against a budget of one dollar: what is spent and reserved is looked
at all along."""

import asyncio
import contextlib
import random
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from time import monotonic

import httpx

from server.agent.bounds import ANSWER_TOKENS, LONG_REQUEST_TOKENS
from server.ports.identity import LOCAL_USER_ID
from tests.soak.fleet import Fleet, fleet
from tests.soak.speaking import Script, in_letters, speaking_endpoint
from tests.soak.tally import Figure, Tally, exactly, reported

SERVERS = 2
LIMIT = Decimal(1)
INPUT, OUTPUT = Decimal(1), Decimal(10)
"""Dollars for a million tokens."""

REPORTED = (8_000, 1_000)
"""Tokens of each call, as the endpoint reports them."""

BOUND = (LONG_REQUEST_TOKENS * INPUT + ANSWER_TOKENS * OUTPUT) / 1_000_000
WAVES = 12
LOOK_EVERY_S = 0.5
ANSWER_S = 300.0

COUNTED = "select spent_usd, reserved_usd, spent_tokens, reserved_tokens from flamechat_private.budgets"
UNENDED = "select count(*) from chat_turns where ended_at is null"
SUMS = """
select (select sum(cost_usd) from ai_invocation_summaries),
    (select sum(input_tokens + output_tokens) from ai_invocation_summaries),
    (select sum(cost_usd) from charge_receipts where kind = 'settled'),
    (select sum(cost_usd) from chat_turns)
"""


@dataclass(frozen=True, slots=True)
class Spending:
    """`aim` is how many prompts are sent at once; fewer follow until the budget is spent."""

    name: str = "spending"
    aim: int = 500

    async def run(self, folder: Path, saved: Path, tally: Tally, until: float) -> None:
        """All at once, then in waves of a tenth; then nothing is reserved, and what was counted is compared."""
        folder.mkdir(parents=True, exist_ok=True)
        prices = folder / "prices.toml"
        prices.write_text(f"[fake]\ninput = {INPUT}.0\noutput = {OUTPUT}.0\n", encoding="utf-8")
        settings = {
            "FLAMECHAT_TURNS_AT_ONCE": "8",
            "FLAMECHAT_MODEL_FALLBACKS": "none",
            "FLAMECHAT_MODEL_PRICES": str(prices),
        }
        async with (
            speaking_endpoint(usage=REPORTED) as endpoint,
            fleet(folder, SERVERS, model_url=endpoint.base_url, **settings) as servers,
        ):
            await _limit(servers)
            looking = asyncio.create_task(_look(servers, tally))
            await self._ask(servers, tally, self.aim)
            for _ in range(WAVES):
                [(spent, *_)] = await servers.select(COUNTED)
                if spent >= LIMIT or monotonic() > until:
                    break
                await self._ask(servers, tally, max(self.aim // 10, SERVERS))
            looking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await looking
            await _compare(servers, tally)
        tally.done = self.aim
        tally.save(saved)

    async def _ask(self, servers: Fleet, tally: Tally, number: int) -> None:
        limits = httpx.Limits(max_connections=None)
        async with httpx.AsyncClient(trust_env=False, timeout=ANSWER_S, limits=limits) as http:

            async def ask(place: int) -> None:
                script = Script(in_letters(random.getrandbits(40)), words=5, every_ms=5, looks=1)
                question = {"message": script.prompt, "flamechat_trace_id": servers.trace_id}
                try:
                    answer = await http.post(f"{servers.addresses[place % SERVERS]}/api/chat", json=question)
                except httpx.TimeoutException:
                    tally.count("prompts without an answer in time")
                else:
                    said = answer.json()
                    came_to = said.get("limitType") or said.get("code") or answer.status_code
                    tally.count(f"prompts {'answered' if answer.is_success else came_to}")

            await asyncio.gather(*(ask(place) for place in range(number)))

    def figures(self, tally: Tally) -> list[Figure]:
        most = tally.counts.get("most spent, in 10^-12 USD", 0) / 10**12
        bound = float(LIMIT + BOUND)
        names = sorted(name for name in tally.counts if name.startswith("prompts "))
        return [
            *(reported(tally, name) for name in names),
            reported(tally, "times that the budget was looked at"),
            Figure(self.name, "most that was spent", f"{most:.6f} USD", f"<= {bound:.6f}", 0 < most <= bound),
            Figure(self.name, "budget was reached", f"{most:.6f} USD", f">= {LIMIT}", most >= LIMIT),
            exactly(tally, "sums that differ from what was counted", 0),
            exactly(tally, "reserved at the end", 0),
        ]


async def _limit(servers: Fleet) -> None:
    address = f"{servers.addresses[0]}/api/v1/admin/users/{LOCAL_USER_ID}/limits"
    async with httpx.AsyncClient(trust_env=False, timeout=60) as http:
        answer = await http.put(address, json={"monthlyCostLimitCents": int(100 * LIMIT)})
        answer.raise_for_status()


async def _look(servers: Fleet, tally: Tally) -> None:
    while True:
        for spent, *_ in await servers.select(COUNTED):
            tally.count("times that the budget was looked at")
            _note_most(tally, spent)
        await asyncio.sleep(LOOK_EVERY_S)


def _note_most(tally: Tally, spent: Decimal) -> None:
    name = "most spent, in 10^-12 USD"
    tally.counts[name] = max(tally.counts.get(name, 0), int(spent * 10**12))


async def _compare(servers: Fleet, tally: Tally) -> None:
    """Once all turns that were accepted have ended, and nothing is left to be settled."""
    async with asyncio.timeout(ANSWER_S):
        while (await servers.select(UNENDED)) != [(0,)]:
            await asyncio.sleep(LOOK_EVERY_S)
    [(spent, reserved, spent_tokens, reserved_tokens)] = await servers.select(COUNTED)
    [(by_calls, tokens_by_calls, by_receipts, by_turns)] = await servers.select(SUMS)
    _note_most(tally, spent)
    wrong = [one for one in (by_calls, by_receipts, by_turns) if one != spent]
    tally.count("sums that differ from what was counted", len(wrong) + (tokens_by_calls != spent_tokens))
    if wrong:
        tally.complain(f"counted {spent}, calls {by_calls}, receipts {by_receipts}, turns {by_turns}")
    tally.count("reserved at the end", int(reserved != 0) + int(reserved_tokens != 0))
