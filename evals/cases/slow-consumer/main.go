// A pipeline with a slow end: `./slowconsumer OUT.pb.gz`. Planted: produce blocks, because store takes one item a millisecond.
package main

import (
	"os"
	"runtime"
	"runtime/pprof"
	"time"
)

//go:noinline
func produce(items chan<- int, count int) {
	for n := 0; n < count; n++ {
		items <- n
	}
	close(items)
}

//go:noinline
func store(item int) int {
	time.Sleep(time.Millisecond)
	return item
}

//go:noinline
func consume(items <-chan int, done chan<- int) {
	total := 0
	for item := range items {
		total += store(item)
	}
	done <- total
}

func main() {
	runtime.SetBlockProfileRate(1)
	items, done := make(chan int), make(chan int)
	go consume(items, done)
	go produce(items, 400)
	<-done
	file, _ := os.Create(os.Args[1])
	defer file.Close()
	pprof.Lookup("block").WriteTo(file, 0)
}
