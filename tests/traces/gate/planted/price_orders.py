"""Prices orders: `price` takes about a quarter of it, and the argument in percent more."""

import sys

BATCHES = 200


def make(batch: int) -> list[str]:
    return [f"{batch}:{number}:{number * 7919 % 1000}" for number in range(40)]


def parse(lines: list[str]) -> list[int]:
    orders = []
    for line in lines:
        value = 0
        for character in (line * 8).encode():
            value = (value * 33 + character) % 1_000_003
        orders += [value]
    return orders


def price(orders: list[int], steps: int) -> list[int]:
    prices = []
    for order in orders:
        total = order
        for step in range(steps):
            total = (total * 31 + step) % 1_000_003
        prices += [total]
    return prices


def rank(prices: list[int]) -> int:
    best = 0
    for one in prices:
        below = 0
        for other in prices + prices + prices:
            if other < one:
                below += 1
        best = max(best, below)
    return best


def main() -> None:
    steps = 100 + int(sys.argv[1])
    total = 0
    for batch in range(BATCHES):
        total += rank(price(parse(make(batch)), steps))
    print(total)  # noqa: T201 - the result, so that the work is not left out


main()
