"""The process that an encoder has for itself: it ends with its server, however that ends."""

import subprocess
import sys

import psutil

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


def test_it_ends_with_a_server_that_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        children = [psutil.Process(int(pid)) for pid in server.stdout.readline().split()]
        server.kill()
    assert len(children) == 1
    gone, alive = psutil.wait_procs(children, timeout=WITHIN_S)
    for one in alive:
        one.kill()
    assert (len(gone), alive) == (1, [])
