"""Ranks the people who wait for an allotment and offers the free plots; `once` reads each site's rules once."""

import json
import random
import sys
import tempfile
from datetime import date, datetime
from functools import cache
from pathlib import Path

SITES = [f"site-{number:02}" for number in range(12)]


def write_rules(folder):
    for site in SITES:
        rules = {"points_per_year": 3, "local_bonus": 5, "wards": [f"ward {i}" for i in range(4_000)], "site": site}
        (folder / f"{site}.json").write_text(json.dumps(rules))


def applicants():
    made = random.Random(24)
    for number in range(1_400):
        yield {
            "name": f"applicant {number}",
            "since": f"20{made.randint(10, 25)}-{made.randint(1, 12):02}-{made.randint(1, 28):02}",
            "ward": f"ward {made.randint(0, 5_000)}",
            "site": made.choice(SITES),
        }


def rules_for(folder, site):
    return json.loads((folder / f"{site}.json").read_text())


def waiting_days(since):
    return (date(2026, 3, 1) - datetime.strptime(since, "%Y-%m-%d").date()).days  # noqa: DTZ007


def is_local(applicant, rules):
    return applicant["ward"] in rules["wards"]


def points(applicant, folder):
    rules = rules_for(folder, applicant["site"])
    earned = waiting_days(applicant["since"]) / 365 * rules["points_per_year"]
    return earned + (rules["local_bonus"] if is_local(applicant, rules) else 0)


def by_site(scored):
    queues = {site: [] for site in SITES}
    for score, applicant in sorted(scored, key=lambda one: -one[0]):  # noqa: B007
        queues[applicant["site"]].append(applicant)
    return queues


def offer(queues):
    letters = []
    for site, queue in queues.items():
        for place, applicant in enumerate(queue[:40], 1):
            letters.append(letter(site, place, applicant))
    return letters


def letter(site, place, applicant):
    lines = [f"Dear {applicant['name']},", f"you are number {place} of the list of {site}."]
    lines += [f"  {number}. plot {site}-{number:03}" for number in range(1, 30)]
    return "\n".join(line.ljust(72) for line in lines)


def main():
    global rules_for  # noqa: PLW0603
    if "once" in sys.argv:
        rules_for = cache(rules_for)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_rules(folder)
        scored = [(points(one, folder), one) for one in applicants()]
        letters = offer(by_site(scored))
    print(len(letters), "offers")


main()
