// Matches the stars of a night's plates with a catalogue. Workers count brightness classes in one table under one lock.
package main

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
)

type star struct{ ra, dec, mag float64 }

type census struct {
	mu      sync.Mutex
	classes map[string]int
}

func (c *census) tally(s star) {
	c.mu.Lock()
	name := brightnessName(s.mag)
	c.classes[name]++
	c.mu.Unlock()
}

func (c *census) merge(other map[string]int) {
	c.mu.Lock()
	for name, n := range other {
		c.classes[name] += n
	}
	c.mu.Unlock()
}

//go:noinline
func brightnessName(mag float64) string {
	return fmt.Sprintf("mag-%04.1f", math.Floor(mag*2)/2)
}

//go:noinline
func parseStar(row string) star {
	parts := strings.Split(row, ",")
	var v [3]float64
	for i, part := range parts {
		v[i], _ = strconv.ParseFloat(part, 64)
	}
	return star{v[0], v[1], v[2]}
}

//go:noinline
func separation(a, b star) float64 {
	return math.Acos(math.Sin(a.dec)*math.Sin(b.dec) + math.Cos(a.dec)*math.Cos(b.dec)*math.Cos(a.ra-b.ra))
}

//go:noinline
func nearest(s star, catalogue []star) int {
	best, at := math.Inf(1), -1
	for i, one := range catalogue {
		if d := separation(s, one); d < best {
			best, at = d, i
		}
	}
	return at
}

func rows(n int, seed uint64) []string {
	out := make([]string, n)
	for i := range out {
		seed = seed*6364136223846793005 + 1442695040888963407
		out[i] = fmt.Sprintf("%.6f,%.6f,%.3f", float64(seed>>40)/1e7*3.7, float64(seed>>44)/1e6-0.5, float64(seed>>50)/1700)
	}
	return out
}

func plateWorker(plates <-chan []string, catalogue []star, c *census, done *sync.WaitGroup) {
	defer done.Done()
	local := map[string]int{}
	for plate := range plates {
		for i, row := range plate {
			s := parseStar(row)
			c.tally(s)
			if i%24 == 0 {
				nearest(s, catalogue)
				local["matched"]++
			}
		}
		c.merge(local)
		clear(local)
	}
}

func main() {
	runtime.GOMAXPROCS(2)
	runtime.SetMutexProfileFraction(1)
	cpu, _ := os.Create(os.Args[1])
	pprof.StartCPUProfile(cpu)
	catalogue := make([]star, 0, 400)
	for _, row := range rows(400, 5) {
		catalogue = append(catalogue, parseStar(row))
	}
	c := &census{classes: map[string]int{}}
	plates := make(chan []string, 4)
	var done sync.WaitGroup
	for range 6 {
		done.Add(1)
		go plateWorker(plates, catalogue, c, &done)
	}
	for night := range 300 {
		plates <- rows(6000, uint64(night))
	}
	close(plates)
	done.Wait()
	pprof.StopCPUProfile()
	cpu.Close()
	f, _ := os.Create(os.Args[2])
	pprof.Lookup("mutex").WriteTo(f, 0)
	f.Close()
	fmt.Println(len(c.classes))
}
