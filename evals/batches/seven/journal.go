package main

import ("bytes"; "encoding/json"; "os"; "runtime"; "runtime/pprof"; "strings")

type Event struct { ID int; Name string; Tags []string; Payload map[string]string }
//go:noinline
func makeEvent(i int) Event { return Event{ID: i, Name: strings.Repeat("e", 20+i%9), Tags: []string{"a", "b"}, Payload: map[string]string{"k": strings.Repeat("v", 60)}} }
//go:noinline
func encode(e Event) []byte { b, _ := json.Marshal(e); return b }
//go:noinline
func compact(b []byte) []byte { var o bytes.Buffer; json.Compact(&o, b); return append([]byte(nil), o.Bytes()...) }
//go:noinline
func split(s string) []string { return strings.Split(s, ",") }
type Journal struct { lines [][]byte; index map[string][]int }
//go:noinline
func (j *Journal) Append(b []byte) { j.lines = append(j.lines, b); for _, w := range split(string(b)) { j.index[w] = append(j.index[w], len(j.lines)) } }
func main() { runtime.MemProfileRate = 16384; j := &Journal{index: map[string][]int{}}
 for i := 0; i < 40000; i++ { j.Append(compact(encode(makeEvent(i)))) }
 runtime.GC(); f, _ := os.Create(os.Args[1]); pprof.Lookup("heap").WriteTo(f, 0); f.Close(); _ = j.lines[0] }
