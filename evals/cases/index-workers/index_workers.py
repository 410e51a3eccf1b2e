"""Indexes documents on four threads: `python index_workers.py SECONDS`. Planted: long texts go to `indexer-2`, whose
`stem` strips suffixes one by one; the others wait for work."""

import queue
import random
import sys
import threading
import time

SUFFIXES = [f"{a}{b}" for a in ("ing", "ed", "ly", "er", "ment", "ation") for b in ("", "s", "ness")]


def stem(word: str) -> str:
    for suffix in SUFFIXES:
        if word.endswith(suffix) and len(word) > len(suffix) + 2:
            word = word[: -len(suffix)]
    return word


def split(text: str) -> list[str]:
    return text.split(" ")


def index(text: str, counts: dict[str, int]) -> None:
    for word in split(text):
        root = stem(word)
        counts[root] = counts.get(root, 0) + 1


def work(inbox: "queue.Queue[str | None]") -> None:
    counts: dict[str, int] = {}
    while (text := inbox.get()) is not None:
        index(text, counts)


def main() -> None:
    dice, until = random.Random(4), time.monotonic() + float(sys.argv[1])
    inboxes: list[queue.Queue[str | None]] = [queue.Queue(2) for _ in range(4)]
    threads = [threading.Thread(target=work, args=(inbox,), name=f"indexer-{n}") for n, inbox in enumerate(inboxes)]
    for thread in threads:
        thread.start()
    words = ["indexing", "slowly", "workers", "statements", "foundation", "kindness"]
    while time.monotonic() < until:
        long = " ".join(dice.choices(words, k=20000))
        inboxes[2].put(long)
        inboxes[dice.choice((0, 1, 3))].put(long[:300])
    for inbox in inboxes:
        inbox.put(None)


main()
