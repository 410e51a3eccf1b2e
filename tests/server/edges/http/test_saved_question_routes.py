"""Saved questions over real HTTP: kept, run as they are, and nobody else's."""

from pathlib import Path

from tests.server.edges.http.test_run_question_routes import AS_ANNA, AS_BEN, RUN, a_night
from tests.server.running_server import running_server

SAVED = "/api/v1/questions"
SERIES = {"form": "series", "measure": {"kind": "function", "name": "read"}}


async def test_a_question_is_saved_run_changed_and_removed(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        for number in range(2):
            await a_night(server, number, 300)
        made = await server.http.post(SAVED, json={"name": "  the\nnight ", "question": SERIES}, headers=AS_ANNA)
        assert made.status_code == 201, made.text
        saved = made.json()["question"]
        assert (saved["name"], saved["question"]) == ("the night", SERIES)
        listed = (await server.http.get(SAVED, headers=AS_ANNA)).json()["questions"]
        assert listed == [saved]
        run = await server.http.post(RUN, json={"question": saved["question"]}, headers=AS_ANNA)
        assert run.status_code == 200, run.text
        one = f"{SAVED}/{saved['questionId']}"
        sql = {"form": "sql", "sql": "select 1"}
        changed = await server.http.patch(one, json={"question": sql}, headers=AS_ANNA)
        assert (changed.json()["question"]["name"], changed.json()["question"]["question"]) == ("the night", sql)
        assert (await server.http.patch(one, json={"name": "n"}, headers=AS_ANNA)).json()["question"]["question"] == sql
        assert (await server.http.get(SAVED, headers=AS_BEN)).json() == {"questions": []}
        for refused in (
            await server.http.patch(one, json={"name": "x"}, headers=AS_BEN),
            await server.http.delete(one, headers=AS_BEN),
        ):
            assert refused.status_code == 404
        assert (await server.http.delete(one, headers=AS_ANNA)).status_code == 204
        assert (await server.http.get(SAVED, headers=AS_ANNA)).json() == {"questions": []}


async def test_what_is_no_question_or_has_no_name_is_not_saved(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        for body, part in (
            ({"name": " \n", "question": SERIES}, "needs a name"),
            ({"name": "x" * 121, "question": SERIES}, "at most 120"),
            ({"name": "x", "question": {"form": "tables"}}, "form"),
            ({"name": "x", "question": SERIES | {"secret": 1}}, "secret"),
        ):
            refused = await server.http.post(SAVED, json=body, headers=AS_ANNA)
            assert refused.status_code == 400, body
            assert part in refused.json()["detail"], refused.text
        assert (await server.http.get(SAVED, headers=AS_ANNA)).json() == {"questions": []}
