"""A cache that cleans up after every entry: `python cache_collect.py ENTRIES`. Planted: `evict` calls `gc.collect`."""

import gc
import sys


class Entry:
    def __init__(self, key: int) -> None:
        self.key = key
        self.me = self


def encode(key: int) -> str:
    text = ""
    for n in range(60):
        text += chr(97 + (key * n) % 26)
    return text


def evict(cache: dict[int, Entry], keep: int) -> None:
    for key in list(cache)[:-keep]:
        del cache[key]
    gc.collect()  # as if memory had to be free at once


def put(cache: dict[int, Entry], key: int) -> None:
    cache[key] = Entry(key)
    encode(key)
    evict(cache, 50)


def main() -> None:
    ballast = [[n] for n in range(60_000)]
    cache: dict[int, Entry] = {}
    for key in range(int(sys.argv[1])):
        put(cache, key)
    print(len(cache), len(ballast))


main()
