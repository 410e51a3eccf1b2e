"""How much of a mapped file this process has read so far, as the system counts it."""

import os
from pathlib import Path

SMAPS = Path("/proc/self/smaps")


def bytes_read(file: Path) -> int | None:
    """Bytes of the file's mappings that were touched, in whole pages (the system brings some 16 at once); None where
    it does not tell (it does on Linux) or the file is not mapped. At most the file's size.
    """
    ending = f" {os.path.realpath(file)}\n"
    touched: int | None = None
    mapped = False
    try:
        with SMAPS.open(encoding="utf-8", errors="surrogateescape") as lines:
            for line in lines:
                # proc(5): a mapping's line begins with its addresses; those about it with a name and a colon, sizes
                # in kB.
                if "-" in line.split(" ", 1)[0]:
                    mapped = line.endswith(ending)
                elif mapped and line.startswith("Rss:"):
                    touched = (touched or 0) + int(line.split()[1]) * 1024
        return None if touched is None else min(touched, file.stat().st_size)
    except OSError:
        return None
