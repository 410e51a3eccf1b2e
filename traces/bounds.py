"""The room's ceilings, each with its reason."""

MAX_UPLOAD_BYTES = 1 << 30
"""Largest file taken as it arrives: Chrome's own recorder stops near 500 MB, viztracer users reach 1 GB."""

MAX_DECOMPRESSED_BYTES = 4 << 30
"""Largest content after decompression: what a worker with a memory limit can still turn into columns."""

MAX_REFERENCE_BYTES = 128_000_000
"""Largest content that is read without the compiled kernels. Their Python reference was measured at 0.7 to 1.5 MB of
JSON in a second of processor time, and at 3 to 27 bytes of resident memory for each, mapped file and interpreter
included: 128 MB take three minutes and 3.5 GB at most, so that a machine three times as slow keeps within what an
importer has, ten minutes and 8 GB."""

MAX_EXPANSION = 400
"""Decompressed over compressed size: real traces reach about 60; a zip bomb starts at 1,000."""

EXPANSION_GRACE_BYTES = 64 << 20
"""Below this much output the expansion ratio is not looked at: tiny repetitive traces compress extremely well."""

GREAT_BYTES = 1 << 30
MAX_GREAT_EXPANSION = 100
"""The same where more than GREAT_BYTES come of it: 9 MB in which 3 GB lay took a worker 5 GB of memory."""

DETECTION_BYTES = 64 << 10
"""How much of the content a format's detection may look at."""

FIRST_LINE_BYTES = 16 << 20
"""How much of a text's first line it may look at where that is longer: a stack of 65,535 long names."""

MAX_PROFILES = 20_000
"""Most threads, or other profiles, of one trace: machines recorded while they compile come to some thousands."""

TOO_MANY_PROFILES = (
    "holds more than {most:,} threads or profiles, which is the limit. Record fewer of them, or a shorter time."
)
"""What is said of a file with more than `most`."""

MAX_STACK_DEPTH = 65_535
"""Deepest stack kept; deeper frames are counted as a warning. Runaway recursion is the only known source."""
