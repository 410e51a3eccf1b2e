"""Lost property of a tram company: what was found is compared with what was reported, letter by letter."""
import difflib
import re

THINGS = ["black umbrella", "blue school bag", "set of keys", "left glove", "wool scarf", "silver phone", "paper folder", "small guitar"]
PLACES = ["line 4 rear door", "line 11 stop harbour", "line 2 night tram", "depot west gate", "line 7 front seat"]


def reports(many, seed):
    return [f"{THINGS[(n * seed) % 8]}, {PLACES[(n * seed // 3) % 5]} (no. {n * seed % 977})" for n in range(many)]


def clean(text):
    return re.sub(r"[^a-z ]", "", text.lower())


def likeness(a, b):
    return difflib.SequenceMatcher(None, a, b).ratio()


def best_match(found, reported):
    return max(reported, key=lambda one: likeness(clean(found), clean(one)))


def letters(pairs):
    return [f"Dear passenger, we found: {found} - is it your {one}?" for found, one in pairs]


def main():
    reported = reports(70, 13)
    pairs = [(one, best_match(one, reported)) for one in reports(190, 7)]
    print(len(letters(pairs)))


main()
