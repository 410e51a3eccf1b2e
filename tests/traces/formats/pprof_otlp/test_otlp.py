"""OpenTelemetry profiles, written by OpenTelemetry's own library."""

from typing import Any

import pytest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.profiles.v1development import profiles_pb2 as otlp

from traces.analysis.functions import top_functions
from traces.errors import DamagedTrace, TraceError
from traces.formats.pprof_otlp.locations import NO_STACK
from traces.invariants import check
from traces.model import Trace
from traces.reader import read_trace

STARTED = 1_790_000_000_000_000_000


@pytest.fixture(params=["on", "off"], autouse=True)
def kernels(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLAMECHAT_KERNELS", request.param)


class Recording:
    """Writes a file as the eBPF profiler does: one dictionary, a sample a stack with its moments."""

    def __init__(self) -> None:
        self.strings: dict[str, int] = {"": 0}
        self.dictionary = otlp.ProfilesDictionary()
        for table in ("mapping", "location", "function", "link", "attribute", "stack"):
            getattr(self.dictionary, f"{table}_table").add()

    def text(self, text: str) -> int:
        return self.strings.setdefault(text, len(self.strings))

    def location(self, *names: str, address: int = 0) -> int:
        location = self.dictionary.location_table.add(address=address, mapping_index=1 if address else 0)
        for name in names:
            self.dictionary.function_table.add(
                name_strindex=self.text(name), filename_strindex=self.text("app.go"), start_line=3
            )
            location.lines.add(function_index=len(self.dictionary.function_table) - 1, line=7)
        return len(self.dictionary.location_table) - 1

    def stack(self, *locations: int) -> int:
        self.dictionary.stack_table.add(location_indices=locations)
        return len(self.dictionary.stack_table) - 1

    def attribute(self, key: str, value: str | int) -> int:
        said = AnyValue(string_value=value) if isinstance(value, str) else AnyValue(int_value=value)
        self.dictionary.attribute_table.add(key_strindex=self.text(key), value=said)
        return len(self.dictionary.attribute_table) - 1

    def profile(self, samples: list[dict[str, Any]], **about: Any) -> otlp.Profile:
        return otlp.Profile(
            sample_type=otlp.ValueType(type_strindex=self.text("samples"), unit_strindex=self.text("count")),
            samples=[otlp.Sample(**sample) for sample in samples],
            time_unix_nano=STARTED,
            **about,
        )

    def read(self, *profiles: otlp.Profile, service: str | None = "checkout") -> Trace:
        data = otlp.ProfilesData(dictionary=self.dictionary)
        resource = data.resource_profiles.add()
        if service:
            value = AnyValue(string_value=service)
            resource.resource.attributes.append(KeyValue(key="service.name", value=value))
        resource.scope_profiles.add(profiles=profiles)
        data.dictionary.string_table.extend(self.strings)
        trace = read_trace(data.SerializeToString(), name="recording")
        check(trace)
        return trace


def weights(trace: Trace, profile: int | None = None) -> dict[str, tuple[float, float]]:
    rows = top_functions(trace, profile=profile, limit=100).rows
    return {row.name: (row.self_value, row.total_value) for row in rows}


def test_stacks_keep_what_was_inlined_and_count_by_moments() -> None:
    recording = Recording()
    outer, inner = recording.location("main"), recording.location("inlined", "work")
    busy, brief = recording.stack(inner, outer), recording.stack(outer)
    trace = recording.read(
        recording.profile(
            [
                {"stack_index": busy, "timestamps_unix_nano": [STARTED + 30, STARTED + 10]},
                {"stack_index": brief, "timestamps_unix_nano": [STARTED + 20]},
            ]
        )
    )
    assert (trace.format, trace.recorded_at_ns, trace.profiles[0].name) == ("otlp", STARTED, "checkout")
    assert weights(trace) == {"inlined": (2, 2), "main": (1, 3), "work": (0, 2)}
    samples = trace.profiles[0].samples
    assert samples is not None
    leaves = [trace.frame_name(int(trace.profiles[0].tree.frame[leaf])) for leaf in samples.leaf]
    assert leaves == ["inlined", "main", "inlined"]  # in order of time


def test_the_entry_that_stands_for_no_stack_is_called_so() -> None:
    recording = Recording()
    stack = recording.stack(recording.location("main"))
    trace = recording.read(
        recording.profile([{"stack_index": 0, "values": [2]}, {"stack_index": stack, "values": [3]}])
    )
    assert weights(trace) == {"main": (3, 3), NO_STACK: (2, 2)}


def test_counts_stand_for_the_time_between_them() -> None:
    recording = Recording()
    stack = recording.stack(recording.location("main"))
    period = otlp.ValueType(type_strindex=recording.text("cpu"), unit_strindex=recording.text("nanoseconds"))
    profile = recording.profile([{"stack_index": stack, "values": [4]}], period_type=period, period=50_000_000)
    trace = recording.read(profile)
    assert [(value.name, value.unit.value) for value in trace.profiles[0].values] == [
        ("samples", "count"),
        ("cpu", "nanoseconds"),
    ]
    assert weights(trace) == {"main": (200_000_000, 200_000_000)}


def test_samples_of_several_threads_are_several_profiles_and_the_busiest_is_shown() -> None:
    recording = Recording()
    stack = recording.stack(recording.location("main"))
    render = [recording.attribute("thread.name", "render"), recording.attribute("thread.id", 12)]
    network = [recording.attribute("thread.name", "network"), recording.attribute("process.pid", 7)]
    trace = recording.read(
        recording.profile(
            [
                {"stack_index": stack, "attribute_indices": network, "values": [1]},
                {"stack_index": stack, "attribute_indices": render, "values": [5]},
            ]
        )
    )
    assert [(each.name, each.pid, each.tid) for each in trace.profiles] == [("network", "7", ""), ("render", "", "12")]
    assert trace.profiles[trace.default_profile].name == "render"


def test_a_place_without_symbols_is_its_address_in_its_file() -> None:
    recording = Recording()
    recording.dictionary.mapping_table.add(filename_strindex=recording.text("libz.so"))
    trace = recording.read(
        recording.profile([{"stack_index": recording.stack(recording.location(address=0xBEEF)), "values": [1]}]),
        service=None,
    )
    (row,) = top_functions(trace).rows
    assert (row.name, row.file) == ("0xbeef", "libz.so")


@pytest.mark.parametrize("sample", [{"stack_index": 9, "values": [1]}, {"attribute_indices": [9], "values": [1]}])
def test_what_points_nowhere_is_damaged(sample: dict[str, Any]) -> None:
    recording = Recording()
    recording.stack(recording.location("main"))
    with pytest.raises(DamagedTrace, match="points to an entry"):
        recording.read(recording.profile([sample]))


def test_values_that_do_not_fit_their_times_are_damaged() -> None:
    recording = Recording()
    stack = recording.stack(recording.location("main"))
    with pytest.raises(DamagedTrace, match="another number of values"):
        recording.read(recording.profile([{"stack_index": stack, "values": [1, 2], "timestamps_unix_nano": [STARTED]}]))


def test_a_file_cut_anywhere_is_read_or_refused() -> None:
    recording = Recording()
    stack = recording.stack(recording.location("main"), recording.location("start"))
    data = otlp.ProfilesData(dictionary=recording.dictionary)
    data.dictionary.string_table.extend(recording.strings)
    profile = recording.profile([{"stack_index": stack, "timestamps_unix_nano": [STARTED]}])
    data.resource_profiles.add().scope_profiles.add(profiles=[profile])
    complete = data.SerializeToString()
    for end in range(len(complete)):
        try:
            check(read_trace(complete[:end], name="cut"))
        except TraceError:
            continue
