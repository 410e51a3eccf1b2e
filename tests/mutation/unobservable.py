"""Mutants that change nothing a caller, a user or an operator could observe, each with its reason: at most one in
twenty of those drawn. Keys: the path, its line, the text that is replaced, and what takes its place."""

UNOBSERVABLE: dict[tuple[str, str, str, str], str] = {
    (
        "traces/formats/pprof_otlp/legacy_texts.py",
        'rate = int(written_rate or 0) if kind in ("heapz_v2", "heap_v2") else 0',
        "0",
        "(0 + 1)",
    ): "a rate of 0 and one of 1 byte are the same: every allocation was recorded, so nothing is scaled",
    ("traces/kernels/cost_lines_reference.py", "function: int = -1", "1", "(1 + 1)"): (
        "any number below 0 stands for no function, and nothing else looks at it"
    ),
    ("rendering/palette.py", "edge_strength=154,", "154", "(154 + 1)"): (
        "an edge that is one 256th darker: no eye tells them apart, and pictures are compared with more tolerance"
    ),
    (
        "traces/kernels/scaled.py",
        'power = int(exponent.lstrip(b"0")[:8] or b"0")  # beyond that no digit remains, or none fits',
        "8",
        "(8 + 1)",
    ): "ten million more places or a hundred million: the number is the largest there is, or 0, either way",
    (
        "traces/analysis/calltree.py",
        "hidden_children = dict(zip(kept.tolist(), np.bincount(place, minlength=len(kept)).tolist(), strict=True))",
        "True",
        "False",
    ): "both lists are made as long as the kept nodes a line before",
    ("server/agent/questions/level_change.py", "low = high = 0.0", "0.0", "(0.0 + 1)"): (
        "both begin one higher, and nothing but their difference is used"
    ),
    ("server/adapters/kept_answers.py", "until, kept = self._kept.get(key, (0.0, None))", "0.0", "(0.0 + 1)"): (
        "of what was never kept there is no answer to give, whether its time is over or not"
    ),
    ("traces/formats/austin/austin_mojo.py", "if end < 0:", "0", "(0 + 1)"): (
        "the search begins behind the file's header: its end is never the first byte"
    ),
    ("traces/formats/nettrace/nettrace.py", 'return ""', 'return ""', "return None"): (
        "the one place that asks only looks whether there is a text"
    ),
}
