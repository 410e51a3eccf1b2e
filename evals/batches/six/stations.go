package main

import ("fmt"; "os"; "runtime/pprof"; "sort"; "strings"; "sync"; "regexp"; "strconv")

type Reading struct { Station string; Celsius float64; Hour int }
var linePattern = regexp.MustCompile(`^(\w+);(-?\d+\.\d);(\d+)$`)
//go:noinline
func generate(n int) []string { out := make([]string, 0, n); for i := 0; i < n; i++ { out = append(out, fmt.Sprintf("S%03d;%d.%d;%d", i%300, (i*7)%40-10, i%10, i%24)) }; return out }
//go:noinline
func parseLine(s string) (Reading, bool) { m := linePattern.FindStringSubmatch(s); if m == nil { return Reading{}, false }; c, _ := strconv.ParseFloat(m[2], 64); h, _ := strconv.Atoi(m[3]); return Reading{m[1], c, h}, true }
type Store struct { mu sync.Mutex; by map[string][]Reading }
//go:noinline
func (s *Store) Add(r Reading) { s.mu.Lock(); s.by[r.Station] = append(s.by[r.Station], r); s.mu.Unlock() }
//go:noinline
func median(v []Reading) float64 { c := append([]Reading(nil), v...); sort.Slice(c, func(i, j int) bool { return c[i].Celsius < c[j].Celsius }); return c[len(c)/2].Celsius }
//go:noinline
func report(s *Store) string { names := []string{}; for k := range s.by { names = append(names, k) }; sort.Strings(names); var b strings.Builder; for _, n := range names { fmt.Fprintf(&b, "%s %.1f\n", n, median(s.by[n])) }; return b.String() }
//go:noinline
func ingest(lines []string, s *Store, wg *sync.WaitGroup) { defer wg.Done(); for _, l := range lines { if r, ok := parseLine(l); ok { s.Add(r) } } }
func main() { f, _ := os.Create(os.Args[1]); pprof.StartCPUProfile(f); defer pprof.StopCPUProfile()
 lines := generate(600000); s := &Store{by: map[string][]Reading{}}; var wg sync.WaitGroup
 for w := 0; w < 4; w++ { wg.Add(1); go ingest(lines[w*150000:(w+1)*150000], s, &wg) }; wg.Wait()
 for i := 0; i < 3; i++ { _ = report(s) } }
