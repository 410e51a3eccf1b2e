// A fish market: sorts crates by freshness, weighs them, builds slips for buyers, and keeps a day book.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"sort"
	"strings"
	"sync"
	"time"
)

type crate struct {
	boat, kind string
	grams      []int
	caught     int
}

//go:noinline
func landCrates(boat string, count int) []crate {
	crates := make([]crate, 0)
	for at := 0; at < count; at++ {
		grams := make([]int, 60)
		for one := range grams {
			grams[one] = 300 + (at*one)%900
		}
		crates = append(crates, crate{boat, []string{"cod", "ling", "hake"}[at%3], grams, (at * 7919) % 1000})
	}
	return crates
}

//go:noinline
func freshness(one crate, hour int) int {
	score := one.caught
	for step := 0; step < 40; step++ {
		score = (score*31 + hour + step) % 100003
	}
	return score
}

//go:noinline
func sortByFreshness(crates []crate, hour int) {
	sort.Slice(crates, func(a, b int) bool { return freshness(crates[a], hour) < freshness(crates[b], hour) })
}

//go:noinline
func weigh(one crate) int {
	sum := 0
	for _, grams := range one.grams {
		sum += grams
	}
	return sum
}

//go:noinline
func buyerSlip(crates []crate) string {
	slip := ""
	for _, one := range crates[:120] {
		slip += fmt.Sprintf("%s %s %d g;", one.boat, one.kind, weigh(one))
	}
	return slip
}

type dayBook struct {
	guard sync.Mutex
	lines map[string]int
}

//go:noinline
func (book *dayBook) enter(slip string) {
	book.guard.Lock()
	defer book.guard.Unlock()
	for _, line := range strings.Split(slip, ";") {
		book.lines[line]++
	}
}

func auction(boat string, hours int, book *dayBook, done *sync.WaitGroup) {
	defer done.Done()
	for hour := 0; hour < hours; hour++ {
		crates := landCrates(boat, 900)
		sortByFreshness(crates, hour)
		book.enter(buyerSlip(crates))
	}
}

func main() {
	runtime.MemProfileRate = 16 * 1024
	cpu, _ := os.Create("fish-cpu.pb.gz")
	pprof.StartCPUProfile(cpu)
	book := &dayBook{lines: map[string]int{}}
	var done sync.WaitGroup
	for _, boat := range []string{"Petrel", "Tern"} {
		done.Add(1)
		go auction(boat, 300, book, &done)
	}
	done.Wait()
	time.Sleep(200 * time.Millisecond)
	pprof.StopCPUProfile()
	heap, _ := os.Create("fish-allocs.pb.gz")
	pprof.Lookup("allocs").WriteTo(heap, 0)
	heap.Close()
	fmt.Println(len(book.lines))
}
