"""One user who keeps a thousand prompts in flight, and what another one notices of it: how long their reads take, and
their tokens from the model to the page."""

import asyncio
import json
import os
import sys
import uuid
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, monotonic_ns

import httpx
import websockets

from tests.cloud.cloud import a_cloud
from tests.cloud.people import person_id
from tests.soak.fleet import COMMAND, STACKS, START_S, STOP_S
from tests.soak.following import ENDS
from tests.soak.speaking import Script, from_letters, in_letters, speaking_endpoint
from tests.soak.tally import Figure, Tally, exactly, reported

IN_FLIGHT = 1_000
PHASE_S = 20.0
AGAIN_S = 0.1
WORDS, EVERY_MS = 60, 20.0
TURN_S = 120.0
CUT = 6
"""Letters: a time of a running machine has more."""
READS_MORE, TOKENS_MORE = 2.0, 1.3
"""How many times as long as without the neighbour p95 may be."""
PLAN = {
    "name": "many-turns",
    "displayName": "Many turns",
    "priceMonthlyCents": 0,
    "chatMessagesPerSession": None,
    "chatSessionsLimit": None,
    "chatSessionsPeriod": None,
    "monthlyUploadLimit": None,
    "totalTraceLimit": None,
    "retentionDays": None,
    "allowPublicSharing": False,
    "reason": "many turns",
}
QUIET, LOUD = "alone", "with the neighbour"


@dataclass(frozen=True, slots=True)
class Place:
    address: str
    token: str
    trace_id: str


@dataclass(frozen=True, slots=True)
class Neighbour:
    """`aim` is how many times somebody reads and asks alone, and then with `in_flight` prompts of another user."""

    name: str = "neighbour"
    aim: int = 3
    in_flight: int = IN_FLIGHT
    phase_s: float = PHASE_S

    async def run(self, folder: Path, saved: Path, tally: Tally, until: float) -> None:
        """Phases in turn, until the aim or the time is reached."""
        async with _two_people(folder) as (ben, anna):
            await _one_turn(ben, Tally(self.name, 1), QUIET)
            while not tally.done or (not tally.is_complete and monotonic() < until):
                await self._phase(ben, tally, QUIET)
                noise = await asyncio.create_subprocess_exec(
                    *(sys.executable, "-m", "tests.soak.neighbour", anna.address, anna.token, anna.trace_id),
                    *(str(self.in_flight), str(self.phase_s)),
                    stdout=asyncio.subprocess.PIPE,
                )
                try:
                    await self._phase(ben, tally, LOUD)
                finally:
                    said, _ = await noise.communicate()
                for name, number in json.loads(said).items():
                    tally.count(name, number)
                tally.done += 1
                tally.save(saved)

    async def _phase(self, place: Place, tally: Tally, when: str) -> None:
        end = monotonic() + self.phase_s
        reading = asyncio.create_task(_read_on(place, tally, when, end))
        while monotonic() < end:
            await _one_turn(place, tally, when)
        await reading

    def figures(self, tally: Tally) -> list[Figure]:
        return [
            Figure(self.name, "pairs of phases", f"{tally.done}", f">= {self.aim}", tally.is_complete),
            *(reported(tally, name) for name in sorted(tally.counts) if name.startswith("the neighbour's")),
            self._compared(tally, "a read", READS_MORE),
            self._compared(tally, "a token", TOKENS_MORE),
            self._compared(tally, "a conversation opens", READS_MORE),
            exactly(tally, "reads that failed", 0),
            exactly(tally, "turns that failed", 0),
        ]

    def _compared(self, tally: Tally, what: str, more: float) -> Figure:
        quiet, loud = (_p95(tally.samples.get(f"{what} {when}", [])) for when in (QUIET, LOUD))
        seen = f"p95 {1000 * quiet:.0f} ms alone, {1000 * loud:.0f} ms with the neighbour"
        return Figure(self.name, what, seen, f"<= {more:g} times", 0 < loud <= more * quiet)


def _p95(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.95)] if values else 0.0


@asynccontextmanager
async def _two_people(folder: Path) -> AsyncIterator[tuple[Place, Place]]:
    """A server of a cloud, with two people who have a trace each: Ben on a plan without limits of messages, Anna on the
    free one, whose are soon reached."""
    folder.mkdir(parents=True, exist_ok=True)
    async with speaking_endpoint() as endpoint, a_cloud(folder / "database") as cloud:
        model = {"FLAMECHAT_MODEL_BASE_URL": endpoint.base_url, "FLAMECHAT_MODEL": "fake"}
        with (folder / "server.log").open("wb") as log:
            process = await asyncio.create_subprocess_exec(
                *(*COMMAND, "--data", str(folder / "data")),
                env={"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")} | cloud.settings() | model,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
            )
        try:
            assert process.stdout is not None
            async with asyncio.timeout(START_S):
                address = (await process.stdout.readline()).decode().removeprefix("Flamechat is at ").strip()
            cloud.supabase.auth.administrators.add("ben")
            places = []
            for person in ("ben", "anna"):
                token = await cloud.supabase.auth.sign_in(person)
                async with _client(address, token) as http:
                    stored = await http.post("/api/v1/traces", params={"name": "stacks.txt"}, content=STACKS)
                    stored.raise_for_status()
                    if person == "ben":
                        (await http.post("/api/v1/admin/plans", json=PLAN)).raise_for_status()
                        choice = {"plan": PLAN["name"], "reason": "many turns"}
                        (await http.put(f"/api/v1/admin/users/{person_id('ben')}/plan", json=choice)).raise_for_status()
                places.append(Place(address, token, stored.json()["trace"]["traceId"]))
            yield places[0], places[1]
        finally:
            process.terminate()
            async with asyncio.timeout(STOP_S):
                await process.communicate()


def _client(address: str, token: str) -> httpx.AsyncClient:
    limits = httpx.Limits(max_connections=None)
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.AsyncClient(base_url=address, headers=headers, trust_env=False, timeout=TURN_S, limits=limits)


async def _read_on(place: Place, tally: Tally, when: str, end: float) -> None:
    async with _client(place.address, place.token) as http:
        while monotonic() < end:
            started = monotonic()
            answer = await http.get("/api/v1/traces")
            tally.sample(f"a read {when}", monotonic() - started)
            if not answer.is_success:
                tally.count("reads that failed")
                tally.complain(f"a read {when}: {answer.status_code} {answer.text[:200]}")
            await asyncio.sleep(AGAIN_S)


async def _one_turn(place: Place, tally: Tally, when: str) -> None:
    """A turn whose words say when the model sent them."""
    session_id = str(uuid.uuid4())
    script = Script(in_letters(uuid.uuid4().int >> 90), words=WORDS, every_ms=EVERY_MS, timed=True)
    url = place.address.replace("http", "ws") + "/api/v1/chat"
    kind, opened = "nothing", monotonic()
    try:
        async with asyncio.timeout(TURN_S), websockets.connect(url, proxy=None, max_size=None) as socket:
            opening = {"type": "start_analysis", "traceId": place.trace_id, "sessionId": session_id}
            await socket.send(json.dumps(opening | {"accessToken": place.token}))
            await socket.recv()
            tally.sample(f"a conversation opens {when}", monotonic() - opened)
            await socket.send(json.dumps({"type": "user_prompt", "sessionId": session_id, "prompt": script.prompt}))
            while kind not in ENDS and not kind.endswith("error"):
                message = json.loads(await socket.recv())
                kind = message["type"]
                if kind in {"model_chunk_start", "model_chunk_append"}:
                    _note_delays(message["chunk"], tally, when)
    except (TimeoutError, OSError, websockets.WebSocketException) as error:
        tally.complain(f"a turn {when}: {type(error).__name__} after {kind}")
    if kind != "model_response_end":
        tally.count("turns that failed")
        tally.complain(f"a turn {when} ended with {kind}")


def _note_delays(chunk: str, tally: Tally, when: str) -> None:
    """The words of a timed script say when they were sent; a word may be cut at the chunk's end."""
    now = monotonic_ns() // 1000
    for word in chunk.split(" "):
        if len(word) > CUT and word.isalpha() and word.islower():
            delay = (now - from_letters(word)) / 1e6
            if 0 <= delay < TURN_S:
                tally.sample(f"a token {when}", delay)


async def _noise(place: Place, clients: int, seconds: float) -> Counter[str]:
    """Prompts without a pause of so many clients, and how they were answered."""
    answered, end = Counter[str](), monotonic() + seconds
    async with _client(place.address, place.token) as http:

        async def ask_on() -> None:
            while monotonic() < end:
                question = {"message": "Why is it slow?", "flamechat_trace_id": place.trace_id}
                try:
                    answer = await http.post("/api/chat", json=question)
                    answered[f"the neighbour's prompts answered {answer.status_code}"] += 1
                except httpx.HTTPError as error:
                    answered[f"the neighbour's prompts: {type(error).__name__}"] += 1

        await asyncio.gather(*(ask_on() for _ in range(clients)))
    return answered


if __name__ == "__main__":
    found = asyncio.run(_noise(Place(*sys.argv[1:4]), int(sys.argv[4]), float(sys.argv[5])))
    sys.stdout.write(json.dumps(found))
