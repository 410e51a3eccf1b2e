"""`flamechat ask` against a server."""

import json
import unicodedata
from pathlib import Path

from tests.hostile.names import NAMES
from tests.server.edges.cli.test_upload_command import flamechat
from tests.server.edges.http.test_run_question_routes import a_night
from tests.server.running_server import running_server


async def test_a_question_is_answered_with_a_sentence_and_its_rows(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        for number in range(6):
            await a_night(server, number, 300 if number < 3 else 450)
        asked = await flamechat("ask", "how did read develop?", "--server", server.address)
        assert asked.exit_code == 0, asked.output
        first, _, head, *rows = asked.stdout.splitlines()
        assert first.startswith("From `c3`")
        assert head.split() == ["recording", "uploaded", "self"]
        assert [row.split()[0] for row in rows] == ["c0", "c1", "c2", "c3", "c4", "c5"]
        as_json = json.loads((await flamechat("ask", "read by commit", "--json", "--server", server.address)).stdout)
        assert as_json["question"]["by"] == "commit"
        again = await flamechat("ask", json.dumps(as_json["question"]), "--json", "--server", server.address)
        assert json.loads(again.stdout) == as_json
        refused = await flamechat("ask", "since when is `raed` slow", "--server", server.address)
        assert refused.exit_code == 1
        assert "The nearest" in refused.stderr


async def test_no_label_or_name_speaks_to_the_terminal(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        for name in NAMES.values():
            content = f"main;parse;{name.replace(';', ' ').replace(chr(10), ' ')} 300\nmain;parse;read 80\nmain 1\n"
            await server.upload(name="n.txt", content=content.encode("utf-8", "replace"))
        for question in (
            "since when is `\x1b[2J` slow",
            "how did read develop",
            "how did \u202eread develop by commit",
        ):
            asked = await flamechat("ask", question, "--server", server.address)
            printed = asked.stdout + asked.stderr
            assert not [c for c in printed if c != "\n" and unicodedata.category(c) in {"Cc", "Cf", "Co", "Cs"}], (
                printed
            )


async def test_sql_over_a_servers_recordings_and_the_chart_of_an_answer(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        for number in range(3):
            await a_night(server, number, 300 + number)
        sql = "select commit, self_value from lib.functions where name = 'read' order by commit"
        asked = await flamechat("query", "--library", sql, "--json", "--server", server.address)
        assert asked.exit_code == 0, asked.output
        assert json.loads(asked.stdout)["table"]["rows"] == [["c0", "300"], ["c1", "301"], ["c2", "302"]]
        chart = tmp_path / "out.png"
        drawn = await flamechat("ask", "how did read develop", "--chart", str(chart), "--server", server.address)
        assert drawn.exit_code == 0, drawn.output
        assert chart.read_bytes()[:4] == b"\x89PNG"
        two = await flamechat(
            "ask", "select 1 as a, 2 as b from lib.traces", "--chart", str(chart), "--server", server.address
        )
        assert two.exit_code == 1
        assert "has no chart" in two.stderr
        for misused in (("query", "--library", sql, str(chart)), ("query",), ("query", str(chart))):
            assert (await flamechat(*misused, "--server", server.address)).exit_code == 2, misused
        refused = await flamechat("query", "--library", "drop table lib.traces", "--server", server.address)
        assert refused.exit_code == 1
        assert "only SELECT" in refused.stderr
