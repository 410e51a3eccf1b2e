"""A key for mushrooms: finds names of species near to what collectors wrote, and writes a list of finds by wood."""

import random
import sys

STEPS = "ab ac ad ben bol cor dra fel gri hyg lac mar mel nar oli pan pur rus sub tri ver".split()


def species_names(count, rng):
    return sorted({"".join(rng.choice(STEPS) for _ in range(rng.randint(2, 4))) for _ in range(count)})


def letter_pairs(name):
    return {name[at : at + 2] for at in range(len(name) - 1)}


def likeness(one, other):
    mine, theirs = letter_pairs(one), letter_pairs(other)
    return 2 * len(mine & theirs) / (len(mine) + len(theirs))


def nearest_species(written, names):
    return max(names, key=lambda name: likeness(written, name))


def nearest_from_table(written, table):
    mine = letter_pairs(written)
    best, best_name = -1.0, ""
    for name, theirs in table:
        score = 2 * len(mine & theirs) / (len(mine) + len(theirs))
        if score > best:
            best, best_name = score, name
    return best_name


def misspell(name, rng):
    at = rng.randrange(len(name))
    return name[:at] + rng.choice("aeiou") + name[at + 1 :]


def spore_print(cap_width):
    colour = 0
    for ring in range(cap_width * 12):
        colour = (colour * 33 + ring) % 9973
    return colour


def read_basket(number, names, rng):
    return [misspell(rng.choice(names), rng) for _ in range(12)]


def identify(basket, names, table):
    found = []
    for written in basket:
        species = nearest_from_table(written, table) if table else nearest_species(written, names)
        found.append((species, spore_print(len(written) * 4)))
    return found


def wood_report(finds):
    by_species = {}
    for species, colour in finds:
        by_species.setdefault(species, []).append(colour)
    return [format_line(species, colours) for species, colours in sorted(by_species.items())]


def format_line(species, colours):
    return f"{species:<16}{len(colours):>5}{sum(colours) / len(colours):>10.1f}"


def main(with_table):
    rng = random.Random(7)
    names = species_names(420, rng)
    table = [(name, letter_pairs(name)) for name in names] if with_table else None
    finds = []
    for number in range(30):
        finds += identify(read_basket(number, names, rng), names, table)
    print(len(wood_report(finds)))


main(len(sys.argv) > 1 and sys.argv[1] == "table")
