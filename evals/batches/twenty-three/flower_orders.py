"""Orders of a florist, read from text: the day of each is parsed with strptime, three formats tried in turn."""

import random
from collections import defaultdict
from datetime import datetime

FORMATS = ("%d/%m/%y %H:%M", "%Y.%m.%d", "%Y-%m-%dT%H:%M:%S")


def order_lines(count):
    chance = random.Random(9)
    days = [f"2025-{chance.randint(1, 12):02d}-{chance.randint(1, 28):02d}T{chance.randint(0, 23):02d}:15:00" for _ in range(600)]
    return [
        f"{n};{days[n % 600]};{('rose', 'tulip', 'aster', 'lily')[n % 4]};{n * 7 % 50 + 1}"
        for n in range(count)
    ]


def parse_day(text):
    for form in FORMATS:
        try:
            return datetime.strptime(text, form)
        except ValueError:
            continue
    return None


def parse_order(line):
    number, day, flower, stems = line.split(";")
    return {"number": int(number), "day": parse_day(day), "flower": flower, "stems": int(stems)}


def weekly(orders):
    weeks = defaultdict(lambda: defaultdict(int))
    for order in orders:
        weeks[order["day"].isocalendar()[1]][order["flower"]] += order["stems"]
    return weeks


def bouquet_score(orders):
    score = 0
    for order in orders:
        for petal in range(order["stems"]):
            score += (petal * 13 + order["number"]) % 7
    return score


def print_weeks(weeks):
    return "\n".join(f"{week:2d} " + ", ".join(f"{name} {stems}" for name, stems in sorted(flowers.items())) for week, flowers in sorted(weeks.items()))


def main():
    orders = [parse_order(line) for line in order_lines(16000)]
    print_weeks(weekly(orders))
    bouquet_score(orders)


main()
