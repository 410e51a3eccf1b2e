// Walks a graph: `./graphwalk SECONDS OUT.pb.gz`. Planted: neighbours scans all edges for each node.
package main

import (
	"os"
	"runtime/pprof"
	"strconv"
	"time"
)

type edge struct{ from, to int }

//go:noinline
func makeEdges(nodes int) []edge {
	edges := make([]edge, 0, nodes*3)
	for n := 0; n < nodes; n++ {
		edges = append(edges, edge{n, (n * 7) % nodes}, edge{n, (n + 1) % nodes}, edge{n, (n * 3) % nodes})
	}
	return edges
}

//go:noinline
func neighbours(edges []edge, node int) []int {
	var found []int
	for _, one := range edges {
		if one.from == node {
			found = append(found, one.to)
		}
	}
	return found
}

//go:noinline
func reach(edges []edge, nodes int) int {
	seen, waiting := make([]bool, nodes), []int{0}
	count := 0
	for len(waiting) > 0 {
		node := waiting[0]
		waiting = waiting[1:]
		if seen[node] {
			continue
		}
		seen[node] = true
		count++
		waiting = append(waiting, neighbours(edges, node)...)
	}
	return count
}

func main() {
	seconds, _ := strconv.Atoi(os.Args[1])
	file, _ := os.Create(os.Args[2])
	defer file.Close()
	pprof.StartCPUProfile(file)
	defer pprof.StopCPUProfile()
	total := 0
	for until := time.Now().Add(time.Duration(seconds) * time.Second); time.Now().Before(until); {
		total += reach(makeEdges(2000), 2000)
	}
	println(total)
}
