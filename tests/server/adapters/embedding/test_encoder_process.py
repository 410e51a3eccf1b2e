"""The process that an encoder has for itself: its work comes after the server's, and it ends with it, however that
ends."""

import subprocess
import sys

import psutil

from server.adapters.embedding.encoder_process import LOWER_PRIORITY

WITHIN_S = 60
SERVER = """
import asyncio
from multiprocessing import active_children
from server.adapters.embedding.encoder_process import ProcessEmbedder
from tests.server.adapters.embedding.encoder_of_a_test import load

async def main():
    embedder = ProcessEmbedder("test", load)
    await embedder.embed(["a text"])
    print(*(child.pid for child in active_children()), flush=True)
    await asyncio.Event().wait()

if __name__ == "__main__":
    asyncio.run(main())
"""


def test_it_gives_way_to_its_server_and_ends_when_that_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        children = [psutil.Process(int(pid)) for pid in server.stdout.readline().split()]
        below = [child.nice() - psutil.Process(server.pid).nice() for child in children]
        server.kill()
    assert len(children) == 1
    gone, alive = psutil.wait_procs(children, timeout=WITHIN_S)
    for one in alive:
        one.kill()
    assert (len(gone), alive) == (1, [])
    assert below == [LOWER_PRIORITY]
