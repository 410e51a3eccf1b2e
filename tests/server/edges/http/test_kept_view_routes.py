"""Views whose address is too long, over real HTTP: kept under a short id, for whoever may see the trace."""

from pathlib import Path

from tests.server.edges.test_every_route import SHARING
from tests.server.running_server import STACKS, running_server

AS_ANNA = {"Authorization": "Bearer anna"}


async def test_the_same_view_has_the_same_short_id_and_is_read_behind_a_link(tmp_path: Path) -> None:
    async with running_server(tmp_path, plan=SHARING) as server:
        trace = (await server.upload(STACKS, "stacks.txt")).json()["trace"]["traceId"]
        views = f"/api/v1/traces/{trace}/views"
        parts = {"transforms": "drop-function:" + "x" * 3_900, "find": "<b>é"}
        made = [await server.http.post(views, json=parts, headers=AS_ANNA) for _ in range(2)]
        other = await server.http.post(views, json={"find": "x"}, headers=AS_ANNA)
        assert [answer.status_code for answer in made] == [201, 201]
        view_id = made[0].json()["viewId"]
        assert made[1].json() == {"viewId": view_id} != other.json()
        assert len(view_id) == 12
        read = await server.http.get(f"{views}/{view_id}", headers=AS_ANNA)
        assert read.json() == parts
        token = (await server.http.put(f"/api/v1/traces/{trace}/link", headers=AS_ANNA)).json()["token"]
        assert (await server.http.get(f"/api/v1/shared/{token}/views/{view_id}")).json() == parts
        assert (await server.http.get(f"/api/v1/shared/{token}/views/nothing")).status_code == 404


async def test_parts_that_no_view_has_are_refused(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        trace = (await server.upload(STACKS, "stacks.txt")).json()["trace"]["traceId"]
        views = f"/api/v1/traces/{trace}/views"
        for body, status in (
            ({"find": "x" * 501}, 400),
            ({"transforms": "x" * 4_001}, 400),
            ({"window": "1"}, 400),
            ({"transforms": "x" * 2_000_000}, 413),
        ):
            assert (await server.http.post(views, json=body, headers=AS_ANNA)).status_code == status
