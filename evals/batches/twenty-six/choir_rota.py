"""Makes a rota for a choir: who sings where on which Sunday."""

import random
import threading
import time

VOICES = ["soprano", "alto", "tenor", "bass"]


def make_singers(count: int) -> list[dict]:
    return [{"id": n, "voice": VOICES[n % 4], "away": {(n * k) % 52 for k in range(1, 9)}} for n in range(count)]


def clashes(rota: list[list[dict]]) -> int:
    total = 0
    for week, singers in enumerate(rota):
        for singer in singers:
            if is_away(singer, week):
                total += 1
    return total


def is_away(singer: dict, week: int) -> bool:
    return week in singer["away"]


def balance(rota: list[list[dict]]) -> int:
    worst = 0
    for singers in rota:
        counts = dict.fromkeys(VOICES, 0)
        for singer in singers:
            counts[singer["voice"]] += 1
        worst = max(worst, max(counts.values()) - min(counts.values()))
    return worst


def swap_two(rota: list[list[dict]], dice: random.Random) -> list[list[dict]]:
    changed = [list(week) for week in rota]
    a, b = dice.randrange(52), dice.randrange(52)
    i, j = dice.randrange(len(changed[a])), dice.randrange(len(changed[b]))
    changed[a][i], changed[b][j] = changed[b][j], changed[a][i]
    return changed


def improve(rota: list[list[dict]], rounds: int) -> list[list[dict]]:
    dice = random.Random(7)
    for _ in range(rounds):
        other = swap_two(rota, dice)
        if clashes(other) * 3 + balance(other) <= clashes(rota) * 3 + balance(rota):
            rota = other
    return rota


def send_letters(count: int) -> None:
    for _ in range(count):
        print_letter()
        time.sleep(0.15)


def print_letter() -> str:
    return "".join(f"Dear singer {n}, see you on Sunday.\n" for n in range(9000))


def main() -> None:
    post = threading.Thread(target=send_letters, args=(30,), name="post")
    post.start()
    dice = random.Random(3)
    singers = make_singers(80)
    rota = [dice.sample(singers, 24) for _ in range(52)]
    rota = improve(rota, 3000)
    print(clashes(rota), balance(rota))
    post.join()


if __name__ == "__main__":
    main()
