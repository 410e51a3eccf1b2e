"""The weekly report of an apiary: for each hive its weights, its keeper and its last visit are asked of the database
(with the argument `joined` all of them in one statement)."""
import sqlite3
import sys


def open_apiary():
    db = sqlite3.connect(":memory:")
    db.executescript(
        "create table keeper (id integer, name text); create table hive (id integer, keeper integer, site text);"
        "create table weight (hive integer, day integer, grams integer); create table visit (hive integer, day integer, note text);"
    )
    db.executemany("insert into keeper values (?, ?)", [(k, f"keeper {k}") for k in range(24)])
    db.executemany("insert into hive values (?, ?, ?)", [(h, h % 24, f"meadow {h % 7}") for h in range(350)])
    db.executemany("insert into weight values (?, ?, ?)", [(h, d, 18000 + (h * 37 + d * 91) % 9000) for h in range(350) for d in range(14)])
    db.executemany("insert into visit values (?, ?, ?)", [(h, (h * 3) % 14, "queen seen" if h % 3 else "swarm cells") for h in range(350)])
    return db


def query(db, text, *values):
    return db.execute(text, values).fetchall()


def weights_of(db, hive):
    return [grams for grams, in query(db, "select grams from weight where hive = ? order by day", hive)]


def keeper_of(db, keeper):
    return query(db, "select name from keeper where id = ?", keeper)[0][0]


def last_visit(db, hive):
    return query(db, "select day, note from visit where hive = ? order by day desc limit 1", hive)[0]


def smooth(weights):
    out = []
    for at in range(len(weights)):
        near = weights[max(0, at - 2) : at + 3]
        out.append(sum(near) / len(near))
    return out


def trend(weights):
    flat = smooth(weights)
    return flat[-1] - flat[0]


def line_of(hive, site, keeper, gain, visit):
    return f"{hive:>4} {site:<12} {keeper:<12} {gain:+9.1f} g  day {visit[0]:>2}: {visit[1]}"


def report(db):
    return [
        line_of(hive, site, keeper_of(db, keeper), trend(weights_of(db, hive)), last_visit(db, hive))
        for hive, keeper, site in query(db, "select id, keeper, site from hive")
    ]


def joined_report(db):
    weights = {}
    for hive, grams in query(db, "select hive, grams from weight order by hive, day"):
        weights.setdefault(hive, []).append(grams)
    rows = query(db, "select h.id, h.site, k.name, v.day, v.note from hive h join keeper k on k.id = h.keeper join visit v on v.hive = h.id")
    return [line_of(hive, site, name, trend(weights[hive]), (day, note)) for hive, site, name, day, note in rows]


def main():
    db = open_apiary()
    lines = (joined_report if "joined" in sys.argv else report)(db)
    with open("report.txt", "w") as out:
        for line in lines:
            print(line, file=out)


main()
