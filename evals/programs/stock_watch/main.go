// Watches stocks. With 1 every tick is logged with its place in the source, with 0 only alarms are.
package main

import (
	"fmt"
	"io"
	"log"
	"os"
	"runtime/pprof"
)

type Watch struct {
	lines   *log.Logger
	chatty  bool
	average [64]float64
}

//go:noinline
func (w *Watch) note(format string, values ...any) { w.lines.Printf(format, values...) }

//go:noinline
func (w *Watch) smooth(stock int, price float64) float64 {
	for n := 0; n < 24; n++ {
		w.average[stock] += (price - w.average[stock]) / float64(20+n)
	}
	return w.average[stock]
}

//go:noinline
func (w *Watch) OnTick(n int) {
	stock, price := n%64, float64(n*37%1009)
	average := w.smooth(stock, price)
	if w.chatty {
		w.note("tick %d of stock %d: price %.2f average %.2f", n, stock, price, average)
	}
	if price > average*40 {
		w.note("alarm for stock %d", stock)
	}
}

func main() {
	file, _ := os.Create(os.Args[2])
	watch := &Watch{lines: log.New(io.Discard, "", 0), chatty: os.Args[1] == "1"}
	quiet, _ := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	watch.lines = log.New(quiet, "stocks ", log.LstdFlags|log.Lmicroseconds|log.Llongfile)
	pprof.StartCPUProfile(file)
	ticks := 600000
	if !watch.chatty {
		ticks = 12000000
	}
	for n := 0; n < ticks; n++ {
		watch.OnTick(n)
	}
	pprof.StopCPUProfile()
	file.Close()
	fmt.Println(watch.average[3])
}
