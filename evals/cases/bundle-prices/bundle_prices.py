"""Finds the cheapest bundle: `python bundle_prices.py ITEMS`. Planted: `cheapest` solves one rest again and again."""

import random
import sys


def discount(count: int) -> float:
    return 0.9 if count > 2 else 1.0


def cheapest(prices: tuple[float, ...], start: int, budget: int) -> float:
    if start >= len(prices) or budget <= 0:
        return 0.0
    without = cheapest(prices, start + 1, budget)
    taken = prices[start] * discount(budget) + cheapest(prices, start + 1, budget - 1)
    return max(without, taken)


def load_prices(count: int) -> tuple[float, ...]:
    dice = random.Random(7)
    return tuple(round(dice.uniform(1, 90), 2) for _ in range(count))


def main() -> None:
    prices = load_prices(int(sys.argv[1]))
    for budget in range(3, 9):
        print(budget, f"{cheapest(prices, 0, budget):.2f}")


main()
