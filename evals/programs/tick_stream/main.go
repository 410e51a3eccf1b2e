// Encodes ticks of a market. With 1 every tick gets buffers and a map of its own, with 0 they are reused.
package main

import (
	"os"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
)

type Tick struct{ fields map[string][]byte }

var sink []*Tick

//go:noinline
func encodeFresh(n int) *Tick {
	tick := &Tick{fields: map[string][]byte{}}
	for _, name := range []string{"bid", "ask", "size", "venue", "time"} {
		value := make([]byte, 0, 256)
		tick.fields[name] = strconv.AppendInt(value, int64(n*len(name)), 10)
	}
	return tick
}

//go:noinline
func encodeReused(tick *Tick, n int) {
	for _, name := range []string{"bid", "ask", "size", "venue", "time"} {
		tick.fields[name] = strconv.AppendInt(tick.fields[name][:0], int64(n*len(name)), 10)
	}
}

//go:noinline
func smoothPrice(window []float64, n int) float64 {
	window[n%len(window)] = float64(n % 977)
	sum := 0.0
	for _, one := range window {
		sum += one
	}
	return sum / float64(len(window))
}

//go:noinline
func publish(ticks int, fresh bool) float64 {
	reused, price, window := &Tick{fields: map[string][]byte{}}, 0.0, make([]float64, 300)
	sink = make([]*Tick, 20000)
	for n := 0; n < ticks; n++ {
		if fresh {
			sink[n%len(sink)] = encodeFresh(n)
		} else {
			encodeReused(reused, n)
		}
		price += smoothPrice(window, n)
	}
	return price
}

func main() {
	debug.SetGCPercent(15)
	file, _ := os.Create(os.Args[2])
	pprof.StartCPUProfile(file)
	publish(1500000, os.Args[1] == "1")
	pprof.StopCPUProfile()
	file.Close()
}
