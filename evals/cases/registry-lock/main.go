// A registry that many goroutines update: `./registry OUT.pb.gz`. Planted: Update renders a listing while it holds the lock.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
)

type Registry struct {
	lock    sync.Mutex
	entries map[int]string
	listing string
}

//go:noinline
func (r *Registry) render() string {
	var text strings.Builder
	for n := 0; n < 400; n++ {
		fmt.Fprintln(&text, n, r.entries[n])
	}
	return text.String()
}

//go:noinline
func (r *Registry) Update(n int) {
	r.lock.Lock()
	r.entries[n%400] = fmt.Sprint("entry ", n)
	r.listing = r.render() // nobody needs it here
	r.lock.Unlock()
}

type Stats struct {
	lock  sync.Mutex
	count int
}

//go:noinline
func (s *Stats) Increment() {
	s.lock.Lock()
	s.count++
	s.lock.Unlock()
}

func main() {
	runtime.SetMutexProfileFraction(1)
	registry, stats := &Registry{entries: map[int]string{}}, &Stats{}
	var all sync.WaitGroup
	for worker := 0; worker < 8; worker++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for n := 0; n < 1500; n++ {
				registry.Update(n)
				stats.Increment()
			}
		}()
	}
	all.Wait()
	file, _ := os.Create(os.Args[1])
	defer file.Close()
	pprof.Lookup("mutex").WriteTo(file, 0)
}
