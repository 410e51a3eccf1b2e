"""A laundry's tickets of a month priced and billed. `python laundry_tickets.py [kept]`: with `kept` the tariff is read once."""

import json
import random
import sys
from pathlib import Path

TARIFF = Path("tariff.json")


def write_tariff():
    articles = {f"article-{n:03d}": {"wash": 2 + n % 9, "iron": 1 + n % 4, "express": 5, "care": ["30", "60", "silk"][n % 3]} for n in range(420)}
    TARIFF.write_text(json.dumps(articles))


def load_tariff():
    return json.loads(TARIFF.read_text())


class Pricer:
    def __init__(self, kept):
        self.tariff = load_tariff() if kept else None

    def price_of(self, article, service):
        tariff = self.tariff or load_tariff()
        return tariff[article][service]


def make_tickets(count):
    chance = random.Random(11)
    return [
        {"customer": chance.randrange(90), "pieces": [(f"article-{chance.randrange(420):03d}", chance.choice(("wash", "iron"))) for _ in range(chance.randint(1, 7))]}
        for _ in range(count)
    ]


def total_of(ticket, pricer):
    return sum(pricer.price_of(article, service) for article, service in ticket["pieces"])


def discount(total, visits):
    for limit, share in ((40, 0.2), (20, 0.1), (8, 0.05)):
        if visits >= limit:
            return total * (1 - share)
    return total


def bill(tickets, pricer):
    visits = {}
    bills = {}
    for ticket in tickets:
        customer = ticket["customer"]
        visits[customer] = visits.get(customer, 0) + 1
        bills[customer] = bills.get(customer, 0) + discount(total_of(ticket, pricer), visits[customer])
    return bills


def print_bills(bills):
    lines = []
    for customer, total in sorted(bills.items()):
        lines.append(f"{customer:4d} {total:9.2f} " + "-" * (int(total) % 40))
    return "\n".join(lines)


def main():
    write_tariff()
    tickets = make_tickets(220)
    bills = bill(tickets, Pricer(len(sys.argv) > 1))
    for _ in range(240):
        print_bills(bills)


main()
