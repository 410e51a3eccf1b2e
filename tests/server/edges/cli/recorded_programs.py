"""Programs with a planted hot function, each busy for a second of processor time at most, and `flamechat record` as a
process of its own.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from traces.analysis.functions import top_functions
from traces.reader import read_trace

PYTHON = """\
import sys, time
def planted_hot(n):
    total = 0
    for i in range(n):
        total += i * i % 7
    return total
def cool(n):
    return sum(range(n))
def main(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        planted_hot(20000)
        cool(2000)
if __name__ == "__main__":
    main(0.1)
    print("under way", flush=True)
    main(float(sys.argv[1]))
    print("ended")
    sys.exit(3)
"""

NODE = """\
function plantedHot(n) { let total = 0; for (let i = 0; i < n; i++) total += Math.sqrt(i) % 7; return total; }
function cool(n) { let total = 0; for (let i = 0; i < n; i++) total += i; return total; }
function main(seconds) {
  const end = process.cpuUsage().user + 1e6 * seconds;
  while (process.cpuUsage().user < end) { plantedHot(200000); cool(2000); }
}
main(0.1);
console.log('under way');
main(Number(process.argv[2]));
console.log('ended');
process.exitCode = 3;
"""

JAVA = """\
public class Slow {
  static long plantedHot(int n) { long t = 0; for (int i = 0; i < n; i++) t += (long) i * i % 7; return t; }
  static long cool(int n) { long t = 0; for (int i = 0; i < n; i++) t += i; return t; }
  static long main(double seconds) {
    long total = 0;
    long end = System.nanoTime() + (long) (seconds * 1e9);
    while (System.nanoTime() < end) { total += plantedHot(200000); total += cool(2000); }
    return total;
  }
  public static void main(String[] words) {
    long total = main(1);
    System.out.println("under way");
    total += main(Double.parseDouble(words[0]));
    System.out.println(total == 0 ? "nothing" : "ended");
    System.exit(3);
  }
}
"""

GO = """\
package main

import ("fmt"; "os"; "strconv"; "time")

//go:noinline
func plantedHot(n int) int { t := 0; for i := 0; i < n; i++ { t += i * i % 7 }; return t }

func run(seconds float64) int {
	total := 0
	end := time.Now().Add(time.Duration(seconds * 1e9))
	for time.Now().Before(end) { total += plantedHot(20000) }
	return total
}

func main() {
	run(0.3)
	fmt.Println("under way")
	seconds, _ := strconv.ParseFloat(os.Args[1], 64)
	run(seconds)
	fmt.Println("ended")
	os.Exit(3)
}
"""

GO_TEST = """\
package main

import "testing"

func TestSlow(t *testing.T) { run(0.7); t.Fatal("planted") }
"""

C = """\
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
__attribute__((noinline)) long planted_hot(long n) {
  volatile long total = 0;
  for (long i = 0; i < n; i++) total += i * i % 7;
  return total;
}
static void run(double seconds) {
  clock_t end = clock() + seconds * CLOCKS_PER_SEC;
  while (clock() < end) planted_hot(20000);
}
int main(int count, char **words) {
  run(0.2);
  puts("under way");
  fflush(stdout);
  run(atof(words[count - 1]));
  puts("ended");
  return 3;
}
"""

PAGE = """\
<!doctype html><title>Slow</title><p id="orders">none</p>
<script>
function plantedHot(n) { let total = 0; for (let i = 0; i < n; i++) total += Math.sqrt(i) % 7; return total; }
function showOrders() {
  const end = performance.now() + 1500;
  while (performance.now() < end) plantedHot(200000);
  document.getElementById('orders').textContent = 'all';
}
showOrders();
</script>
"""

RUBY = """\
def planted_hot(n)
  total, i = 0, 0
  while i < n
    total += i * i % 7
    i += 1
  end
  total
end
def main(seconds)
  done = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) + seconds
  planted_hot(20000) while Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) < done
end
main(0.2)
puts "under way"
$stdout.flush
main(ARGV[0].to_f)
puts "ended"
exit 3
"""

PHP = """\
<?php
function planted_hot(int $n): int { $t = 0; for ($i = 0; $i < $n; $i++) { $t += $i * $i % 7; } return $t; }
function cool(int $n): int { return array_sum(range(0, $n)); }
function main(float $seconds): void {
  $end = hrtime(true) + 1e9 * $seconds;
  while (hrtime(true) < $end) { planted_hot(20000); cool(2000); }
}
main(0.3);
echo "under way\\n";
main((float) $argv[1]);
echo "ended\\n";
exit(3);
"""

GO_SERVER = """\
package main

import ("fmt"; "net"; "net/http"; _ "net/http/pprof")

//go:noinline
func plantedHot(n int) int { t := 0; for i := 0; i < n; i++ { t += i * i % 7 }; return t }

func main() {
	go func() { for { plantedHot(20000) } }()
	listener, _ := net.Listen("tcp", "127.0.0.1:0")
	fmt.Println(listener.Addr())
	http.Serve(listener, nil)
}
"""

RECORD_S = 120
"""For a recording with its answer on a machine that does other things."""

MAIN = (sys.executable, "-c", "from server.app import main; main()", "record")


def needs(program: str) -> str:
    """Its path; the test is skipped, saying so, where it is not here."""
    path = shutil.which(program)
    if path is None:
        pytest.skip(f"{program} is not on this machine")
    return path


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Ours, in which this checkout's rooms are found from any folder."""
    found = os.pathsep.join([str(Path(__file__).parents[4]), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": found.rstrip(os.pathsep), **(extra or {})}


def record(folder: Path, *words: str, extra: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """`flamechat record` with a data folder of its own, in the folder."""
    return subprocess.run(
        [*MAIN, "--data", str(folder / "data"), *words],
        cwd=folder,
        env=environment(extra),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=RECORD_S,
    )


def interrupted(folder: Path, number: signal.Signals, *words: str) -> tuple[int, str]:
    """As `record`, sent a signal once the program has printed its first line. Its exit code and stderr."""
    running = subprocess.Popen(
        [*MAIN, "--data", str(folder / "data"), *words],
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert running.stdout is not None
        assert running.stdout.readline() == "under way\n"
        running.send_signal(number)
        _, errors = running.communicate(timeout=RECORD_S)
    finally:
        running.kill()
    return running.returncode, errors


def kept_files(folder: Path) -> list[Path]:
    """Every file of every recording kept."""
    return sorted(file for file in (folder / "data" / "recordings").rglob("*") if file.is_file())


def newest(folder: Path) -> Path:
    """The recording that was kept last."""
    about = max((folder / "data" / "recordings").glob("*/recording.json"))
    return about.parent / str(json.loads(about.read_text())["file"])


def hottest(folder: Path) -> str:
    """The function that the newest recording shows to have most self time, apart from what stands in brackets, and from
    where Go interrupts a loop: on a busy machine its profiler's signal comes together with that of its scheduler."""
    file = newest(folder)
    trace = read_trace(file.read_bytes(), name=file.name)
    rows = top_functions(trace).rows
    return next(row.name for row in rows if not row.name.startswith(("(", "runtime.asyncPreempt")))
