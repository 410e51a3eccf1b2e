"""Visits of a museum: each visitor's route is kept for ever in a list that nobody reads."""
import sys

history = []
ROOMS = [f"room {n}" for n in range(40)]


def step(visitor, at):
    return {"visitor": visitor, "room": ROOMS[(visitor * 7 + at) % 40], "minute": at * 3}


def walk(visitor):
    return [step(visitor, at) for at in range(25)]


def remember(route):
    history.append([dict(one) for one in route])


def heat_map(route, cells):
    for one in route:
        cells[hash(one["room"]) % len(cells)] += 1


def poster(day):
    return bytearray(600_000 + day)


def load_floor_plan():
    return [[0] * 120 for _ in range(200)]


def day_of(day, visitors):
    cells = [0] * 50_000
    for visitor in range(visitors):
        route = walk(visitor)
        heat_map(route, cells)
        remember(route)
    return len(poster(day)) + sum(cells)


def main():
    plan = load_floor_plan()
    total = 0
    for day in range(int(sys.argv[1])):
        total += day_of(day, 160)
    print(total, len(plan))


main()
