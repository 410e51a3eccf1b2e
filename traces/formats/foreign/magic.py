"""Binary files by their first bytes; where not said otherwise as in the `magic` database of file(1)."""

import re

from traces.formats.foreign.file_kind import ORIGINAL, RECORD, UNPACK, Kind
from traces.formats.head import Head

PERF = "Record the program while it runs: `perf record -F 999 -g -- ./prog`, then `perf script`"
PICTURE, FILM = ORIGINAL, "Choose a recording of a profiler, not of the screen"
CORE_DUMP = Kind("a core dump, one moment of a program", "Record it while it works: `perf record -g -p PID`")
JAVA = "Record what runs with `jcmd PID JFR.start`, then `JFR.dump`"

MAGIC: tuple[tuple[bytes, Kind], ...] = (
    (rb"\x89PNG\r\n\x1a\n", Kind("a picture (PNG)", PICTURE)),
    (rb"\xff\xd8\xff", Kind("a picture (JPEG)", PICTURE)),
    (rb"GIF8[79]a", Kind("a picture (GIF)", PICTURE)),
    (rb"RIFF....WEBP", Kind("a picture (WebP)", PICTURE)),
    (rb"II\*\0|MM\0\*", Kind("a picture (TIFF)", PICTURE)),
    (rb"\0\0\x01\0[\x01-\x20]\0", Kind("a picture (icon)", PICTURE)),
    (rb"BM....\0\0\0\0", Kind("a picture (BMP)", PICTURE)),
    (rb"....ftyp|\x1a\x45\xdf\xa3|RIFF....AVI ", Kind("a film or a picture (MP4, HEIC, WebM)", FILM)),
    (rb"ID3|OggS|fLaC|RIFF....WAVE|\xff\xfb", Kind("a sound", "Choose a recording of a profiler")),
    (rb"\x7fELF(?:.{12}|.{11})\x04\0|\x7fELF.{11}\0\x04", CORE_DUMP),
    (rb"\x7fELF", Kind("a program or a library (ELF)", PERF)),
    (rb"\xca\xfe\xba\xbe\0\0\0[\x2d-\xff]", Kind("compiled Java (.class)", JAVA)),
    (
        rb"\xfe\xed\xfa[\xce\xcf]|[\xce\xcf]\xfa\xed\xfe|\xca\xfe\xba\xbe",
        Kind(
            "a program or a library of macOS (Mach-O)", "Record it while it runs, with Instruments or `samply record`"
        ),
    ),
    (rb"MDMP|PAGEDU(?:MP|64)", Kind("a crash dump of Windows, one moment of a program", "Record it while it works")),
    (
        rb"MZ.{58}",
        Kind("a program or a library of Windows", "Record it while it runs, with PerfView or `samply record`"),
    ),
    (rb"\0asm", Kind("compiled WebAssembly", "Record the page or program that runs it")),
    (rb"dex\n0\d\d", Kind("compiled Android code (dex)", "Record the app with Perfetto")),
    (rb"..\r\r?\n.{12}\xe3|[\x00-\xff]\x0d\r\n\0\0\0\0", Kind("compiled Python (.pyc)", RECORD)),
    (
        rb"SQLite format 3\0",
        Kind(
            "a database (SQLite), without the tables of a recording", "Choose what `nsys export --type sqlite` writes"
        ),
    ),
    (rb"%PDF-", Kind("a document (PDF)", ORIGINAL)),
    (rb"%!PS", Kind("a document (PostScript)", ORIGINAL)),
    (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Kind("a document of Office", ORIGINAL)),
    (rb"\{\\rtf", Kind("a document (RTF)", ORIGINAL)),
    (rb"7z\xbc\xaf\x27\x1c", Kind("an archive (7z)", UNPACK)),
    (rb"Rar!\x1a\x07", Kind("an archive (RAR)", UNPACK)),
    (rb"\xfd7zXZ\0", Kind("packed with xz", "Unpack it with `xz -d` and choose what comes out")),
    (rb"BZh[1-9]1AY", Kind("packed with bzip2", "Unpack it with `bzip2 -d` and choose what comes out")),
    (rb"\x04\x22\x4d\x18", Kind("packed with lz4", "Unpack it with `lz4 -d` and choose what comes out")),
    (rb"\x1f\x9d", Kind("packed with compress", "Unpack it with `gzip -d` and choose what comes out")),
    (rb"\x78[\x01\x5e\x9c\xda]", Kind("packed with zlib", UNPACK)),
    (rb"MSCF\0\0\0\0", Kind("an archive (cabinet)", UNPACK)),
    (rb"!<arch>\n", Kind("an archive (ar, a static library or a Debian package)", UNPACK)),
    (rb"\xed\xab\xee\xdb", Kind("a package (RPM)", UNPACK)),
    (rb"PACK\0\0\0[\x02\x03]", Kind("a pack of git", RECORD)),
    (
        rb"JAVA PROFILE 1\.0",
        Kind("a heap dump of Java (hprof): what is alive, not what runs", JAVA),
    ),
    (
        rb".{4}!FastSerialization\.1.*GCHeapDump",
        Kind(
            "a heap dump of .NET (gcdump): what is alive, not what runs", "Record what runs with `dotnet-trace collect`"
        ),
    ),
    (
        rb".{4}!FastSerialization",
        Kind(
            "a recording of .NET of a form that is not read",
            "Record with `dotnet-trace collect`, which writes .nettrace",
        ),
    ),
    (
        rb"SIMPLEPERF",
        Kind(
            "a report of simpleperf in its protobuf form",
            "Convert its perf.data: `python report_sample.py -i perf.data > trace.txt`",
        ),
    ),
    (
        rb"go 1\.\d{1,2} trace\0",
        Kind("an execution trace of Go", "Record `/debug/pprof/profile`, or `go test -cpuprofile`"),
    ),
    (
        rb"\x17\x08\x44tracing",
        Kind("a recording of trace-cmd, of the kernel's events", "Record stacks with `perf record -g`"),
    ),
    (
        rb"SLOW[\x01-\xff]|\*version\n\d",
        Kind("a method trace of Android", "Record the app with Perfetto or simpleperf"),
    ),
    (rb"TRACE:\r?\n", Kind("atrace's packed events of the kernel", "Record with Perfetto")),
    (
        rb"\xc1\x1f\xfc\xc1|\x57\x1d\xd1\x75|/\* CTF 1",
        Kind("a CTF trace (LTTng)", "Record stacks with `perf record -g`, then `perf script`"),
    ),
    (rb"[\xd4\xa1][\xc3\xb2][\xb2\xc3][\xa1\xd4]|\x0a\x0d\x0d\x0a", Kind("a capture of a network", RECORD)),
    (
        rb"\x89HDF\r\n|PAR1|ARROW1|\x93NUMPY|Obj\x01",
        Kind("a table of numbers (HDF5, Parquet, Arrow, NumPy, Avro)", ORIGINAL),
    ),
    (rb"\x80[\x02-\x05]", Kind("pickled Python", "Export it as JSON; of PyTorch, with `export_chrome_trace`")),
    (rb"bplist00", Kind("a property list of macOS", "In Instruments, copy the call tree as a deep copy")),
    (rb"ElfFile\0", Kind("an event log of Windows", "Record with PerfView")),
    (rb"LPKSHHRH", Kind("a journal of systemd", RECORD)),
    (rb"wOF[F2]|OTTO\0|\0\x01\0\0\0", Kind("a font", ORIGINAL)),
    (rb"\x04\x1a\x07|tr\xfdP", Kind("a capture of Tracy", "Export it: `tracy-csvexport`, or record with perf")),
)
NAMED = {
    ".etl": Kind(
        "a recording of Windows (ETW)", "Open it in PerfView, and export its stacks with File, Save View as, speedscope"
    ),
    ".jfr": Kind("no Java Flight Recorder file, in spite of its name", JAVA),
    ".dmp": CORE_DUMP,
}
"""Binary files without a sign of their own, by the ending of their name."""


def binary_kind(head: Head) -> Kind | None:
    """What the first bytes, or those of a binary file and its name, say."""
    if head.text is not None:
        return None
    found = next((kind for sign, kind in MAGIC if re.match(sign, head.data, re.DOTALL)), None)
    return found or next((kind for ending, kind in NAMED.items() if head.name.endswith(ending)), None)
