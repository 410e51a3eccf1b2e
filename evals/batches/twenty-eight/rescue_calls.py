"""A mountain rescue station takes six calls at once on one event loop."""

import asyncio
import time

GRID = 14


async def locate_phone(number):
    await asyncio.sleep(0.03 + number * 0.004)
    return (number * 5 % GRID, number * 11 % GRID)


def slope_cost(x, y):
    height = sum(range(x * y, x * y + 9000))
    return height % 9 + 1


def plan_route(start):
    """Cheapest way over the grid to the hut; plain Python, and nothing else runs meanwhile."""
    costs = {start: 0}
    edge = [start]
    while edge:
        x, y = edge.pop(0)
        for nx, ny in ((x + 1, y), (x, y + 1)):
            if nx < GRID and ny < GRID:
                cost = costs[x, y] + slope_cost(nx, ny)
                if (nx, ny) not in costs:
                    edge.append((nx, ny))
                if cost < costs.get((nx, ny), 10**9):
                    costs[nx, ny] = cost
    return costs


def write_log(number):
    time.sleep(0.012)
    return number


async def brief_team(lock, number):
    async with lock:
        await asyncio.sleep(0.045)
    return number


async def weather_report():
    for _ in range(3):
        await asyncio.sleep(0.05)


async def take_call(lock, number):
    place = await locate_phone(number)
    plan_route(place)
    write_log(number)
    await brief_team(lock, number)


async def main():
    lock = asyncio.Lock()
    await asyncio.gather(weather_report(), *(take_call(lock, number) for number in range(6)))


if __name__ == "__main__":
    asyncio.run(main())
