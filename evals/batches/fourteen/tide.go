// Counts tides of harbours in goroutines that share one table behind a mutex.
package main

import (
	"fmt"
	"os"
	"runtime/pprof"
	"sort"
	"strings"
	"sync"
)

type table struct {
	mu   sync.Mutex
	seen map[string]int
}

func (t *table) add(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seen[key]++
}

func label(n int) string {
	return fmt.Sprintf("harbour-%03d/%s", n%400, strings.Repeat("x", n%13))
}

func wave(n int) float64 {
	sum := 0.0
	for i := 1; i < 400; i++ {
		sum += float64(n%i) / float64(i)
	}
	return sum
}

func ranking(t *table) []string {
	keys := make([]string, 0, len(t.seen))
	for key := range t.seen {
		keys = append(keys, key)
	}
	sort.Slice(keys, func(a, b int) bool { return strings.ToLower(keys[a]) < strings.ToLower(keys[b]) })
	return keys
}

func main() {
	file, _ := os.Create(os.Args[1])
	pprof.StartCPUProfile(file)
	t := &table{seen: map[string]int{}}
	var group sync.WaitGroup
	for worker := 0; worker < 3; worker++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for n := 0; n < 400000; n++ {
				t.add(label(n + worker))
				if n%3 == 0 {
					wave(n)
				}
			}
		}()
	}
	group.Wait()
	total := 0
	for round := 0; round < 60; round++ {
		total += len(ranking(t))
	}
	pprof.StopCPUProfile()
	file.Close()
	fmt.Println(total)
}
