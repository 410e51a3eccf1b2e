"""What functions are for, by how languages and libraries name them: guesses from names, never proof.

The names are those that the standard libraries and the best known packages of Python, JavaScript, Go, Java, Ruby, Rust,
C++ and .NET give to their functions; matched in the name, and for packages in the file.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from traces.lazy_regex import found_in, lazy_regex


@dataclass(frozen=True, slots=True)
class Pattern:
    """`name` is looked for in a function's name, `file` (None: nowhere) in its file."""

    name: re.Pattern[str]
    file: re.Pattern[str] | None = None

    def matches(self, name: str, file: str) -> bool:
        """Whether a function of that name in that file is of this kind."""
        return self.name.search(name) is not None or (self.file is not None and self.file.search(file) is not None)

    def match_each(self, names: Sequence[str], files: Sequence[str]) -> list[bool]:
        """The same of each function of these names in these files."""
        by_name = found_in(self.name, names)
        if self.file is None:
            return by_name
        return [one or other for one, other in zip(by_name, found_in(self.file, files), strict=True)]


def _any(expressions: str) -> re.Pattern[str]:
    """Any of the expressions, which spaces part. Where a word begins is looked at once for all that ask for it: looked
    at by each, a name takes four times as long."""
    branches = [branch for expression in expressions.split() for branch in _branches(expression)]
    words = [branch.removeprefix(WORD_BEGINS) for branch in branches if branch.startswith(WORD_BEGINS)]
    others = [branch for branch in branches if not branch.startswith(WORD_BEGINS)]
    return lazy_regex("|".join(([rf"\b(?:{'|'.join(words)})"] if words else []) + others))


def _branches(expression: str) -> list[str]:
    """The branches of an expression that no brackets hold."""
    if "|" not in expression:
        return [expression]
    found, depth = [""], 0
    for part in re.findall(r"\\.|.", expression):
        depth += (part in "([") - (part in ")]")
        if part == "|" and depth == 0:
            found.append("")
        else:
            found[-1] += part
    return found


WORD_BEGINS = r"\b"


def _words(words: str) -> re.Pattern[str]:
    """Any of the words, not inside a longer one: a capital after a small letter and an underscore begin a word too."""
    return lazy_regex(rf"(?:(?<![A-Za-z0-9])|(?<=[a-z0-9])(?=[A-Z]))(?:{'|'.join(words.split())})(?![a-z0-9])")


PATTERNS: dict[str, Pattern] = {
    "serialisation": Pattern(
        _words(
            r"""
            [Jj]son JSON [Pp]ickle cPickle [Mm]sgpack [Mm]arshal(?:JSON|Binary|Text)? [Uu]nmarshal
            [Pp]rotobuf [Pp]roto(?:json|buf)? [Yy]aml YAML [Aa]vro [Tt]hrift ParseFromString
            SerializeToString [Ss]erialize [Dd]eserialize raw_decode scan_once iterencode orjson
            ObjectMapper ObjectInputStream ObjectOutputStream serde serde_json simdjson
            """
        ),
        _any(r"[/\\]json[/\\](?:decoder|encoder|__init__) encoding[/\\]json [/\\]yaml[/\\] [/\\]pickle\.py"),
    ),
    "logging": Pattern(
        _words(
            r"""
            [Ll]ogger log4j logback slf4j winston pino console\.(?:log|warn|error|info|debug)
            zap\.\(\*Logger\) logrus structlog Log\.(?:d|i|w|e|v) syslog spdlog
            """
        ),
        _any(r"[/\\]logging[/\\](?:__init__|handlers)\.py node_modules[/\\](?:winston|pino|log4js|bunyan)[/\\]"),
    ),
    "regular-expressions": Pattern(
        _words(
            r"""
            [Rr]eg[Ee]xp? [Rr]egular[Ee]xpressions? re\.Pattern SRE_Pattern
            Pattern\.(?:match|search|subn?|find(?:all|iter)|split|fullmatch)
            re\.(?:compile|match|search|sub|findall|split|fullmatch) sre_(?:parse|compile) _sre
            pcre2?(?:_exec|_match)? preg_(?:match|replace|split|grep)\w* java\.util\.regex re2 onig_(?:search|match)
            Pattern\.(?:compile|matcher) Matcher\.(?:find|match|matches) irregexp
            """
        ),
        _any(r"[/\\](?:sre_compile|sre_parse|re)\.py$ [/\\]re[/\\]_(?:compiler|parser)\.py [/\\]regexp[/\\]"),
    ),
    "dates": Pattern(
        _words(
            r"""
            strptime _strptime strftime [Dd]ateutil isoparse fromisoformat moment SimpleDateFormat
            DateTimeFormatter [Pp]arse_?[Dd]ate(?:[Tt]ime)? DateTime\.Parse time\.Parse Date\.parse
            mktime localtime(?:_r)? tzset toLocaleDateString toLocaleString DateTimeFormat
            """
        ),
        _any(r"[/\\]_strptime\.py [/\\]dateutil[/\\] [/\\]pytz[/\\] node_modules[/\\](?:moment|dayjs|luxon)[/\\]"),
    ),
    "compression": Pattern(
        _words(
            r"""
            [Gg]zip [Gg]unzip [Zz]lib [Dd]eflate(?:_\w+)? [Ii]nflate(?:_\w+)? [Bb]rotli\w* [Zz]std\w*
            ZSTD\w* LZ4\w* lz4 snappy bz2 lzma LZMA [Cc]ompress [Dd]ecompress
            """
        ),
    ),
    "cryptography": Pattern(
        _words(
            r"""
            sha(?:1|224|256|384|512)\w* SHA(?:1|256|512)\w* [Mm]d5\w* MD5\w* bcrypt\w* scrypt pbkdf2\w*
            PBKDF2\w* argon2\w* aes\w* AES\w* rsa RSA\w* EVP_\w+ [Ee]ncrypt [Dd]ecrypt hmac HMAC SSL_\w+
            openssl x25519 ecdsa crypto
            """
        ),
    ),
    "sorting": Pattern(
        _words(
            r"""
            q?sort(?:ed|_by|By)? [Qq]uick[Ss]ort [Mm]erge[Ss]ort [Tt]im[Ss]ort __introsort_loop
            introsort sort_unstable pdqsort\w* insertion_?[Ss]ort Arrays\.sort ArrayTimSort
            [Bb]ubble_?[Ss]ort [Ii]nsertion[Ss]ort [Hh]eap_?[Ss]ort
            """
        ),
    ),
    "linear-search": Pattern(
        _words(
            r"""
            indexOf lastIndexOf [Ii]ncludes findIndex find_if __find_if strstr strchr memmem
            list_contains list\.index in_array array_search ArrayIncludes ArrayIndexOf
            ArrayPrototypeFind slices\.(?:Contains|Index) strings\.(?:Contains|Index) contains_linear
            linear_?[Ss]earch LinearSearch ArrayList\.(?:contains|indexOf)
            Array#(?:include\?|index|find)
            """
        ),
    ),
    "copying": Pattern(
        _words(
            r"""
            _*memcpy\w* _*memmove\w* deepcopy _deepcopy_\w+ structuredClone cloneDeep [Dd]eep_?[Cc]lone
            [Dd]eep_?[Cc]opy copy_from_user copy_to_user System\.arraycopy typedmemmove growslice
            bulkBarrierPreWrite baseClone
            """
        ),
    ),
    "text-building": Pattern(
        _words(
            r"""
            [Ss]trcat concatstrings? StringBuilder(?:\.\w+)? StringBuffer StringAdd\w* AddStrings\w*
            unicode_concatenate PyUnicode_Concat String\.format v?s?n?printf
            fmt\.[FS]print(?:f|ln)? str\.format basic_string\w*::(?:append|_M_append) String#\+
            concatstring[2-9] alloc::fmt::format core::fmt::write
            """
        ),
    ),
    "map-access": Pattern(
        _words(
            r"""
            mapaccess\w* mapassign\w* mapiter\w* HashMap\.\w+ __hash__ __eq__ hashCode lookdict\w*
            dict_lookup _?Py_dict_lookup hash_one rb_hash_aref _Hashtable\w* unordered_map\w* hashbrown
            FindOrderedHashMapEntry OrderedHash\w+
            """
        ),
    ),
    "boxing": Pattern(
        _words(
            r"""
            (?:Integer|Long|Double|Float|Short|Byte|Boolean|Character)\.valueOf convT\w* JIT_Box\w*
            PyLong_From\w+ PyFloat_FromDouble BoxedToInteger autobox\w* rb_int2big rb_float_new
            AllocateHeapNumber
            """
        ),
    ),
    "exceptions": Pattern(
        _words(
            r"""
            _Unwind_\w+ __cxa_throw __cxa_allocate_exception fillInStackTrace Throwable gopanic
            print_exc format_exc(?:eption)? format_tb extract_stack extract_tb walk_stack
            captureStackTrace CaptureStackTrace JIT_Throw rb_exc_raise backtrace_full [Bb]acktrace
            """
        ),
        _any(r"[/\\]traceback\.py$"),
    ),
    "reflection": Pattern(
        _words(
            r"""
            reflect\.\w+ reflect java\.lang\.reflect Method\.invoke inspect\.\w+ getattr __getattr__
            getmembers signature_from_callable RuntimeMethodInfo RuntimeType InvokeMember Reflect\.\w+
            defineProperty
            """
        ),
        _any(r"[/\\]inspect\.py$ [/\\]reflect[/\\]"),
    ),
    "module-loading": Pattern(
        _words(
            r"""
            _find_and_load\w* _load_unlocked exec_module get_code import_module importlib Module\._\w+
            Module\.(?:load|require) require compileFunctionForCJSLoader dlopen\w* _dl_\w+ do_lookup_x
            ClassLoader\w* loadClass defineClass\d? cjsLoader Kernel#require\w* wrapSafe resolveFilename
            """
        ),
        _any(r"<frozen\simportlib (?:^|[/\\:])internal[/\\]modules[/\\]"),
    ),
    "file-access": Pattern(
        _words(
            r"""
            fsync fdatasync [rf]stat(?:at)? lstat openat? readdir getdents(?:64)? pread(?:64)?
            pwrite(?:64)? fread fwrite readFileSync writeFileSync statSync existsSync readdirSync
            os\.(?:Open|ReadFile|WriteFile) ext4_\w+ xfs_\w+ vfs_(?:read|write|fsync|open)
            FileInputStream FileOutputStream BufferedReader\.readline io\.open
            """
        ),
    ),
    "instrumentation": Pattern(
        _words(
            r"""
            [Oo]pen[Tt]elemetry otel\w* [Pp]rometheus statsd [Dd]atadog ddtrace [Ss]entry newrelic
            [Jj]aeger [Zz]ipkin async_hooks emitHook tracemalloc sys\.settrace [Tt]racer\.\w+ viztracer
            pyinstrument cProfile CpuProfiler\w* perf_event_\w+ SamplingEventsProcessor
            """
        ),
        _any(
            r"""
            (?:site-packages|node_modules|gems)[/\\]@?(?:opentelemetry|prometheus|ddtrace|sentry|dd-trace|newrelic|coverage)
            """
        ),
    ),
    "garbage-collection": Pattern(
        _any(
            r"""
            \([Gg]arbage\s[Cc]ollect(?:or|ion)\)
            \bgc(?:BgMarkWorker|Drain\w*|AssistAlloc\w*|Start|Mark\w*|Sweep\w*) \bGC_\w+ \bV8\.GC
            \b(?:Minor|Major)\s?GC\b \bgc_(?:collect\w*|marks?\w*|sweep\w*|start\w*|rest|step)\b
            \b_?PyGC_\w+ (?:Scaveng|[Mm]ark.?[Ss]weep|[Mm]ark.?[Cc]ompact) \bscanobject\b
            \bG1\w*(?:Task|Mark|Collect)\w* \bParallelGC|\bZGC|\bVM_GC|\bgc_alloc\b \bgarbage.?collect
            ^GC(?:\.GC)?$ \bruntime\.(?:sweepone|mallocgc\.\w+|greyobject)
            """
        ),
    ),
    "explicit-collection": Pattern(
        _any(
            r"""
            \bgc\.collect\b \bSystem\.gc\b ^runtime\.GC$ \bRuntime\.gc\b \bGC\.(?:Collect|start|Start)\b
            \bglobal\.gc\b <built-in\smethod\sgc\.collect> ^GC\.(?:start|compact)$ ^GC::start$
            """
        ),
    ),
    "compilation": Pattern(
        _any(
            r"""
            \b[Vv]8\.(?:compile|CompileCode|Optimize\w*) \bV8\.(?:Turbofan|Maglev|Sparkplug|TF\w*)\w*
            \bC[12]Compiler?\b \bCompileBroker \bTurboFan|\bTurboshaft|\bMaglev\w* \bJIT\w*[Cc]ompil
            \bjitNativeCode|\binvokeCompileMethod \(compiler\) \bclang::|\bllvm:: \b_?yjit_\w+|\brjit_
            \bbuiltins\.compile\b|<built-in\smethod\sbuiltins\.compile>
            \b(?:Optimized|Baseline)?CompilationJob\b|\bCompiler::Compile\w*|\bcompileToNative
            """
        ),
    ),
    "memory-allocation": Pattern(
        _words(
            r"""
            _*(?:libc_)?malloc _*(?:libc_)?calloc _*(?:libc_)?realloc _*(?:libc_)?free _int_malloc
            _int_free mallocgc malloc_consolidate unlink_chunk operator\snew operator\sdelete _Znwm
            _ZdlPv\w* je_\w+ tc_(?:malloc|free) mi_(?:malloc|free)\w* newobject makeslice
            _?PyObject_(?:Malloc|Free) __rust_alloc __rust_dealloc objc_alloc page_fault
            asm_exc_page_fault clear_page\w* brk mmap munmap madvise
            """
        ),
    ),
    "kernel": Pattern(
        _any(
            r"""
            _\[k\]$
            ^(?:entry_SYSCALL|do_syscall_64|__x64_sys_|ksys_|asm_exc_|asm_sysvec_|x64_sys_call|ret_from_fork|el0t?_)
            """
        ),
        _any(r"^\[kernel ^\[guest\.kernel vmlinux \.ko(?:\.\w+)?$"),
    ),
    "locks": Pattern(
        _any(
            r"""
            \bpthread_(?:mutex|rwlock|spin)_\w*lock \b_*lll_lock_wait \bfutex
            \b[Mm]utex\w*[.:]+\w*[Ll]ock \bMonitor\.Enter \bsync\.\(\*(?:RW)?Mutex\)
            \b(?:queued|native_queued|_raw)_spin_\w*lock \bReentrantLock \bacquire_lock\b
            \b_?thread\.(?:lock|RLock)[\s.] \bLock\.acquire\b lock.*\bacquire\b|'acquire'\sof\s'_thread
            \btake_gil\b \bMutex#(?:lock|synchronize) \bstd::mutex::lock \bruntime\.lock2?\b
            \bObjectMonitor::enter \bAtomics\.wait\b \bpark_lot|parking_lot::
            """
        ),
    ),
    "sleeping": Pattern(
        _any(
            r"""
            \b(?:nano|clock_nano|u)?[Ss]leep(?:Ex|Async)?\b \btime\.sleep\b \bThread\.sleep\b
            \bKernel#sleep\b \bsetTimeout\b.*await
            """
        ),
    ),
    "waiting": Pattern(
        _any(
            r"""
            \b(?:epoll_p?wait|select|poll|ppoll|kevent|kqueue|io_getevents|WaitFor(?:Single|Multiple)Objects?\w*|pthread_cond_\w*wait)\b
            \b(?:recv(?:from|msg|_into)?|accept4?|connect|getaddrinfo|waitpid|wait4)\b
            \bselectors?\.\w*select \bsocket\.\w*(?:recv|read|accept|connect)\w* \bnetpoll\b
            \bObject\.wait\b \bLockSupport\.park \bfuture\w*\.(?:get|result|wait)\b \bQueue\.get\b
            \bThread\.join\b \bsubprocess\.\w*wait \bssl\.\w*read\b|'read'\sof\s'_ssl
            """
        ),
    ),
    "unsymbolised": Pattern(
        _any(
            r"""
            ^(?:\[?0x[0-9a-fA-F]{4,}\]?)$ ^[0-9a-f]{8,16}$ ^\[?(?:unknown|\?\?+)\]?(?:_\[k\]|\s\(.*\))?$
            ^<unknown[^>]*>$ ^\(unknown\)$ ^(?:sub|FUN|fun|loc)_[0-9a-fA-F]{4,}$
            ^\S*!?\+?0x[0-9a-fA-F]{4,}$ ^unresolved
            """
        ),
    ),
    "anonymous": Pattern(
        _any(r"^\(anonymous\)$ ^<anonymous>$ ^\(?anonymous\)?$ ^<lambda>$ ^\$?lambda\$?\d*$ ^$"),
    ),
    "minified": Pattern(
        lazy_regex(r"(?!)"),
        _any(
            r"""
            \.min\.(?:m?js)(?:$|[?:]) [.-][0-9a-f]{8,}\.(?:chunk\.|bundle\.)?m?js(?:$|[?:])
            \bbundle\.js(?:$|[?:])
            """
        ),
    ),
    "native-placeholder": Pattern(
        _any(r"^\(program\)$ ^\(native\)$ ^Native$"),
    ),
    "kernel-launch": Pattern(
        _any(r"^(?:cuda|hip)Launch\w*Kernel\w* ^cuLaunchKernel"),
    ),
    "device-copies": Pattern(
        _any(r"^Memcpy\s ^aten::(?:copy_|_to_copy|to)$ ^(?:cuda|hip)Memcpy\w*"),
    ),
    "data-loading": Pattern(
        _any(r"DataLoader _next_data _MultiProcessingDataLoaderIter ^enumerate\(DataLoader\)"),
    ),
    "device-synchronisation": Pattern(
        _any(r"^(?:cuda|hip)\w*Synchronize ^aten::(?:item|_local_scalar_dense|nonzero)$"),
    ),
}
"""In order of declaration; at most 63, as each is a bit of an int64."""
