// Bags of an airport go over a scanner and one sorter to three gates. Records where goroutines block.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"
)

type bag struct{ number, gate int }

//go:noinline
func checkIn(belt chan<- bag, first, n int) {
	for i := range n {
		belt <- bag{first + i, (first + i) % 3}
	}
}

//go:noinline
func xray(b bag) bool {
	time.Sleep(2 * time.Millisecond)
	return b.number%50 != 0
}

//go:noinline
func scanner(in <-chan bag, out chan<- bag, manual chan<- bag) {
	for b := range in {
		if xray(b) {
			out <- b
		} else {
			manual <- b
		}
	}
}

//go:noinline
func openByHand(manual <-chan bag, out chan<- bag, done *sync.WaitGroup) {
	defer done.Done()
	for b := range manual {
		time.Sleep(40 * time.Millisecond)
		out <- b
	}
}

//go:noinline
func sorter(in <-chan bag, gates []chan bag) {
	for b := range in {
		gates[b.gate] <- b
	}
}

//go:noinline
func loadCart(gate int, in <-chan bag, done *sync.WaitGroup) {
	defer done.Done()
	pace := time.Duration(1+gate*2) * time.Millisecond
	for range in {
		time.Sleep(pace)
	}
}

func main() {
	runtime.SetBlockProfileRate(1)
	belt, scanned, manual := make(chan bag), make(chan bag, 8), make(chan bag, 2)
	gates := []chan bag{make(chan bag, 4), make(chan bag, 4), make(chan bag, 4)}
	var counters, hands, carts, scanners sync.WaitGroup
	for i := range 4 {
		counters.Add(1)
		go func() { defer counters.Done(); checkIn(belt, i*400, 400) }()
	}
	for range 2 {
		scanners.Add(1)
		go func() { defer scanners.Done(); scanner(belt, scanned, manual) }()
	}
	hands.Add(1)
	go openByHand(manual, scanned, &hands)
	for gate, in := range gates {
		carts.Add(1)
		go loadCart(gate, in, &carts)
	}
	go func() {
		counters.Wait()
		close(belt)
		scanners.Wait()
		close(manual)
		hands.Wait()
		close(scanned)
	}()
	sorter(scanned, gates)
	for _, in := range gates {
		close(in)
	}
	carts.Wait()
	f, _ := os.Create(os.Args[1])
	pprof.Lookup("block").WriteTo(f, 0)
	f.Close()
	fmt.Println("loaded")
}
