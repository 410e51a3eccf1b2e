"""The plan of an allotment garden: beds, watering, prices, neighbours. Nothing in it is out of proportion."""

import random


def draw_beds(count):
    chance = random.Random(4)
    return [[chance.choice("bcdlpt") for _ in range(60)] for _ in range(count)]


def water_need(beds):
    need = 0
    for bed in beds:
        for plant in bed:
            need += {"b": 3, "c": 5, "d": 1, "l": 4, "p": 2, "t": 6}[plant]
    return need


def good_neighbours(beds):
    good = 0
    for bed in beds:
        for left, right in zip(bed, bed[1:]):
            good += left + right in ("bc", "cl", "dt", "lp")
    return good


def seed_bill(beds):
    bill = {}
    for bed in beds:
        for plant in sorted(bed):
            bill[plant] = bill.get(plant, 0) + 0.35
    return bill


def bed_signs(beds):
    return ["/".join(plant.upper() for plant in bed) for bed in beds]


def season(beds):
    for _ in range(9):
        water_need(beds)
        good_neighbours(beds)
        seed_bill(beds)
        bed_signs(beds)


def main():
    beds = draw_beds(2600)
    season(beds)


main()
