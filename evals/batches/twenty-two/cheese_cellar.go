// A cheese cellar: turners look after the wheels on the shelves; the one ledger is locked while a wheel is weighed.
// Writes the profile of mutexes and that of the processor: cheese_cellar MUTEX CPU
package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"sort"
	"sync"
	"time"
)

type ledger struct {
	mu    sync.Mutex
	lines map[int]string
}

type brine struct {
	mu   sync.RWMutex
	salt []float64
}

//go:noinline
func weigh(wheel int) int {
	sum := sha256.Sum256([]byte(fmt.Sprint(wheel)))
	for n := 0; n < 2500; n++ {
		sum = sha256.Sum256(sum[:])
	}
	return int(sum[0]) + 256*int(sum[1])
}

//go:noinline
func (l *ledger) note(wheel int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines[wheel] = fmt.Sprintf("wheel %d: %d g", wheel, weigh(wheel))
}

//go:noinline
func (b *brine) stir(at int) {
	b.mu.Lock()
	b.salt[at%len(b.salt)] += 0.01
	time.Sleep(40 * time.Microsecond)
	b.mu.Unlock()
}

//go:noinline
func (b *brine) taste() float64 {
	b.mu.RLock()
	defer b.mu.RUnlock()
	all := append([]float64(nil), b.salt...)
	sort.Float64s(all)
	return all[len(all)/2]
}

//go:noinline
func brush(wheel int) int {
	rind := 1
	for n := 1; n < 160000; n++ {
		rind = (rind*31 + wheel*n) % 65521
	}
	return rind
}

func turner(l *ledger, b *brine, first int) {
	for wheel := first; wheel < first+200; wheel++ {
		brush(wheel)
		l.note(wheel)
		if wheel%10 == 0 {
			b.stir(wheel)
		}
		b.taste()
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	runtime.SetMutexProfileFraction(1)
	cpu, _ := os.Create(os.Args[2])
	pprof.StartCPUProfile(cpu)
	l, b := &ledger{lines: map[int]string{}}, &brine{salt: make([]float64, 200)}
	var all sync.WaitGroup
	for n := 0; n < 6; n++ {
		all.Add(1)
		go func() { defer all.Done(); turner(l, b, n*1000) }()
	}
	all.Wait()
	pprof.StopCPUProfile()
	out, _ := os.Create(os.Args[1])
	pprof.Lookup("mutex").WriteTo(out, 0)
	out.Close()
	fmt.Println(len(l.lines))
}
