"""A bookbinder's week: sheets folded, sewn, glued, spines lettered, prices. Nothing in it is out of proportion."""


def fold_sheets(pages):
    order = []
    for sheet in range(pages // 16):
        for side in range(16):
            order.append((sheet * 16 + (side * 7) % 16) ^ side)
    return order


def sew(order):
    thread = 0
    for left, right in zip(order, order[1:]):
        thread += abs(left - right) % 9 + 2
    return thread


def glue(order):
    weight = 0.0
    for page in order:
        weight += 0.002 * (page % 5 + 1)
    return weight


def letter_spine(title, order):
    return "".join(chr(65 + (ord(one) + len(order)) % 26) for one in title * 300)


def price(thread, weight):
    return sum(round(thread * 0.01 + weight * cut, 2) for cut in range(900))


def bind(number):
    order = fold_sheets(4800)
    thread = sew(order)
    weight = glue(order)
    letter_spine(f"book {number}", order)
    return price(thread, weight)


def main():
    print(round(sum(bind(number) for number in range(1300))))


main()
