// Counts words of log lines: `./logwords SECONDS OUT.pb.gz`. Planted: countWords compiles its pattern for every line.
package main

import (
	"fmt"
	"os"
	"regexp"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"
)

func makeLine(n int) string {
	return fmt.Sprintf("2026-01-02 host-%d GET /orders/%d took %d ms user=%d", n%7, n, n%900, n%50)
}

//go:noinline
func countWords(line string, counts map[string]int) {
	words := regexp.MustCompile(`[a-z]+(?:-[0-9]+)?|user=\d+|/\w+/\d+`) // once would do
	for _, word := range words.FindAllString(line, -1) {
		counts[word]++
	}
}

//go:noinline
func summarise(counts map[string]int) string {
	var text strings.Builder
	for word, count := range counts {
		if count > 100 {
			fmt.Fprintln(&text, word, count)
		}
	}
	return text.String()
}

func main() {
	seconds, _ := strconv.Atoi(os.Args[1])
	file, _ := os.Create(os.Args[2])
	defer file.Close()
	pprof.StartCPUProfile(file)
	defer pprof.StopCPUProfile()
	counts := map[string]int{}
	until := time.Now().Add(time.Duration(seconds) * time.Second)
	for n := 0; time.Now().Before(until); n++ {
		countWords(makeLine(n), counts)
		if n%5000 == 0 {
			counts = map[string]int{"lines": len(summarise(counts))}
		}
	}
}
