"""Shapes that tempt to a wrong answer."""

from evals.made.files import Made, Sample, collapsed, speedscope


def nothing_dominates() -> Made:
    """Sixty functions of about 1.7 % each under four parents."""
    samples: list[Sample] = [(("main", f"stage_{n % 4}", f"step_{n:02}"), 16 + n % 3) for n in range(60)]
    return speedscope("flat", {"MainThread": samples})


def two_equal() -> Made:
    """`compress_pages` and `encrypt_pages` take 45 % each."""
    samples: list[Sample] = []
    for n in range(50):
        samples += [(("main", "export", "compress_pages"), 9), (("main", "export", "encrypt_pages"), 9)]
        samples.append((("main", "export", "write_pages") if n % 2 else ("main", "read_pages"), 2))
    return speedscope("export", {"MainThread": samples})


def three_samples() -> Made:
    """A recording that ended before it began to mean anything."""
    return collapsed("short", [(("main", "load", "parse"), 2), (("main", "draw"), 1)])


def busy_worker() -> Made:
    """The main thread waits in `poll` all the time; the worker's `resize_image` is what takes it."""
    work: list[Sample] = []
    for _ in range(40):
        work += [
            (("Thread.run", "make_thumbnail", "resize_image"), 38),
            (("Thread.run", "make_thumbnail", "encode_image"), 7),
        ]
        work.append((("Thread.run", "next_job"), 5))
    return speedscope("thumbnails", {"MainThread": [(("main", "event_loop", "poll"), 2000)], "worker-1": work})


def misleading_names() -> Made:
    """`slow_bottleneck_do_not_ship` is 1 %; `tidy` is 80 %."""
    samples: list[Sample] = []
    for _ in range(50):
        samples += [(("main", "finish", "tidy"), 16), (("main", "render"), 3)]
    samples += [(("main", "slow_bottleneck_do_not_ship"), 10), (("main", "hotspot_please_optimise"), 8)]
    return speedscope("release", {"MainThread": samples})


def deep_recursion() -> Made:
    """`walk` calls itself 40 deep; the time is in `match_rule` at the leaves (70 %)."""
    samples: list[Sample] = []
    for depth in range(1, 41):
        path = ("main", *["walk"] * depth)
        samples += [((*path, "match_rule"), 14), (path, 6)]
    return speedscope("rules", {"MainThread": samples})


def same_name_twice() -> Made:
    """`parse` on two threads: 70 % of the small one, 20 % of the large one, where `sort_rows` takes 75 %."""
    small: list[Sample] = [(("run", "parse"), 70), (("run", "wait_for_rows"), 30)]
    large: list[Sample] = []
    for _ in range(20):
        large += [(("run", "parse"), 20), (("run", "sort_rows"), 75), (("run", "write"), 5)]
    return speedscope("rows", {"loader": small, "sorter": large})
