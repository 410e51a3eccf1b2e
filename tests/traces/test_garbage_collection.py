"""When Python looks for cycles, in processes of their own: it is a setting of a process."""

import subprocess
import sys

import pytest

from traces.garbage_collection import COMMAND_THRESHOLDS

PRINTED_AT_THE_END = (
    "import atexit, gc; atexit.register(lambda: print(gc.get_threshold(), gc.get_freeze_count() > 1000))"
)
"""Registered first, so that it runs last."""


def printed(code: str, *arguments: str) -> str:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


def test_a_command_collects_seldom_and_leaves_everything_alone_when_it_ends() -> None:
    assert printed(f"{PRINTED_AT_THE_END}\nfrom server.app import main; main()", "--help").endswith(
        f"{COMMAND_THRESHOLDS} True\n"
    )


def test_importing_changes_nothing() -> None:
    code = (
        "import gc; before = gc.get_threshold(); import server.app, traces.reader; print(before == gc.get_threshold())"
    )
    assert printed(f"{PRINTED_AT_THE_END}\n{code}").startswith("True\n")


@pytest.mark.parametrize("is_collecting", [True, False])
def test_at_rest_leaves_it_as_it_was(is_collecting: bool) -> None:
    code = (
        f"import gc; from traces.garbage_collection import at_rest; ({is_collecting} or gc.disable())\n"
        "with at_rest():\n    print(gc.isenabled())\nprint(gc.isenabled())"
    )
    assert printed(code) == f"False\n{is_collecting}\n"


def test_a_cycle_that_was_made_at_rest_is_collected_with_the_next_young_ones() -> None:
    code = (
        "import weakref; from traces.garbage_collection import at_rest\n"
        "class Node: pass\n"
        "with at_rest():\n    node = Node(); node.itself = node; seen = weakref.ref(node); del node\n"
        "made = [[n] for n in range(3_000)]; print(seen() is None)"
    )
    assert printed(code) == "True\n"


def test_a_command_that_asks_duckdb_ends_without_a_word() -> None:
    code = (
        "from traces.garbage_collection import collect_little; collect_little(); import duckdb\n"
        "database = duckdb.connect(); print(database.execute('select 1').fetchall())"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert (ended.stdout, ended.stderr) == ("[(1,)]\n", "")
