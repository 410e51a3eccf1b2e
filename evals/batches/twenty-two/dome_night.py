"""A night in an observatory, all in one event loop: the weather is looked at every 20 ms, stars are exposed one after
the other, and each picture is solved in the loop itself. A thread writes the pictures out meanwhile."""
import asyncio
import queue
import threading
import time

pictures = queue.Queue()


async def watch_weather(stop):
    while not stop.is_set():
        read_wind()
        await asyncio.sleep(0.02)


def read_wind():
    return sum(n * n for n in range(2_000))


async def expose(star):
    await asyncio.sleep(0.03 if star != 5 else 0.34)  # clouds before the sixth star
    return [(star * 31 + n * 17) % 997 for n in range(6_000)]


def find_spots(pixels):
    return sorted(n for n, light in enumerate(pixels) if light > 900)


def match_catalogue(spots):
    best = 0
    for shift in range(140):
        hits = sum(1 for at in spots if (at * 7 + shift) % 13 == 0)
        best = max(best, hits)
    return best


def solve_plate(pixels):
    return match_catalogue(find_spots(pixels))


async def observe(stars):
    for star in range(stars):
        pixels = await expose(star)
        pictures.put((star, pixels))
        solve_plate(pixels)


def pack(pixels):
    return bytes(light % 256 for light in pixels)


def write_picture(star, pixels):
    packed = pack(pixels)
    time.sleep(0.004)
    return len(packed)


def archive():
    while (picture := pictures.get()) is not None:
        write_picture(*picture)


async def night():
    stop = asyncio.Event()
    weather = asyncio.create_task(watch_weather(stop))
    await observe(14)
    stop.set()
    await weather


writer = threading.Thread(target=archive, name="archivist")
writer.start()
asyncio.run(night())
pictures.put(None)
writer.join()
