"""Prints a shop's tree of categories. With 1 each category's children are asked for on the way down, by recursion through
a helper; with 0 all categories come with one query and the tree is built from them."""

import sqlite3
import sys


def open_catalogue(depth: int, width: int) -> sqlite3.Connection:
    catalogue = sqlite3.connect(":memory:")
    catalogue.execute("create table categories (id integer primary key, parent integer, name text)")
    rows, level = [(1, 0, "root")], [1]
    for _ in range(depth):
        level = [add_row(rows, parent, n) for parent in level for n in range(width)]
    catalogue.executemany("insert into categories values (?, ?, ?)", rows)
    return catalogue


def add_row(rows: list[tuple[int, int, str]], parent: int, n: int) -> int:
    rows.append((len(rows) + 1, parent, f"category {parent}.{n}"))
    return len(rows)


def run_query(catalogue: sqlite3.Connection, sql: str, *values: int) -> list[tuple[int, str]]:
    return catalogue.execute(sql, values).fetchall()


def children_of(catalogue: sqlite3.Connection, parent: int) -> list[tuple[int, str]]:
    return run_query(catalogue, "select id, name from categories where parent = ?", parent)


def walk(catalogue: sqlite3.Connection, category: int, depth: int) -> list[str]:
    lines = []
    for child, name in children_of(catalogue, category):
        lines.append("  " * depth + name)
        lines += walk(catalogue, child, depth + 1)
    return lines


def walk_loaded(children: dict[int, list[tuple[int, str]]], category: int, depth: int) -> list[str]:
    lines = []
    for child, name in children.get(category, []):
        lines.append("  " * depth + name)
        lines += walk_loaded(children, child, depth + 1)
    return lines


def print_tree(catalogue: sqlite3.Connection, on_the_way: bool) -> list[str]:
    if on_the_way:
        return walk(catalogue, 1, 0)
    children: dict[int, list[tuple[int, str]]] = {}
    for parent, child, name in catalogue.execute("select parent, id, name from categories").fetchall():
        children.setdefault(parent, []).append((child, name))
    return walk_loaded(children, 1, 0)


print_tree(open_catalogue(4, 5), sys.argv[1] == "1")
