"""Matches deliveries with orders: `python stock_matching.py SECONDS`. Planted: `closest_order` compares each delivery
with every order."""

import random
import sys
import time
from dataclasses import dataclass


@dataclass
class Order:
    sku: int
    amount: int
    due: int


def distance(order: Order, sku: int, amount: int) -> int:
    return abs(order.sku - sku) * 10 + abs(order.amount - amount)


def closest_order(orders: list[Order], sku: int, amount: int) -> Order:
    best, least = orders[0], 1 << 30
    for order in orders:
        away = abs(order.sku - sku) * 10 + abs(order.amount - amount)
        if away < least:
            best, least = order, away
    return best


def read_orders(count: int) -> list[Order]:
    dice = random.Random(1)
    return [Order(dice.randrange(900), dice.randrange(50), dice.randrange(30)) for _ in range(count)]


def report(matched: list[Order]) -> str:
    lines = []
    for order in sorted(matched, key=lambda one: (one.due, one.sku)):
        lines.append(f"{order.sku:05} {order.amount:4} {order.due:3}")  # noqa: PERF401 - as recorded
    return "\n".join(lines)


def main() -> None:
    orders, dice = read_orders(3000), random.Random(2)
    until = time.monotonic() + float(sys.argv[1])
    matched: list[Order] = []
    while time.monotonic() < until:
        matched.append(closest_order(orders, dice.randrange(900), dice.randrange(50)))
        if len(matched) % 50 == 0:
            report(matched[-400:])


main()
