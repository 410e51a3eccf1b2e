"""One round through a greenhouse: each bed's three sensors are asked, then the valves are set."""

import asyncio
import random

MADE = random.Random(24)
BEDS = [f"bed-{number:02}" for number in range(16)]


async def ask_sensor(bed, kind):
    delay = MADE.uniform(0.006, 0.014)
    if bed == "bed-11" and kind == "soil":
        delay = 0.21
    await asyncio.sleep(delay)
    return MADE.random()


async def read_bed(bed):
    found = {}
    for kind in ("soil", "light", "heat"):
        found[kind] = await ask_sensor(bed, kind)
    return found


def water_need(found):
    need = 0.0
    for step in range(4_000):
        need += found["soil"] * found["heat"] / (1 + step)
    return need


async def set_valve(bed, need):
    await asyncio.sleep(0.002)
    return bed, round(need, 2)


def draw_chart(needs):
    rows = []
    for bed, need in needs:  # noqa: B007
        rows.append("".join("#" if column < need * 20 else "." for column in range(1_500)))
    return "\n".join(rows)


async def go_round():
    needs = []
    for bed in BEDS:
        found = await read_bed(bed)
        needs.append(await set_valve(bed, water_need(found)))
    return draw_chart(needs)


async def blink_lamp():
    while True:
        await asyncio.sleep(0.02)
        lamp_on()


def lamp_on():
    return sum(range(200))


async def main():
    lamp = asyncio.create_task(blink_lamp())
    chart = await go_round()
    lamp.cancel()
    print(len(chart))


asyncio.run(main())
