"""Four taxi dispatchers give rides to cabs. The map of the town is locked while a route is asked of it."""

import threading
import time

TOWN = threading.Lock()
RIDES = []


def ask_route(ride):
    time.sleep(0.028)
    return ride * 7 % 31


def find_route(ride):
    with TOWN:
        return ask_route(ride)


def fare(minutes):
    total = 0
    for step in range(60_000):
        total += (minutes * step) % 13
    return total


def dispatch(ride):
    minutes = find_route(ride)
    RIDES.append((ride, fare(minutes)))


def shift(first):
    for ride in range(first, first + 40):
        dispatch(ride)


def radio_news():
    for _ in range(16):
        time.sleep(0.3)


def main():
    crew = [threading.Thread(target=shift, args=(100 * n,), name=f"dispatcher-{n}") for n in range(1, 5)]
    crew.append(threading.Thread(target=radio_news, name="radio"))
    for one in crew:
        one.start()
    for one in crew:
        one.join()
    print(len(RIDES))


main()
