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
