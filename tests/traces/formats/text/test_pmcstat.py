"""pmcstat: callers indented under a function become stacks."""

from tests.traces.stacks_of_traces import read, stacks, warnings

REPORT = """@ cycles [100 samples]

60.00%  [60]       inner @ /boot/kernel/zfs.ko
 50.00%  [30]       middle
  100.0%  [30]       outer @ /boot/kernel/kernel
 33.33%  [20]       other

40.00%  [40]       alone @ /bin/prog
"""


def test_each_last_caller_begins_a_stack_and_unlisted_callers_are_counted() -> None:
    trace = read(REPORT)
    assert stacks(trace) == [("outer;middle;inner", 30.0), ("other;inner", 20.0), ("alone", 40.0)]
    assert warnings(trace) == {"unlisted_callers": 10}
    files = {name: trace.frame_file(i) for i, name in enumerate(trace.frame_names)}
    assert files == {
        "outer": "/boot/kernel/kernel",
        "middle": "/boot/kernel/zfs.ko",
        "inner": "/boot/kernel/zfs.ko",
        "other": "/boot/kernel/kernel",
        "alone": "/bin/prog",
    }


def test_events_become_profiles_and_noise_is_counted() -> None:
    trace = read(REPORT + "@ misses [5 samples]\nnoise\n100.0%  [5]  f\n")
    assert [(p.name, p.values[0].name) for p in trace.profiles] == [
        ("unknown", "cycles"),
        ("unknown, misses", "misses"),
    ]
    assert stacks(trace, 1) == [("f", 5.0)]
    assert warnings(trace)["unread_lines"] == 1
