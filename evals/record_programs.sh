#!/usr/bin/env bash
# Records the programs of evals/programs, each with its fault (1) and without it (0), from a copy at /srv/app so that no
# machine's own paths are in the stacks:
#   cp -r evals/programs evals/record_programs.sh evals/record_page.py /srv/app/ && cd /srv/app && ./record_programs.sh OUT [PROGRAM ...]
# Needs what record.sh needs. Ends each pair with what the profiler's own report says, where it has one: the truth in
# evals/programs/<program>/truth.toml quotes that, or a few lines of Python over the file.
set -euo pipefail
out=$(realpath "$1"); shift
python=.venv/bin/python
only=("$@")
chosen() { [ ${#only[@]} -eq 0 ] && return 0; for one in "${only[@]}"; do [ "$one" = "$1" ] && return 0; done; return 1; }
begin() { chosen "$1" || return 1; printf '\n== %s\n' "$1"; mkdir -p "$out/$1"; }
# keep PROGRAM VARIANT FILE SUFFIX: the faulty one is fault.SUFFIX.gz, its sibling sibling.SUFFIX.gz
keep() { local name=fault; [ "$2" = 0 ] && name=sibling; gzip -9 -n -c "$3" > "$out/$1/$name.$4.gz"; }
top() { $python -c 'import pstats, sys; pstats.Stats(sys.argv[1]).sort_stats("tottime").print_stats(6)' "$1" | tail -n +6; }
variants="1 0"

cprofile() { begin "$1" && for v in $variants; do
  $python -m cProfile -o p.prof "programs/$1/$1.py" $v; keep "$1" $v p.prof prof; top p.prof; done; }
pyinstruments() { begin "$1" && for v in $variants; do
  .venv/bin/pyinstrument -i "${2:-0.001}" -r json -o p.json "programs/$1/$1.py" $v; keep "$1" $v p.json pyinstrument.json; done; }
austins() { begin "$1" && for v in $variants; do
  .venv/bin/austin -i "${2:-1ms}" -o p.mojo $python "programs/$1/$1.py" $v; keep "$1" $v p.mojo austin; done; }
spies() { begin "$1" && for v in $variants; do
  .venv/bin/py-spy record "${@:2}" -F -t -f speedscope -o p.json -- $python "programs/$1/$1.py" $v; keep "$1" $v p.json speedscope.json; done; }
spies_raw() { begin "$1" && for v in $variants; do
  .venv/bin/py-spy record "${@:2}" -F -f raw -o p.txt -- $python "programs/$1/$1.py" $v; keep "$1" $v p.txt collapsed.txt; done; }
viztraces() { begin "$1" && for v in $variants; do
  .venv/bin/viztracer --quiet "${@:2}" -o p.json -- "programs/$1/$1.py" $v
  $python -c 'import json; d = json.load(open("p.json")); del d["file_info"]; json.dump(d, open("p.json", "w"))'
  keep "$1" $v p.json viztracer.json; done; }
memrays() { begin "$1" && for v in $variants; do
  .venv/bin/memray run -q -f -o p.bin "programs/$1/$1.py" $v
  .venv/bin/memray transform gprof2dot -f -o p.json p.bin > /dev/null; keep "$1" $v p.json memray.json
  .venv/bin/memray stats -n 4 p.bin | tail -14; done; }
nodes() { begin "$1" && for v in $variants; do
  node --cpu-prof "${@:2}" --cpu-prof-dir=. --cpu-prof-name=p.cpuprofile "programs/$1/$1.js" $v; keep "$1" $v p.cpuprofile cpuprofile; done; }
node_heaps() { begin "$1" && for v in $variants; do
  node --no-turbo-inlining --heap-prof --heap-prof-interval=32768 --heap-prof-dir=. --heap-prof-name=p.heapprofile "programs/$1/$1.js" $v
  keep "$1" $v p.heapprofile heapprofile; done; }
gos() { begin "$1" && { (cd "programs/$1" && cat > go.mod <<< "module ${1//_/}" && GOFLAGS=-trimpath go build -o "/srv/app/$1.bin" main.go && rm go.mod)
  for v in $variants; do "./$1.bin" $v p.pb.gz; gunzip -c p.pb.gz > p.pb; keep "$1" $v p.pb pb
  go tool pprof -top -nodecount=8 ${2:+-sample_index=$2} p.pb.gz; done; }; }
javas() { begin "$1" && { javac -g -d . "programs/$1/$2.java"
  for v in $variants; do java -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints "${@:4}" \
    "-XX:StartFlightRecording=settings=programs/$3,filename=p.jfr" "$2" $v; keep "$1" $v p.jfr jfr
  jfr summary p.jfr | grep -E 'ExecutionSample|MonitorEnter|ThreadPark|GarbageCollection|ExceptionThrown|FileWrite' || true; done; }; }
pages() { begin "$1" && for v in $variants; do $python record_page.py "programs/$1" p.json "" $v; keep "$1" $v p.json chrome.json; done; }
callgrinds() { begin "$1" && { gcc -O1 -g -fno-inline "programs/$1/$1.c" -o "$1.bin" -lpthread -lm
  for v in $variants; do valgrind -q --tool=callgrind "${@:2}" --callgrind-out-file=p.out "./$1.bin" $v; keep "$1" $v p.out callgrind.out
  callgrind_annotate p.out | grep -A3 -E '^Ir|%' | head -14; done; }; }
perfs() { begin "$1" && { gcc -O1 -g -fno-inline -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer "programs/$1/$1.c" -o "$1.bin" -lpthread -lm
  for v in $variants; do perf record -q -e cpu-clock -F 497 -g -o perf.data "./$1.bin" $v; perf script -i perf.data > p.txt; keep "$1" $v p.txt linux-perf.txt
  perf report -i perf.data --no-children --stdio -g none 2>/dev/null | grep % | sed -n 1,6p; done; }; }
uftraces() { begin "$1" && { gcc -O1 -g -fno-inline -fno-optimize-sibling-calls -pg "programs/$1/$1.c" -o "$1.bin" -lpthread -lm
  for v in $variants; do rm -rf uftrace.data; chrt -f 50 uftrace record --no-libcall --no-event "./$1.bin" $v > /dev/null
  uftrace dump --chrome > p.json; keep "$1" $v p.json uftrace.json; uftrace report -s self -f self,call | head -8; done; }; }
stackprofs() { begin "$1" && for v in $variants; do
  ruby "programs/$1/$1.rb" $v p.json; keep "$1" $v p.json stackprof.json; done; }

cprofile shop_receipts || true
javas ticket_desk TicketDesk ticket_desk/waits.jfc || true
nodes login_gateway --cpu-prof-interval 2000 || true
pyinstruments weather_board || true
nodes mail_filter --cpu-prof-interval 2000 || true
gos route_dedupe || true
viztraces tax_lines --ignore_c_function || true
gos tick_stream || true
austins plugin_host || true
viztraces month_mailer --ignore_c_function || true
javas sheet_import SheetImport ticket_desk/waits.jfc || true
pages price_grid || true
spies audit_trail -r 200 -d 20 || true
nodes state_sync --cpu-prof-interval 2000 || true
spies thumb_pool -i -r 50 -d 20 || true
callgrinds grid_walk --cache-sim=yes || true
memrays visit_log || true
viztraces category_tree || true
gos ledger_post delay || true
cprofile log_tail || true
perfs line_join || true
stackprofs feed_import || true
pages story_page || true
viztraces note_editor || true
node_heaps topic_bus || true
uftraces frame_decode || true
viztraces rate_fetch --ignore_c_function || true
spies_raw rule_compile -r 100 -d 20 || true
javas order_events OrderEvents order_events/memory.jfc -Xmx200m || true
callgrinds slot_list --cache-sim=yes || true
gos tile_names || true
nodes report_start --cpu-prof-interval 500 || true
nodes price_files --cpu-prof-interval 2000 || true
cprofile doc_copies || true
gos stock_watch || true
pyinstruments chat_rooms || true
javas score_names ScoreNames ticket_desk/waits.jfc || true
pages panel_sizes || true
gos session_map inuse_space || true
spies shared_index -i -r 100 -d 20 || true
