// Snow ploughs: plans the rounds of the streets, salts them by temperature and writes the shift report.
package main

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/pprof"
	"sort"
	"strings"
	"sync"
)

type street struct {
	name   string
	metres int
	slope  float64
}

func streets(count int) []street {
	list := make([]street, 0, count)
	for at := 0; at < count; at++ {
		list = append(list, street{fmt.Sprintf("street %d", at), 80 + at*37%900, float64(at%12) / 2})
	}
	return list
}

//go:noinline
func distance(one, two street) float64 {
	return math.Hypot(float64(one.metres-two.metres), one.slope*30-two.slope*30)
}

//go:noinline
func nearestStreet(from street, left []street) int {
	best, shortest := 0, math.MaxFloat64
	for at, other := range left {
		if far := distance(from, other); far < shortest {
			best, shortest = at, far
		}
	}
	return best
}

//go:noinline
func planRound(list []street) []street {
	left := append([]street(nil), list...)
	round := []street{left[0]}
	left = left[1:]
	for len(left) > 0 {
		at := nearestStreet(round[len(round)-1], left)
		round = append(round, left[at])
		left = append(left[:at], left[at+1:]...)
	}
	return round
}

//go:noinline
func saltNeeded(one street, night int) float64 {
	grams := 0.0
	for metre := 0; metre < one.metres; metre++ {
		grams += 12 * math.Exp(-float64(metre%9)/float64(3+night%4))
	}
	return grams
}

//go:noinline
func sortBySlope(list []street) {
	sort.Slice(list, func(a, b int) bool { return list[a].slope > list[b].slope })
}

//go:noinline
func shiftReport(round []street, night int) string {
	var page strings.Builder
	for _, one := range round {
		page.WriteString(fmt.Sprintf("%-14s %6d m %9.1f g\n", one.name, one.metres, saltNeeded(one, night)))
	}
	return page.String()
}

//go:noinline
func appendLog(log string, line string) string {
	return log + line + "\n"
}

//go:noinline
func clearDistrict(district int, nights int, done *sync.WaitGroup) {
	defer done.Done()
	list := streets(700 + district*200)
	log := ""
	for night := 0; night < nights; night++ {
		round := planRound(list)
		sortBySlope(list)
		page := shiftReport(round, night)
		for _, line := range strings.Split(page, "\n")[:70] {
			log = appendLog(log, line)
		}
	}
}

func main() {
	runtime.MemProfileRate = 32 * 1024
	cpu, _ := os.Create("plough-cpu.pb.gz")
	pprof.StartCPUProfile(cpu)
	var done sync.WaitGroup
	for district := 0; district < 2; district++ {
		done.Add(1)
		go clearDistrict(district, 110, &done)
	}
	done.Wait()
	pprof.StopCPUProfile()
	heap, _ := os.Create("plough-allocs.pb.gz")
	pprof.Lookup("allocs").WriteTo(heap, 0)
	heap.Close()
}
