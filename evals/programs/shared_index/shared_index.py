"""Indexes documents with four threads. With 1 the index is locked while a document is fetched, with 0 only while it is
written to."""

import sys
import threading
import time


class Index:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.words: dict[str, int] = {}

    def add(self, words: list[str]) -> None:
        for word in words:
            self.words[word] = self.words.get(word, 0) + 1


def fetch_document(n: int) -> list[str]:
    time.sleep(0.02)
    return [f"word{n * k % 700}" for k in range(400)]


def index_document(index: Index, n: int, fetch_inside: bool) -> None:
    if fetch_inside:
        with index.lock:
            index.add(fetch_document(n))
        return
    words = fetch_document(n)
    with index.lock:
        index.add(words)


def work(index: Index, numbers: range, fetch_inside: bool) -> None:
    for n in numbers:
        index_document(index, n, fetch_inside)


def main(fetch_inside: bool) -> None:
    index = Index()
    count = 30 if fetch_inside else 100
    workers = [
        threading.Thread(target=work, args=(index, range(count), fetch_inside), name=f"indexer-{n}") for n in range(4)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


main(sys.argv[1] == "1")
