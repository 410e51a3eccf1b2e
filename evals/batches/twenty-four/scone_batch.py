"""Scales the recipes of a tea room to the day's guests and prints the shopping list. Nothing is wrong with it."""

import random

MADE = random.Random(24)
GOODS = [f"item {number}" for number in range(240)]


def make_recipes():
    return [{good: MADE.randint(1, 400) for good in MADE.sample(GOODS, 60)} for _ in range(900)]


def scale(recipe, guests):
    return {good: grams * guests / 8 for good, grams in recipe.items()}


def add_up(scaled):
    total = {}
    for recipe in scaled:
        for good, grams in recipe.items():
            total[good] = total.get(good, 0.0) + grams
    return total


def round_packs(total):
    packs = {}
    for good, grams in total.items():
        size = 250
        while size < grams / 400:
            size += 250
        packs[good] = -int(-grams // size)
    return packs


def print_list(packs):
    rows = []
    for good, count in sorted(packs.items()):
        for shelf in range(40):
            rows.append(f"{good:<12}{count * 3 + shelf:>6}")  # noqa: PERF401
    return "\n".join(rows)


def plan_day(recipes, guests):
    scaled = [scale(recipe, guests) for recipe in recipes]
    return print_list(round_packs(add_up(scaled)))


def main():
    recipes = make_recipes()
    letters = 0
    for guests in range(20, 80):
        letters += len(plan_day(recipes, guests))
    print(letters)


main()
