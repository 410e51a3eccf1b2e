"""What a link to a trace answers is what its owner is answered."""

from dataclasses import replace
from pathlib import Path

from limits.plans import LOCAL_PLAN
from tests.server.edges.test_every_route import AS_ANNA, BY_LINK, KNOWN, annas_server
from tests.server.running_server import running_server

SHARED, OWN = "/api/v1/shared/{token}/", "/api/v1/traces/{trace_id}/"
OF_PEOPLE = {"notes"}
"""A link shows them without whose they are."""


async def test_a_question_by_a_link_has_the_answer_that_the_owner_gets(tmp_path: Path) -> None:
    asked = {path.removeprefix(SHARED) for _, path in BY_LINK if path.startswith(SHARED)} - OF_PEOPLE
    both = sorted(name for name in asked if ("GET", OWN + name) in KNOWN)
    assert len(both) > 8
    async with annas_server(tmp_path) as (server, annas):
        differing = []
        for name in both:
            by_link = await server.http.get(annas.path(SHARED + name))
            by_owner = await server.http.get(annas.path(OWN + name), headers=AS_ANNA)
            assert by_link.status_code == 200, name
            if not by_link.content or by_link.content != by_owner.content:
                differing.append((name, by_link.text[:300], by_owner.text[:300]))
    assert differing == []


async def test_pictures_by_a_link_do_not_count_in_its_makers_month(tmp_path: Path) -> None:
    plan = replace(LOCAL_PLAN, name="few", allow_public_sharing=True, monthly_render_limit=1)
    async with running_server(tmp_path, plan=plan) as server:
        trace = await server.trace_id()
        own = f"/api/v1/traces/{trace}/flamegraph.png"
        token = (await server.http.put(f"/api/v1/traces/{trace}/link", headers=AS_ANNA)).json()["token"]
        shared = f"/api/v1/shared/{token}/flamegraph.png"
        for width in ("300", "400", "500"):
            assert (await server.http.get(shared, params={"width": width})).status_code == 200
        assert (await server.http.get(own, headers=AS_ANNA)).status_code == 200
        assert (await server.http.get(own, params={"width": "600"}, headers=AS_ANNA)).status_code == 429
        assert (await server.http.get(shared, params={"width": "wide"})).status_code == 422
