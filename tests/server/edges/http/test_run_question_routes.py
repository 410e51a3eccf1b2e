"""Questions over many recordings over real HTTP, from upload to answer."""

from pathlib import Path

from tests.server.running_server import RunningServer, running_server

AS_ANNA = {"Authorization": "Bearer anna"}
AS_BEN = {"Authorization": "Bearer ben"}
RUN = "/api/v1/questions/run"


async def a_night(server: RunningServer, number: int, read: int, *labels: str) -> str:
    """A recording in which `read` takes this much."""
    content = f"main;parse;read {read}\nmain;parse 200\nmain;render;paint 80\nmain 20\n".encode()
    named = "&".join(f"label={label}" for label in (f"commit:c{number}", "program:reader", *labels))
    sent = await server.http.post(f"/api/v1/traces?name=n{number}.txt&{named}", content=content, headers=AS_ANNA)
    assert sent.status_code == 201, sent.text
    trace_id: str = sent.json()["trace"]["traceId"]
    return trace_id


async def test_nights_are_asked_in_words_and_the_question_that_was_run_can_be_run_again(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        ids = [
            await a_night(server, number, 300 if number < 4 else 450, f"branch:{'main' if number % 2 else 'x-1'}")
            for number in range(7)
        ]
        asked = await server.http.post(RUN, json={"text": "Since when is `read` slow?"}, headers=AS_ANNA)
        assert asked.status_code == 200, asked.text
        answer = asked.json()["answer"]
        assert "From `c4`" in answer["headline"]
        assert "from 300 to 450" in answer["headline"]
        assert "50.0%" in answer["headline"]
        assert [point["traceId"] for point in answer["chart"]["points"]] == ids
        assert [row[2] for row in answer["table"]["rows"]] == ["300"] * 4 + ["450"] * 3
        again = await server.http.post(RUN, json={"question": answer["question"]}, headers=AS_ANNA)
        assert again.json()["answer"] == answer
        of_main = answer["question"] | {"runs": {"labels": {"branch": "main"}}}
        narrowed = (await server.http.post(RUN, json={"question": of_main}, headers=AS_ANNA)).json()["answer"]
        assert [point["label"] for point in narrowed["chart"]["points"]] == ["c1", "c3", "c5"]
        for text, part in (
            ("does read above 55% come back?", "newest 3 of 7"),
            ("main against x-1", "largest changes: `read`"),
        ):
            answer = (await server.http.post(RUN, json={"text": text}, headers=AS_ANNA)).json()["answer"]
            assert part in answer["headline"], answer


async def test_what_is_not_there_is_refused_with_the_nearest_and_nothing_else_is_answered(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        await a_night(server, 0, 300, "branch:main")
        series = {"form": "series", "measure": {"kind": "function", "name": "read"}}
        for asked, part in (
            ({"text": "since when is `raed` slow?"}, "read"),
            ({"text": "how did read change on branch mian"}, "The nearest: `main`"),
            ({"text": "what is the weather"}, "I do not know this as a question"),
            ({"question": series | {"runs": {"program": "raeder"}}}, "The nearest: `reader`"),
            ({"question": series | {"by": "relaese"}}, "label `relaese`"),
            ({"question": series | {"measure": {"kind": "figure", "name": "durtion"}}}, "figure `durtion`"),
            ({"question": {"form": "recurrence", "measure": {"kind": "finding", "name": "n-plus"}}}, "n-plus-one"),
            ({"question": series | {"form": "sql"}}, "sql: Field required"),
            ({"question": series | {"form": "tables"}}, "form"),
            ({"question": series | {"sql": "delete from traces"}}, "sql"),
            ({"question": {}}, "form"),
            ({"text": '{"form": "series", "measure"'}, "no JSON"),
            ({}, "either text or a question"),
            ({"text": "read by release", "question": series}, "either text or a question"),
        ):
            refused = await server.http.post(RUN, json=asked, headers=AS_ANNA)
            assert refused.status_code == 400, (asked, refused.text)
            assert part in refused.json()["detail"], (asked, refused.text)


async def test_recordings_of_another_account_are_as_if_there_were_none(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        await a_night(server, 0, 300, "branch:secret")
        for text in ("since when is `read` slow?", "read by release", "main against secret"):
            refused = await server.http.post(RUN, json={"text": text}, headers=AS_BEN)
            assert refused.status_code == 400
            assert refused.json()["detail"] == "There are no recordings to ask about."
        await server.upload(name="bens.txt", token="ben", content=b"main;work 10\nmain;rest 20\n")
        for text in ("since when is `read` slow?", "how did work change on branch secret"):
            refused = await server.http.post(RUN, json={"text": text}, headers=AS_BEN)
            assert refused.status_code == 400
            assert "300" not in refused.text
        series = {"form": "series", "measure": {"kind": "function", "name": "read"}}
        refused = await server.http.post(RUN, json={"question": series}, headers=AS_BEN)
        assert refused.status_code == 400
        assert "no recording has" in refused.text.lower()


async def test_recordings_that_were_deleted_are_counted_where_their_points_would_be(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        ids = [await a_night(server, number, 300, "branch:main") for number in range(5)]
        series = {"form": "series", "measure": {"kind": "function", "name": "read"}}

        async def notes(**changes: object) -> list[str]:
            asked = await server.http.post(RUN, json={"question": series | changes}, headers=AS_ANNA)
            found: list[str] = asked.json()["answer"]["notes"]
            return found

        assert await notes() == []
        for gone in (ids[0], ids[3]):
            assert (await server.http.delete(f"/api/v1/traces/{gone}", headers=AS_ANNA)).status_code == 204
        assert await notes() == ["2 further recordings were deleted or expired."]
        assert await notes(runs={"last": 2}) == ["1 further recording was deleted or expired."]
        assert await notes(runs={"labels": {"branch": "main"}, "last": 1}) == []


async def test_sql_over_the_recordings_is_answered_from_the_callers_own(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        ids = [await a_night(server, number, 300 + 100 * number, "branch:main") for number in range(3)]
        await server.upload(name="bens.txt", token="ben", content=b"main;secret 10\nmain;rest 20\n")
        sql = "select trace, commit, self_value from lib.functions where name = 'read' order by uploaded"
        asked = await server.http.post(RUN, json={"question": {"form": "sql", "sql": sql}}, headers=AS_ANNA)
        assert asked.status_code == 200, asked.text
        answer = asked.json()["answer"]
        assert answer["table"]["rows"] == [[ids[n], f"c{n}", f"{300 + 100 * n}"] for n in range(3)]
        assert [(point["traceId"], point["value"]) for point in answer["chart"]["points"]] == [
            (ids[n], 300 + 100 * n) for n in range(3)
        ]
        assert (answer["chart"]["kind"], answer["question"]["sql"]) == ("bars", sql)
        every = {"form": "sql", "sql": "select count(*) as n from lib.functions"}
        for narrowed, count in (({}, 15), ({"functions": ["read"]}, 3), ({"runs": {"labels": {"commit": "c1"}}}, 5)):
            found = await server.http.post(RUN, json={"question": every | narrowed}, headers=AS_ANNA)
            assert found.json()["answer"]["table"]["rows"] == [[str(count)]], narrowed
        typed = await server.http.post(RUN, json={"text": sql}, headers=AS_ANNA)
        assert typed.json()["answer"] == answer
        of_ben = await server.http.post(RUN, json={"text": "select distinct name from lib.functions"}, headers=AS_BEN)
        assert sorted(row[0] for row in of_ben.json()["answer"]["table"]["rows"]) == ["main", "rest", "secret"]
        stolen = {"form": "sql", "sql": "select * from frames", "trace": ids[0]}
        refused = await server.http.post(RUN, json={"question": stolen}, headers=AS_BEN)
        assert refused.status_code == 404
        own = await server.http.post(RUN, json={"question": stolen | {"trace": ids[2]}}, headers=AS_ANNA)
        assert "read" in own.text
        for wrong, part in (
            ("select nme from lib.functions", "lib.functions has trace"),
            ("delete from lib.traces", "only SELECT"),
            ("select * from public.traces", "lib.traces"),
        ):
            refused = await server.http.post(RUN, json={"question": {"form": "sql", "sql": wrong}}, headers=AS_ANNA)
            assert refused.status_code == 400, wrong
            assert part in refused.json()["detail"], refused.text
