"""Which recorder takes which command, what it is started with, and what a person reads where there is none."""

from collections.abc import Callable
from dataclasses import replace
from fnmatch import fnmatch
from xml.etree import ElementTree as ET

import pytest

from server.errors import CannotRecord
from server.recording.choosing import choose
from server.recording.command import Command
from server.recording.recorder import Plan, Recorder, Request, What
from server.recording.recorders.all_recorders import ALL_RECORDERS
from server.recording.recorders.java_programs import SETTINGS


def request(*argv: str, what: What = What.CPU) -> Request:
    return Request(command=Command(argv=argv), what=what, folder="/new")


def lacking(*names: str) -> Callable[[Recorder], str | None]:
    """A machine without these."""
    return lambda recorder: "is not here" if recorder.name in names else None


def plan(name: str, *argv: str, what: What = What.CPU) -> Plan:
    recorder = next(one for one in ALL_RECORDERS if one.name == name)
    planned = recorder.plan(request(*argv, what=what))
    assert planned is not None
    return planned


@pytest.mark.parametrize(
    ("argv", "missing", "taken"),
    [
        (("/usr/bin/python3", "app.py"), (), "py-spy"),
        (("/usr/bin/python3.12", "-m", "app"), ("py-spy", "austin"), "cProfile"),
        (("/usr/bin/node", "app.js"), (), "node"),
        (("/usr/bin/node", "/usr/lib/node_modules/npm/bin/npm-cli.js", "test"), (), "npm"),
        (("/usr/bin/java", "-jar", "app.jar"), (), "JFR"),
        (("/usr/local/go/bin/go", "test", "./..."), (), "go test"),
        (("/usr/local/go/bin/go", "run", "."), (), "perf of go run"),
        (("/usr/bin/ruby", "app.rb"), (), "stackprof"),
        (("/usr/bin/php8.2", "app.php"), (), "Excimer"),
        (("/usr/bin/php", "app.php"), ("Excimer",), "Xdebug"),
        (("/usr/bin/php", "-r", "echo 1;"), (), "Xdebug"),
        (("/usr/bin/dotnet", "app.dll"), (), "dotnet-trace"),
        (("/opt/app/bin/server", "--port", "1"), (), "perf"),
        (("/bin/sh", "run.sh"), ("perf",), "callgrind"),
    ],
)
def test_the_first_that_fits_and_is_here_is_taken(argv: tuple[str, ...], missing: tuple[str, ...], taken: str) -> None:
    choice = choose(ALL_RECORDERS, request(*argv), lacking(*missing))
    assert choice.recorder.name == taken
    assert {one.name for one, _ in choice.passed_over} <= set(missing)


def test_a_person_reads_what_was_chosen_and_what_would_be_better() -> None:
    choice = choose(ALL_RECORDERS, request("/usr/bin/python3", "app.py"), lacking("py-spy", "austin"))
    assert choice.sentence.startswith("recording with cProfile: ")
    assert "py-spy is not here (pip install py-spy)" in choice.sentence


def test_only_recorders_that_fit_are_looked_for() -> None:
    asked: list[str] = []
    choose(ALL_RECORDERS, request("/usr/bin/node", "app.js"), lambda one: asked.append(one.name))
    assert asked == ["node"]


def test_one_that_is_named_is_taken_before_better_ones() -> None:
    choice = choose(ALL_RECORDERS, request("/usr/bin/python3", "app.py"), lacking(), named="cProfile")
    assert choice.recorder.name == "cProfile"


def test_what_no_recorder_can_is_refused_with_what_it_can() -> None:
    with pytest.raises(CannotRecord, match=r"node cannot record locks of app\.js, only cpu, wall, memory") as refused:
        choose(ALL_RECORDERS, request("/usr/bin/node", "app.js", what=What.LOCKS), lacking())
    assert refused.value.exit_code == 2


def test_what_is_not_here_is_named_with_the_command_that_would_bring_it() -> None:
    with pytest.raises(CannotRecord, match=r"nothing here records cpu of app\.js: node is not here \(https://nodejs"):
        choose(ALL_RECORDERS, request("/usr/bin/node", "app.js"), lacking("node"))


def test_a_recorder_that_does_not_exist_is_compared_with_all() -> None:
    with pytest.raises(CannotRecord, match="there is no recorder pyspy: the recorders are py-spy, "):
        choose(ALL_RECORDERS, request("/usr/bin/python3", "app.py"), lacking(), named="pyspy")


def test_names_of_recorders_are_their_own_and_each_says_what_it_is() -> None:
    assert len({one.name for one in ALL_RECORDERS}) == len(ALL_RECORDERS)
    for one in ALL_RECORDERS:
        assert one.records
        assert one.merit
        assert one.found_after or not one.probe


def test_py_spy_is_attached_so_that_the_command_runs_as_it_was_given() -> None:
    planned = plan("py-spy", "/usr/bin/python3", "-u", "app.py", "--fast")
    assert planned.argv == ("/usr/bin/python3", "-u", "app.py", "--fast")
    assert planned.attach[-2:] == ("--pid", "{pid}")
    assert "--idle" not in planned.attach
    assert "--idle" in plan("py-spy", "/usr/bin/python3", "app.py", what=What.WALL).attach


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (("app.py", "-x"), ("file", "app.py", "-x")),
        (("-u", "-X", "dev", "app.py"), ("file", "app.py")),
        (("-m", "app.main", "-m"), ("-m", "app.main", "-m")),
        (("-Im", "app"), ("-m", "app")),
        (("-c", "print()", "-c"), ("-c", "print()", "-c")),
    ],
)
def test_cprofile_keeps_the_programs_own_words(words: tuple[str, ...], kept: tuple[str, ...]) -> None:
    planned = plan("cProfile", "/usr/bin/python3", *words)
    at = next(at for at, word in enumerate(planned.argv) if word.endswith("python_profile.py"))
    assert planned.argv[at + 1] == "/new/recording.prof"
    assert planned.argv[at + 2 :] == kept
    assert planned.argv[1:at] == {"-u": ("-u", "-X", "dev"), "-Im": ("-I",)}.get(words[0], ())


@pytest.mark.parametrize("words", [(), ("-",), ("-i",), ("-m",), ("-X", "dev")])
def test_python_without_a_program_is_none(words: tuple[str, ...]) -> None:
    with pytest.raises(CannotRecord):
        choose(ALL_RECORDERS, request("/usr/bin/python3", *words), lacking("perf", "callgrind"))


def test_node_samples_processor_time_or_allocations() -> None:
    assert "--cpu-prof-dir=/new" in plan("node", "/usr/bin/node", "app.js").argv
    heap = plan("node", "/usr/bin/node", "app.js", what=What.MEMORY)
    assert "--heap-prof-dir=/new" in heap.argv
    main, hook = ("Heap.20260102.030405.77.0.001.heapprofile", "Heap.20260102.030405.77.1.002.heapprofile")
    assert fnmatch(main, heap.leaves)
    assert not fnmatch(hook, heap.leaves)


def test_npm_reaches_the_programs_it_starts_and_keeps_what_node_was_given_before() -> None:
    planned = plan("npm", "/usr/bin/node", "/usr/bin/npm", "run", "start")
    assert planned.argv == ("/usr/bin/node", "/usr/bin/npm", "run", "start")
    assert planned.environment["NODE_OPTIONS"].startswith("{before} --require ")


def test_a_go_program_keeps_its_symbols_and_is_started_by_perf() -> None:
    assert plan("go test", "/bin/go", "test", "./...", what=What.MEMORY).argv[2:4] == (
        "-memprofile",
        "/new/recording.pb.gz",
    )
    run = plan("perf of go run", "/bin/go", "run", ".", "x").argv
    assert run[2] == "-ldflags=-s=false -w=false"
    assert run[3] == "-exec"
    assert run[4].startswith("'perf' 'record'")
    assert run[5:] == (".", "x")


def test_flight_recordings_keep_neither_environment_nor_arguments_nor_other_processes() -> None:
    events = {event.attrib["name"] for event in ET.parse(SETTINGS).iter("event")}
    assert events >= {"jdk.ExecutionSample", "jdk.ObjectAllocationSample", "jdk.JavaMonitorEnter", "jdk.ThreadPark"}
    private = ("Initial", "Property", "Process", "Information", "Flag", "ThreadDump", "HeapDump")
    assert [name for name in events if any(word in name for word in private)] == []


def test_java_starts_its_own_recorder_without_a_line_of_it() -> None:
    argv = plan("JFR", "/usr/bin/java", "-cp", "x", "Slow").argv
    assert argv[1] == "-Xlog:jfr+startup=off"
    assert "filename=/new/recording.jfr" in argv[2]
    assert f"settings={SETTINGS}" in argv[2]
    assert argv[3:] == ("-cp", "x", "Slow")


def test_a_recorder_counts_the_seconds_of_a_process_from_when_it_is_attached() -> None:
    request = Request(command=Command(argv=("/usr/bin/python3",)), what=What.CPU, folder="/new", seconds=1.5)
    attached = {one.name: one.attached(request) for one in ALL_RECORDERS if one.attached is not None}
    py_spy, perf = attached["py-spy"], attached["perf"]
    assert py_spy is not None
    assert py_spy.attach[py_spy.attach.index("--duration") + 1] == "2"
    assert perf is None
    native = replace(request, command=Command(argv=("/opt/server",)))
    planned = next(one.attached for one in ALL_RECORDERS if one.name == "perf" and one.attached)(native)
    assert planned is not None
    assert planned.attach[-5:] == ("-p", "{pid}", "--", "sleep", "1.5")


def test_php_gets_its_settings_before_the_programs_own_words() -> None:
    planned = plan("Xdebug", "/usr/bin/php", "-d", "memory_limit=1G", "app.php", "--fast")
    assert planned.argv[-4:] == ("-d", "memory_limit=1G", "app.php", "--fast")
    assert "xdebug.output_dir=/new" in planned.argv
    assert plan("Excimer", "/usr/bin/php", "app.php", what=What.WALL).environment["FLAMECHAT_EXCIMER_TYPE"] == "wall"


def test_dotnet_trace_is_asked_for_the_seconds_that_a_running_program_is_recorded() -> None:
    recorder = next(one for one in ALL_RECORDERS if one.name == "dotnet-trace")
    assert recorder.attached is not None
    attached = recorder.attached(replace(request("/usr/bin/dotnet", "app.dll"), seconds=3725.0))
    assert attached is not None
    assert attached.attach[attached.attach.index("--duration") + 1] == "0:01:02:05"
    assert plan("dotnet-trace", "/usr/bin/dotnet", "app.dll").argv[-3:] == ("--", "/usr/bin/dotnet", "app.dll")


def test_vernier_takes_ruby_where_waits_are_asked_for_and_stackprof_is_not_here() -> None:
    wall = request("/usr/bin/ruby", "app.rb", what=What.WALL)
    assert choose(ALL_RECORDERS, wall, lacking("stackprof")).recorder.name == "vernier"
    assert plan("vernier", "/usr/bin/ruby", "app.rb", what=What.WALL).argv[-3:] == ("--", "/usr/bin/ruby", "app.rb")
