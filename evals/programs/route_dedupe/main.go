// Collects stops of bus routes without repetition. With 1 by walking the list of stops seen, with 0 with a set.
package main

import (
	"fmt"
	"hash/fnv"
	"os"
	"runtime/pprof"
)

type Stop struct{ name string; zone int }

//go:noinline
func alreadySeen(stops []Stop, stop Stop) bool {
	for _, one := range stops {
		if one.name == stop.name && one.zone == stop.zone {
			return true
		}
	}
	return false
}

//go:noinline
func parseStop(n int) Stop { return Stop{name: fmt.Sprintf("stop %06d", n*7919%16000), zone: n % 4} }

//go:noinline
func checksum(stops []Stop) uint64 {
	sum := fnv.New64()
	for n := 0; n < 400; n++ {
		for _, one := range stops {
			sum.Write([]byte(one.name))
		}
	}
	return sum.Sum64()
}

//go:noinline
func collectStops(lines int, walking bool) []Stop {
	stops, seen := []Stop{}, map[Stop]bool{}
	for n := 0; n < lines; n++ {
		stop := parseStop(n)
		if walking {
			if alreadySeen(stops, stop) {
				continue
			}
		} else if seen[stop] {
			continue
		}
		seen[stop] = true
		stops = append(stops, stop)
	}
	return stops
}

func main() {
	file, _ := os.Create(os.Args[2])
	pprof.StartCPUProfile(file)
	for run := 0; run < 3; run++ {
		fmt.Println(checksum(collectStops(24000, os.Args[1] == "1")))
	}
	pprof.StopCPUProfile()
	file.Close()
}
