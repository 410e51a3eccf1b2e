"""A gate that Anna keeps, for the tests of every route."""

from tests.server.running_server import RunningServer

AS_ANNA = {"Authorization": "Bearer anna"}


async def a_gate_of_annas(server: RunningServer) -> tuple[str, str]:
    """Its id, and the id of what came of an upload."""
    wish = {"name": "Anna's", "rules": ["total +3%"], "baseline": {"branch": "main"}}
    made = await server.http.post("/api/v1/gates", json=wish, headers=AS_ANNA)
    await server.upload(name="judged.txt")
    checks = server.parts.gate_checks
    assert checks is not None
    assert await checks.check_one()
    (result,) = (await server.http.get("/api/v1/gates/results", headers=AS_ANNA)).json()["results"]
    return made.json()["gate"]["gateId"], result["resultId"]
