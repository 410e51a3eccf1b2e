"""Makes thumbnails with threads. With 1 with forty-eight of them, which take turns; with 0 with one."""

import sys
import threading


def shrink(pixels: list[int], factor: int) -> list[int]:
    return [sum(pixels[n : n + factor]) // factor for n in range(0, len(pixels) - factor, factor)]


def sharpen(pixels: list[int]) -> list[int]:
    return [max(0, min(255, 2 * b - (a + c) // 2)) for a, b, c in zip(pixels, pixels[1:], pixels[2:], strict=False)]


def make_thumbnail(seed: int) -> int:
    return sum(sharpen(shrink([(n * seed) % 256 for n in range(60_000)], 4)))


def work(jobs: list[int], lock: threading.Lock) -> None:
    while True:
        with lock:
            if not jobs:
                return
            seed = jobs.pop()
        make_thumbnail(seed)


def main(threads: int) -> None:
    jobs, lock = list(range(1, 241)), threading.Lock()
    pool = [threading.Thread(target=work, args=(jobs, lock), name=f"thumb-{n}") for n in range(threads)]
    for one in pool:
        one.start()
    for one in pool:
        one.join()


main(48 if sys.argv[1] == "1" else 1)
