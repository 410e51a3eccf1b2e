"""Fees of a harbour: every ship's fee is worked out from the tariff, which is read anew for each of its berths."""
import json
import os
import random
import re
import tempfile
from datetime import date, timedelta
from decimal import Decimal

random.seed(11)
BERTH = re.compile(r"([A-Z])-(\d+)")
PATH = os.path.join(tempfile.gettempdir(), "tariff.json")


def write_tariff():
    rows = {f"{letter}-{n}": {"per_metre": n * 0.31, "per_night": n + 12} for letter in "ABCD" for n in range(60)}
    with open(PATH, "w") as out:
        json.dump(rows, out)


def load_tariff():
    with open(PATH) as file:
        return json.load(file)


def berth_fee(berth, metres, nights):
    tariff = load_tariff()
    row = tariff[berth]
    return Decimal(str(row["per_metre"])) * metres + row["per_night"] * nights


def nights_between(first, last):
    nights = 0
    while first < last:
        first += timedelta(days=1)
        nights += 1
    return nights


def ship_fee(ship):
    nights = nights_between(ship["in"], ship["out"])
    return sum(berth_fee(berth, ship["metres"], nights) for berth in ship["berths"])


def area_of(berth):
    return BERTH.match(berth).group(1)


def count_areas(ships):
    areas = {}
    for ship in ships:
        for berth in ship["berths"]:
            areas[area_of(berth)] = areas.get(area_of(berth), 0) + 1
    return areas


def print_bill(ship, fee):
    return f"{ship['name']:<20}{fee:>12.2f}"


def make_ships(number):
    ships = []
    for n in range(number):
        arrives = date(2026, 1, 1) + timedelta(days=random.randrange(200))
        ships.append({
            "name": f"ship {n}", "metres": random.randrange(6, 40), "in": arrives,
            "out": arrives + timedelta(days=random.randrange(1, 90)),
            "berths": [f"{random.choice('ABCD')}-{random.randrange(60)}" for _ in range(4)],
        })
    return ships


def main():
    write_tariff()
    ships = make_ships(900)
    bills = [print_bill(ship, ship_fee(ship)) for ship in ships]
    print(len(bills), count_areas(ships))


main()
