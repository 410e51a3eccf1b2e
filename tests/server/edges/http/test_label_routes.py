"""Labels and the search of the library over real HTTP."""

from pathlib import Path

import httpx

from tests.server.running_server import STACKS, running_server
from tests.traces.formats.test_what_files_say import BUILD, a_pprof

AS_ANNA = {"Authorization": "Bearer anna"}
TRACES = "/api/v1/traces"


async def test_a_trace_is_labelled_at_upload_changed_and_found(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        for number in range(3):
            sent = await server.http.post(
                f"{TRACES}?name=run{number}.txt&label=branch:main&label=run:{number}&label=program:reader",
                content=STACKS,
                headers=AS_ANNA,
            )
            assert sent.status_code == 201, sent.text
        last = sent.json()["trace"]
        assert (last["labels"], last["program"]) == ({"branch": "main", "run": "2"}, "reader")
        changes = {"labels": {"branch": "feature-x", "run": None}}
        changed = await server.http.patch(f"{TRACES}/{last['traceId']}", json=changes, headers=AS_ANNA)
        assert changed.json()["trace"]["labels"] == {"branch": "feature-x"}

        async def names(**search: str | int | None) -> tuple[list[str], str | None]:
            found = (await server.http.get(TRACES, params=search, headers=AS_ANNA)).json()
            return [one["name"] for one in found["traces"]], found["next"]

        assert await names(label="branch:main") == (["run1.txt", "run0.txt"], None)
        assert await names(label="branch:feature-x", program="reader") == (["run2.txt"], None)
        assert await names(q="run1") == (["run1.txt"], None)
        assert await names(since="2999-01-01") == ([], None)
        shown, cursor = await names(program="reader", limit=2)
        assert shown == ["run2.txt", "run1.txt"]
        assert await names(program="reader", limit=2, cursor=cursor) == (["run0.txt"], None)


async def test_a_form_may_have_its_labels_as_a_field(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:

        async def send(labels: str, query: str = "") -> httpx.Response:
            files = {"file": ("a.txt", STACKS)}
            form = {"note": "passed over", "labels": labels}
            return await server.http.post(f"{TRACES}{query}", data=form, files=files, headers=AS_ANNA)

        stored = (await send('{"branch": "main", "program": "reader"}', "?label=run:7")).json()["trace"]
        assert (stored["labels"], stored["program"]) == ({"branch": "main", "run": "7"}, "reader")
        for labels, naming in (
            ("branch=main", "JSON object of texts"),
            ('{"branch": 7}', "JSON object of texts"),
            ("[" * 20_000, "JSON object of texts"),
            ('{"run": "8"}', "'run' is given twice"),
            ('{"branch": "' + "x" * 10_000 + '"}', "branch has 10,000 characters"),
            ('{"branch": "' + "x" * 40_000 + '"}', "labels has more than"),
            ('{"branch": "a\\u0007b"}', "control characters"),
        ):
            refused = await send(labels, "?label=run:7")
            assert (refused.status_code, naming in refused.text) == (400, True), refused.text
        listed = await server.http.get(TRACES, headers=AS_ANNA)
        assert len(listed.json()["traces"]) == 1


async def test_labels_that_are_none_are_refused_with_which_one_and_store_nothing(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        many = "&".join(f"label=k{number}:v" for number in range(33))
        for asked, naming in (
            ("label=main", "'main'"),
            ("label=Branch:main", "'Branch'"),
            ("label=branch:a&label=branch:b", "'branch' is given twice"),
            (many, "33"),
            ("label=branch:" + "x" * 210, "branch has 210 characters"),
            ("label=branch:" + "x" * 10_000, "branch has 10,000 characters"),
        ):
            refused = await server.http.post(f"{TRACES}?name=a.txt&{asked}", content=STACKS, headers=AS_ANNA)
            assert refused.status_code == 400
            assert naming in refused.text
        assert (await server.http.get(TRACES, headers=AS_ANNA)).json() == {"traces": []}
        for cursor in ("x", "AAAA", "9" * 50):
            refused = await server.http.get(TRACES, params={"limit": 1, "cursor": cursor}, headers=AS_ANNA)
            assert refused.status_code == 400


async def test_labels_are_read_from_the_file_and_what_people_say_goes_before(tmp_path: Path) -> None:
    content = a_pprof("program=shop", "commit=a1", "branch=main", "token=secret")
    async with running_server(tmp_path) as server:
        plain = (await server.upload(content, "run.pb")).json()["trace"]
        assert plain["program"] == "shop"
        assert plain["labels"] == {"branch": "main", "build_id": BUILD, "commit": "a1"}
        labels = ["commit:b2", "program:till", *(f"k{number}:v" for number in range(31))]
        params = {"name": "run.pb", "label": labels}
        answer = await server.http.post(
            "/api/v1/traces", params=params, content=content, headers={"Authorization": "Bearer anna"}
        )
        given = answer.json()["trace"]
        assert (given["program"], given["labels"]["commit"], len(given["labels"])) == ("till", "b2", 32)
