// Plans the rounds of snow ploughs over the streets of a town.
package main

import (
	"fmt"
	"os"
	"runtime/pprof"
	"sort"
	"strings"
)

type street struct {
	name     string
	from, to int
	length   int
}

func makeTown(corners int) []street {
	var found []street
	for i := 0; i < corners; i++ {
		for k := 1; k <= 4; k++ {
			found = append(found, street{fmt.Sprintf("street %d/%d", i, k), i, (i*k + 7*k) % corners, 50 + (i*31+k*17)%400})
		}
	}
	return found
}

func nearestOpen(dist []int, done []bool) int {
	best := -1
	for i, d := range dist {
		if !done[i] && (best < 0 || d < dist[best]) {
			best = i
		}
	}
	return best
}

func relax(town []street, dist []int, corner int) {
	for _, s := range town {
		if s.from == corner && dist[corner]+s.length < dist[s.to] {
			dist[s.to] = dist[corner] + s.length
		}
	}
}

func distances(town []street, corners, start int) []int {
	dist, done := make([]int, corners), make([]bool, corners)
	for i := range dist {
		dist[i] = 1 << 40
	}
	dist[start] = 0
	for range dist {
		corner := nearestOpen(dist, done)
		done[corner] = true
		relax(town, dist, corner)
	}
	return dist
}

func writeSheet(town []street, dist []int) string {
	order := make([]street, len(town))
	copy(order, town)
	sort.Slice(order, func(a, b int) bool { return dist[order[a].from] < dist[order[b].from] })
	text := ""
	for i, s := range order[:1200] {
		text += fmt.Sprintf("%d %s %d m\n", i, strings.ToUpper(s.name), s.length)
	}
	return text
}

func planPlough(town []street, corners, plough int) int {
	dist := distances(town, corners, plough*37%corners)
	return len(writeSheet(town, dist))
}

func main() {
	file, _ := os.Create(os.Args[1])
	pprof.StartCPUProfile(file)
	town, total := makeTown(1000), 0
	for plough := 0; plough < 260; plough++ {
		total += planPlough(town, 1000, plough)
	}
	pprof.StopCPUProfile()
	file.Close()
	fmt.Println(total)
}
