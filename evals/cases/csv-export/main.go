// Exports rows as CSV: `./csvexport SECONDS OUT.pb.gz`. Planted: renderRows grows one string by +=.
package main

import (
	"os"
	"runtime/pprof"
	"strconv"
	"time"
)

type order struct{ id, amount int }

//go:noinline
func loadOrders(count int) []order {
	orders := make([]order, count)
	for n := range orders {
		orders[n] = order{n, n * 7 % 1000}
	}
	return orders
}

//go:noinline
func renderRows(orders []order) string {
	text := ""
	for _, one := range orders {
		text += strconv.Itoa(one.id) + ";" + strconv.Itoa(one.amount) + "\n"
	}
	return text
}

//go:noinline
func checksum(text string) int {
	sum := 0
	for n := 0; n < len(text); n++ {
		sum = sum*31 + int(text[n])
	}
	return sum
}

func main() {
	seconds, _ := strconv.Atoi(os.Args[1])
	file, _ := os.Create(os.Args[2])
	defer file.Close()
	pprof.StartCPUProfile(file)
	defer pprof.StopCPUProfile()
	sum := 0
	for until := time.Now().Add(time.Duration(seconds) * time.Second); time.Now().Before(until); {
		sum += checksum(renderRows(loadOrders(6000)))
	}
	println(sum)
}
