"""Overheads by their names: what each kind's functions are called in several languages, and what they are not."""

import pytest

from tests.traces.insights.recorded import share, values
from traces.insights.insight import Confidence, Severity, State
from traces.insights.overheads import DETECTORS
from traces.insights.patterns import PATTERNS
from traces.insights.registry import insight
from traces.values import Unit

NAMES = {
    "serialisation": "json.loads|JSON.parse|encoding/json.(*decodeState).object|pickle.dumps|proto.Unmarshal",
    "logging": "Logger.info|console.log|org.apache.log4j.Category.forcedLog|_log@/usr/lib/python3/logging/__init__.py",
    "regular-expressions": "re.compile|java.util.regex.Pattern.compile|regexp.(*Regexp).doExecute|pcre2_match",
    "dates": "_strptime|SimpleDateFormat.parse|time.Parse|parse_date|moment|x@/node_modules/moment/moment.js",
    "compression": "deflate_fast|gzip|ZSTD_compressBlock|compress/flate.(*compressor).deflate|zlib.inflate",
    "cryptography": "sha256_block_data_order|EVP_EncryptUpdate|bcrypt_hash|crypto.Sign|aes_gcm_enc_update",
    "sorting": "sorted|qsort|sort_by|sort.Slice|__introsort_loop|ArrayTimSort|heapSort|bubble_sort",
    "linear-search": "indexOf|Array.includes|in_array|std::find_if|strstr|ArrayList.contains|linear_search",
    "copying": "__memcpy_avx_unaligned_erms|deepcopy|structuredClone|runtime.growslice|cloneDeep|memmove",
    "text-building": "strcat|runtime.concatstrings|StringBuilder.append|vsnprintf|fmt.Sprintf|StringAdd_CheckNone",
    "map-access": "runtime.mapaccess1_faststr|__hash__|HashMap.get|hashCode|lookdict_unicode|__eq__",
    "exceptions": "_Unwind_Find_FDE|fillInStackTrace|traceback.format_exc|__cxa_throw|captureStackTrace",
    "reflection": "reflect.Value.Call|java.lang.reflect.Method.invoke|inspect.signature|getattr",
    "module-loading": "_find_and_load|Module._load|require|_dl_relocate_object|ClassLoader.loadClass",
    "file-access": "fsync|readFileSync|os.ReadFile|vfs_read|io.open|statSync",
    "boxing": "Integer.valueOf|runtime.convT64|PyLong_FromLong|JIT_Box",
}
OTHERS = (
    "consort|resort_hotel|catalogue|login|blog|regent|momentum_update|update|candidate|included_tax|requirements"
    "|reflection_angle|mapping|boxer|copyright|strategy|operate|exceptional|hashtag|opening|searching|jsonnet_free"
)
HEAP = values({"main;make": [1000.0]}, [("allocated", Unit.BYTES)])


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, names in NAMES.items() for name in names.split("|")])
def test_a_name_of_the_kind_is_recognised(kind: str, name: str) -> None:
    function, _, file = name.partition("@")
    assert PATTERNS[kind].matches(function, file)
    assert PATTERNS[kind].match_each(["consort", function], ["", file]) == [False, True]


@pytest.mark.parametrize("name", OTHERS.split("|"))
def test_a_name_that_only_looks_like_it_is_not(name: str) -> None:
    taken = [kind for kind in NAMES if PATTERNS[kind].matches(name, "/app/sorting/json.py")]
    assert taken == []


@pytest.mark.parametrize("kind", [detector.id for detector in DETECTORS])
def test_an_overhead_counts_from_its_threshold_on_and_never_says_more_than_it_knows(kind: str) -> None:
    name = NAMES[kind].split("|")[0]
    has, much = insight(share(name, 6), kind), insight(share(name, 16), kind)
    assert (has.state, has.severity, has.confidence) == (State.FAIL, Severity.LOW, Confidence.LOW)
    assert much.severity is Severity.MEDIUM
    assert has.share == pytest.approx(0.06)
    assert insight(share(name, 4), kind).state is State.PASS
    assert insight(share(name, 5), kind).state is State.FAIL
    assert insight(share(name, 15), kind).severity is Severity.MEDIUM
    assert insight(HEAP, kind).state is State.PASS


def test_what_a_kind_calls_belongs_to_it_and_is_counted_once() -> None:
    found = insight(share("dumps@/usr/lib/python3.11/json/__init__.py;json.encode;write", 20), "serialisation")
    assert found.share == pytest.approx(0.2)
    assert found.severity is Severity.INFO  # by itself it does nothing: the name may mislead


def test_a_path_behind_a_name_says_nothing_about_the_function() -> None:
    perf = share("JS:*render /app/json/compress.js:3", 50)
    assert insight(perf, "serialisation").state is State.PASS
    assert insight(perf, "compression").state is State.PASS
