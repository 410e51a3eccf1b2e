// Readings of a wind farm: each turbine's last message is kept as a slice of the telegram it came in, which keeps the telegram.
package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
)

type turbine struct {
	name   string
	status [][]byte
	power  []float64
}

type farm struct {
	turbines []*turbine
	alarms   map[string]int
}

func telegram(n int) []byte {
	b := bytes.Repeat([]byte("rpm=14.2;yaw=231;temp=41.7;"), 600)
	return append(b, []byte(fmt.Sprintf("status=%03d", n%7))...)
}

func (f *farm) receive(n int) {
	t := f.turbines[n%len(f.turbines)]
	raw := telegram(n)
	t.status = append(t.status, raw[len(raw)-10:])
	t.power = append(t.power, parsePower(raw))
	if n%50 == 0 {
		f.alarm(t, n)
	}
}

func parsePower(raw []byte) float64 {
	sum := 0.0
	for i, field := range strings.Split(string(raw), ";") {
		sum += float64(len(field) * (i%3 + 1))
	}
	return sum
}

func (f *farm) alarm(t *turbine, n int) {
	f.alarms[fmt.Sprintf("%s/%d/%s", t.name, n, strings.Repeat("!", 400))]++
}

func forecast(f *farm) []float64 {
	grid := make([]float64, 0, 180000)
	for i := 0; i < 180000; i++ {
		grid = append(grid, float64(i%360))
	}
	return grid
}

func main() {
	runtime.MemProfileRate = 4096
	f := &farm{alarms: map[string]int{}}
	for i := 0; i < 24; i++ {
		f.turbines = append(f.turbines, &turbine{name: fmt.Sprintf("wt-%02d", i)})
	}
	for n := 0; n < 2400; n++ {
		f.receive(n)
	}
	grid := forecast(f)
	runtime.GC()
	out, _ := os.Create(os.Args[1])
	pprof.Lookup("heap").WriteTo(out, 0)
	out.Close()
	runtime.KeepAlive(f)
	runtime.KeepAlive(grid)
}
