"""A bonsai nursery: reads the watering log, finds the tree of each line, sums the water and prints labels.

With the argument `indexed` trees are found by their number in a dictionary, without it by looking at each.
"""

import re
import sys

INDEXED = "indexed" in sys.argv
LINE = re.compile(r"(?P<day>\d+) tree (?P<tree>\d+) (?P<ml>\d+)ml")


class Tree:
    def __init__(self, number):
        self.number = number
        self.water = 0

    def matches(self, number):
        return self.number == number


def log_lines(count):
    return [f"{at // 50} tree {(at * 7) % 400} {40 + at % 90}ml" for at in range(count)]


def parse_line(line):
    found = LINE.match(line)
    return int(found["day"]), int(found["tree"]), int(found["ml"])


def find_tree(trees, number):
    if INDEXED:
        return trees[number]
    for tree in trees.values():
        if tree.matches(number):
            return tree
    raise KeyError(number)


def water_tree(trees, day, number, ml):
    tree = find_tree(trees, number)
    tree.water += ml
    if ml > 120:
        prune_check(tree, day)


def prune_check(tree, day):
    score = 0
    for at in range(160):
        score = leaf_score(score, at, day)
    return score > tree.water


def leaf_score(score, at, day):
    return (score * 17 + at * day) % 251


def print_label(tree):
    return f"{tree.number:04d} {tree.water:>8d} ml".center(40)


def print_labels(trees):
    return [print_label(tree) for _ in range(20) for tree in sorted(trees.values(), key=by_water)]


def by_water(tree):
    return -tree.water


def main():
    trees = {number: Tree(number) for number in range(400)}
    for line in log_lines(9000):
        water_tree(trees, *parse_line(line))
    print_labels(trees)


main()
