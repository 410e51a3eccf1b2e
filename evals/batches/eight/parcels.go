// A parcel sorter: reads lines, hashes labels, sorts and writes a manifest.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"runtime/pprof"
	"sort"
	"strings"
)

type parcel struct {
	id, town, label string
	grams           int
}

func makeLines(n int) []string {
	lines := make([]string, 0, n)
	for i := 0; i < n; i++ {
		lines = append(lines, fmt.Sprintf("P%06d;Town%03d;%d", i, (i*7919)%613, 100+(i*31)%9000))
	}
	return lines
}

func parseLine(line string) parcel {
	parts := strings.Split(line, ";")
	grams := 0
	fmt.Sscanf(parts[2], "%d", &grams)
	return parcel{id: parts[0], town: parts[1], grams: grams}
}

func labelOf(p parcel) string {
	sum := sha256.Sum256([]byte(p.id + p.town))
	for i := 0; i < 12; i++ {
		sum = sha256.Sum256(sum[:])
	}
	return hex.EncodeToString(sum[:8])
}

func sortParcels(all []parcel) {
	sort.Slice(all, func(i, j int) bool {
		if all[i].town != all[j].town {
			return all[i].town < all[j].town
		}
		return all[i].id < all[j].id
	})
}

func writeManifest(all []parcel) int {
	var out bytes.Buffer
	for _, p := range all {
		fmt.Fprintf(&out, "%-10s %-8s %6d %s\n", p.town, p.id, p.grams, p.label)
	}
	return out.Len()
}

func main() {
	file, _ := os.Create(os.Args[1])
	pprof.StartCPUProfile(file)
	size := 0
	for round := 0; round < 3; round++ {
		all := make([]parcel, 0, 150000)
		for _, line := range makeLines(150000) {
			p := parseLine(line)
			p.label = labelOf(p)
			all = append(all, p)
		}
		sortParcels(all)
		size += writeManifest(all)
	}
	pprof.StopCPUProfile()
	file.Close()
	fmt.Println(size)
}
