"""What a link to a trace answers is what its owner is answered."""

from pathlib import Path

from tests.server.edges.test_every_route import AS_ANNA, BY_LINK, KNOWN, annas_server

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
