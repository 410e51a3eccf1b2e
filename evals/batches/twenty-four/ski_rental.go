// Command ski_rental sorts the sizes that guests wrote on their forms into the stock of a ski rental.
package main

import (
	"fmt"
	"os"
	"regexp"
	"runtime/pprof"
	"sort"
	"strconv"
	"strings"
)

type form struct{ name, size, boots string }

func forms() []form {
	made := make([]form, 0, 150000)
	seed := uint32(24)
	for i := 0; i < cap(made); i++ {
		seed = seed*1664525 + 1013904223
		cm := 140 + int(seed>>16)%50
		text := fmt.Sprintf(" %d cm", cm)
		if seed>>8%3 == 0 {
			text = fmt.Sprintf("1,%02dm ", cm-100)
		}
		made = append(made, form{fmt.Sprintf("guest-%d", i), text, strconv.Itoa(36 + int(seed>>20)%12)})
	}
	return made
}

func readSize(text string) int {
	metres := regexp.MustCompile(`^\s*(\d)[.,](\d{2})\s*m\s*$`)
	if found := metres.FindStringSubmatch(text); found != nil {
		cm, _ := strconv.Atoi(found[1] + found[2])
		return cm
	}
	centimetres := regexp.MustCompile(`^\s*(\d{3})\s*(?:cm|CM)?\s*$`)
	if found := centimetres.FindStringSubmatch(text); found != nil {
		cm, _ := strconv.Atoi(found[1])
		return cm
	}
	return 0
}

func pickRack(size int, boots string) string {
	var label strings.Builder
	for i := 0; i < 6; i++ {
		label.WriteString(boots)
		label.WriteByte(byte('a' + size%7))
	}
	return label.String()
}

func tally(racks map[string][]int) []string {
	lines := make([]string, 0, len(racks))
	for rack, sizes := range racks {
		sort.Ints(sizes)
		lines = append(lines, fmt.Sprintf("%s %d %d-%d", rack, len(sizes), sizes[0], sizes[len(sizes)-1]))
	}
	sort.Strings(lines)
	return lines
}

func assign(all []form) []string {
	racks := map[string][]int{}
	for _, one := range all {
		size := readSize(one.size)
		rack := pickRack(size, one.boots)
		racks[rack] = append(racks[rack], size)
	}
	return tally(racks)
}

func main() {
	out, _ := os.Create(os.Args[1])
	pprof.StartCPUProfile(out)
	lines := assign(forms())
	pprof.StopCPUProfile()
	fmt.Println(len(lines))
	heap, _ := os.Create(os.Args[2])
	pprof.Lookup("allocs").WriteTo(heap, 0)
}
