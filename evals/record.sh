#!/usr/bin/env bash
# Records the cases' traces again, from a copy at /srv/app so that no machine's own paths are in the stacks:
#   cp -r evals/cases evals/record.sh evals/record_page.py /srv/app/ && cd /srv/app && ./record.sh OUT [CASE ...]
# Needs in /srv/app/.venv: py-spy, pyinstrument, viztracer, memray, austin-dist (3.7), playwright; in /srv/app/.torch: torch; on PATH: node
# (with @datadog/pprof in /srv/app/node_modules), go, gcc, java, perf, valgrind, uftrace, ruby with stackprof, chromium.
# Each recording ends with what the profiler's own report says, where it has one; the cases' `recorded.truth` quotes that.
set -euo pipefail
out=$(realpath "$1"); shift
python=.venv/bin/python
only=("$@")
wanted() { [ ${#only[@]} -eq 0 ] && return 0; for one in "${only[@]}"; do [ "$one" = "$1" ] && return 0; done; return 1; }
begin() { wanted "$1" || return 1; printf '\n== %s\n' "$1"; mkdir -p "$out/$1"; }
keep() { gzip -9 -n -c "$2" > "$out/$1/$3"; }
top() { $python -c 'import pstats, sys; pstats.Stats(sys.argv[1]).sort_stats("tottime").print_stats(5)' "$1" | tail -n +8; }

begin mailing-list && {
  $python -m cProfile -o list.prof cases/mailing-list/mailing_list.py 3000
  keep mailing-list list.prof trace.prof.gz; top list.prof; }
begin bundle-prices && {
  $python -m cProfile -o bundle.prof cases/bundle-prices/bundle_prices.py 15
  keep bundle-prices bundle.prof trace.prof.gz; top bundle.prof; }
begin newsletter && {
  .venv/bin/pyinstrument -r json -o newsletter.json cases/newsletter/newsletter.py 2000
  keep newsletter newsletter.json trace.pyinstrument.json.gz ; }
begin exchange-rates && {
  .venv/bin/pyinstrument -r json -o rates.json cases/exchange-rates/exchange_rates.py 30
  keep exchange-rates rates.json trace.pyinstrument.json.gz; }
begin stock-matching && {
  .venv/bin/py-spy record -r 200 -d 20 -F -f raw -o stock.txt -- $python cases/stock-matching/stock_matching.py 3
  keep stock-matching stock.txt trace.collapsed.txt.gz; }
begin index-workers && {
  .venv/bin/py-spy record -r 200 -d 20 -F -t -f speedscope -o index.json -- $python cases/index-workers/index_workers.py 3
  keep index-workers index.json trace.speedscope.json.gz; }
begin order-customers && {
  .venv/bin/viztracer --quiet -o orders.json cases/order-customers/order_customers.py 300
  $python -c 'import json; d = json.load(open("orders.json")); del d["file_info"]; json.dump(d, open("orders.json", "w"))'
  keep order-customers orders.json trace.viztracer.json.gz; }
begin catalogue-start && {
  .venv/bin/viztracer --quiet --ignore_c_function -o start.json cases/catalogue-start/catalogue_start.py 600
  $python -c 'import json; d = json.load(open("start.json")); del d["file_info"]; json.dump(d, open("start.json", "w"))'
  keep catalogue-start start.json trace.viztracer.json.gz; }
begin cache-collect && {
  .venv/bin/viztracer --quiet --log_gc -o collect.json cases/cache-collect/cache_collect.py 120
  $python -c 'import json; d = json.load(open("collect.json")); del d["file_info"]; json.dump(d, open("collect.json", "w"))'
  keep cache-collect collect.json trace.viztracer.json.gz; }
begin spell-check && {
  .venv/bin/austin -i 5ms -o spell.mojo $python cases/spell-check/spell_check.py 3
  keep spell-check spell.mojo trace.austin.gz; }
begin table-import && {
  .venv/bin/memray run -q -f -o table.bin cases/table-import/table_import.py 2000
  .venv/bin/memray transform gprof2dot -f -o table.json table.bin
  keep table-import table.json trace.memray.json.gz; .venv/bin/memray stats -n 3 table.bin | tail -12; }
begin train-augment && {
  .torch/bin/python cases/train-augment/train_augment.py torch.json
  keep train-augment torch.json trace.pytorch.json.gz; }

begin state-clone && {
  node --cpu-prof --cpu-prof-dir=. --cpu-prof-name=clone.cpuprofile cases/state-clone/state_clone.js 300
  keep state-clone clone.cpuprofile trace.cpuprofile.gz; }
begin sign-in && {
  node --cpu-prof --cpu-prof-interval 2000 --cpu-prof-dir=. --cpu-prof-name=sign.cpuprofile cases/sign-in/sign_in.js 60
  keep sign-in sign.cpuprofile trace.cpuprofile.gz; }
begin undo-history && {
  node --no-turbo-inlining --heap-prof --heap-prof-interval=32768 --heap-prof-dir=. --heap-prof-name=undo.heapprofile \
    cases/undo-history/undo_history.js 300
  keep undo-history undo.heapprofile trace.heapprofile.gz; }
begin leaderboard && {
  node cases/leaderboard/leaderboard.js 3 board.pb.gz
  mv board.pb.gz "$out/leaderboard/trace.pb.gz"; go tool pprof -top -nodecount=5 "$out/leaderboard/trace.pb.gz"; }

page() { begin "$1" && { $python record_page.py "cases/$1" "$1.json" ${2:+"$2"}; keep "$1" "$1.json" trace.chrome.json.gz; }; }
page tile-gallery '#align' || true
page shop-tags || true
page inbox-wait || true
page blog-styles || true

goes() { (cd "cases/$1" && cat > go.mod <<< "module ${1//-/}" && GOFLAGS=-trimpath go build -o "/srv/app/$1.bin" main.go && rm go.mod); }
begin log-words && {
  goes log-words; ./log-words.bin 3 "$out/log-words/trace.pb.gz"
  go tool pprof -top -cum -nodecount=12 "$out/log-words/trace.pb.gz"; }
begin registry-lock && {
  goes registry-lock; ./registry-lock.bin "$out/registry-lock/trace.pb.gz"
  go tool pprof -top -cum -sample_index=delay -nodecount=6 "$out/registry-lock/trace.pb.gz"; }
begin row-copies && {
  goes row-copies; ./row-copies.bin "$out/row-copies/trace.pb.gz"
  go tool pprof -top -sample_index=alloc_space -nodecount=5 "$out/row-copies/trace.pb.gz"; }

begin product-names && {
  cp cases/product-names/ProductNames.java . && javac -g ProductNames.java
  java -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints "-XX:StartFlightRecording=settings=invoices.jfc,filename=names.jfr" ProductNames 4
  keep product-names names.jfr trace.jfr.gz; }

begin heat-map && {
  gcc -O1 -g -fno-inline -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer cases/heat-map/heat_map.c -o heat_map
  perf record -q -e cpu-clock -F 497 -g -o perf.data ./heat_map 30 2048
  perf script -i perf.data > heat.txt; keep heat-map heat.txt trace.linux-perf.txt.gz
  perf report -i perf.data --no-children --stdio -g none 2>/dev/null | grep % | sed -n 1,5p; }
begin letter-count && {
  gcc -O1 -g -fno-inline cases/letter-count/letter_count.c -o letter_count
  valgrind -q --tool=callgrind --callgrind-out-file=letters.out ./letter_count 40
  keep letter-count letters.out trace.callgrind.out.gz; callgrind_annotate letters.out | grep % | sed -n 1,5p; }
begin shelf-search && {
  gcc -O1 -g -fno-inline -fno-optimize-sibling-calls -pg cases/shelf-search/shelf_search.c -o shelf_search
  rm -rf uftrace.data; uftrace record --no-libcall ./shelf_search 90 > /dev/null
  uftrace dump --chrome > shelf.json; keep shelf-search shelf.json trace.uftrace.json.gz; uftrace report -s self -f self,call; }

begin invoice-totals && {
  ruby cases/invoice-totals/invoice_totals.rb wall wall.json 3; keep invoice-totals wall.json wall.stackprof.json.gz
  ruby cases/invoice-totals/invoice_totals.rb object object.json 1; keep invoice-totals object.json object.stackprof.json.gz; }

begin region-lookup && {
  $python -m cProfile -o region.prof cases/region-lookup/region_lookup.py 1500
  keep region-lookup region.prof trace.prof.gz; top region.prof; }
begin rolling-median && {
  .venv/bin/pyinstrument -r json -o median.json cases/rolling-median/rolling_median.py 1500
  keep rolling-median median.json trace.pyinstrument.json.gz; }
begin tile-render && {
  .venv/bin/py-spy record -i -r 100 -d 20 -F -t -f speedscope -o tiles.json -- $python cases/tile-render/tile_render.py 3
  keep tile-render tiles.json trace.speedscope.json.gz; }
begin dashboard-calls && {
  .venv/bin/viztracer --quiet -o dashboard.json cases/dashboard-calls/dashboard_calls.py
  $python -c 'import json; d = json.load(open("dashboard.json")); del d["file_info"]; json.dump(d, open("dashboard.json", "w"))'
  keep dashboard-calls dashboard.json trace.viztracer.json.gz; }
begin archive-unpack && {
  .venv/bin/memray run -q -f -o archive.bin cases/archive-unpack/archive_unpack.py 8
  .venv/bin/memray transform gprof2dot -f -o archive.json archive.bin
  keep archive-unpack archive.json trace.memray.json.gz; .venv/bin/memray stats -n 3 archive.bin | tail -20; }
begin train-loading && {
  .torch/bin/python cases/train-loading/train_loading.py loading.json
  keep train-loading loading.json trace.pytorch.json.gz; }
begin tag-cloud && {
  node --cpu-prof --cpu-prof-dir=. --cpu-prof-name=tags.cpuprofile cases/tag-cloud/tag_cloud.js 12000
  keep tag-cloud tags.cpuprofile trace.cpuprofile.gz; }
begin request-log && {
  node --no-turbo-inlining --heap-prof --heap-prof-interval=32768 --heap-prof-dir=. --heap-prof-name=log.heapprofile \
    cases/request-log/request_log.js 4000
  keep request-log log.heapprofile trace.heapprofile.gz; }
page outline-page '#open' || true
begin csv-export && {
  goes csv-export; ./csv-export.bin 3 "$out/csv-export/trace.pb.gz"
  go tool pprof -top -cum -nodecount=8 "$out/csv-export/trace.pb.gz"; }
begin slow-consumer && {
  goes slow-consumer; ./slow-consumer.bin "$out/slow-consumer/trace.pb.gz"
  go tool pprof -top -cum -sample_index=delay -nodecount=8 "$out/slow-consumer/trace.pb.gz"; }
begin score-ranks && {
  cp cases/score-ranks/ScoreRanks.java . && javac -g ScoreRanks.java
  java -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints "-XX:StartFlightRecording=settings=invoices.jfc,filename=ranks.jfr" ScoreRanks 4
  keep score-ranks ranks.jfr trace.jfr.gz; }
begin key-powers && {
  gcc -O1 -g -fno-inline cases/key-powers/key_powers.c -o key_powers
  valgrind -q --tool=callgrind --callgrind-out-file=keys.out ./key_powers 900
  keep key-powers keys.out trace.callgrind.out.gz; callgrind_annotate keys.out | grep % | sed -n 1,5p
  gcc -O1 -g -fno-inline -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer cases/key-powers/key_powers.c -o key_powers_perf
  perf record -q -e cpu-clock -F 497 -g -o perf.data ./key_powers_perf 200000
  perf script -i perf.data > keys.txt; keep key-powers keys.txt cpu.linux-perf.txt.gz
  perf report -i perf.data --no-children --stdio -g none 2>/dev/null | grep % | sed -n 1,5p; }
begin wiki-parser && {
  ruby cases/wiki-parser/wiki_parser.rb wiki.json 3; keep wiki-parser wiki.json trace.stackprof.json.gz; }

begin duplicate-photos && {
  .venv/bin/py-spy record -r 200 -d 20 -F -f raw -o photos.txt -- $python cases/duplicate-photos/duplicate_photos.py 700
  keep duplicate-photos photos.txt trace.collapsed.txt.gz; }
begin mail-merge && {
  .venv/bin/pyinstrument -r json -o letters.json cases/mail-merge/mail_merge.py 200
  keep mail-merge letters.json trace.pyinstrument.json.gz; }
begin search-box && {
  node --cpu-prof --cpu-prof-interval 4000 --cpu-prof-dir=. --cpu-prof-name=search.cpuprofile cases/search-box/search_box.js 120
  keep search-box search.cpuprofile trace.cpuprofile.gz; }
begin number-sieve && {
  cp cases/number-sieve/NumberSieve.java . && javac -g NumberSieve.java
  java -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints "-XX:StartFlightRecording=settings=invoices.jfc,filename=sieve.jfr" NumberSieve 3
  keep number-sieve sieve.jfr trace.jfr.gz; }
begin graph-walk && {
  goes graph-walk; ./graph-walk.bin 3 "$out/graph-walk/trace.pb.gz"
  go tool pprof -top -nodecount=4 "$out/graph-walk/trace.pb.gz"; }
true
