// A dairy's milk round: reads the orders of a street, plans the crates and leaves goroutines behind.
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

type order struct {
	house  string
	items  []string
	litres float64
}

func readOrders(n int) []order {
	orders := make([]order, 0)
	for i := 0; i < n; i++ {
		orders = append(orders, parseOrder(fmt.Sprintf("house %d;milk,cream,butter,yoghurt;%d", i, i%9)))
	}
	return orders
}

func parseOrder(line string) order {
	parts := strings.Split(line, ";")
	return order{house: parts[0], items: strings.Split(parts[1], ","), litres: float64(len(parts[2]))}
}

func crateLabel(o order) string {
	label := ""
	for _, item := range o.items {
		label += strings.ToUpper(item) + " "
		label += o.house + " "
	}
	return label
}

func packCrates(orders []order) map[string]int {
	crates := map[string]int{}
	for _, o := range orders {
		crates[crateLabel(o)]++
	}
	return crates
}

func routeCopy(orders []order) []order {
	kept := make([]order, len(orders))
	copy(kept, orders)
	sort.Slice(kept, func(a, b int) bool { return kept[a].house < kept[b].house })
	return kept
}

var archive [][]order

func keepRoutes(orders []order, days int) {
	for d := 0; d < days; d++ {
		archive = append(archive, routeCopy(orders))
	}
}

func waitForDoorbell(rings <-chan string) { <-rings }

func watchFridge(alarm chan<- float64) {
	alarm <- 4.5
}

func driveCart(mu *sync.Mutex) {
	mu.Lock()
	defer mu.Unlock()
	time.Sleep(time.Millisecond)
}

func chargeBattery() { time.Sleep(time.Minute) }

func write(name, path string) {
	f, err := os.Create(path)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	if err := pprof.Lookup(name).WriteTo(f, 0); err != nil {
		panic(err)
	}
}

func main() {
	runtime.MemProfileRate = 2048
	orders := readOrders(12000)
	crates := packCrates(orders)
	keepRoutes(orders, 24)
	rings, alarm := make(chan string), make(chan float64)
	for i := 0; i < 140; i++ {
		go waitForDoorbell(rings)
	}
	for i := 0; i < 37; i++ {
		go watchFridge(alarm)
	}
	var mu sync.Mutex
	mu.Lock()
	for i := 0; i < 12; i++ {
		go driveCart(&mu)
	}
	for i := 0; i < 3; i++ {
		go chargeBattery()
	}
	time.Sleep(100 * time.Millisecond)
	write("goroutine", os.Args[1])
	runtime.GC()
	write("allocs", os.Args[2])
	fmt.Println(len(crates), len(archive))
}
