// Toll stations: plates are checked against a pattern that is compiled for every plate (old) or once (new).
package main

import (
	"fmt"
	"os"
	"regexp"
	"runtime/pprof"
	"sort"
	"strings"
	"sync"
)

const pattern = `^([A-Z]{1,3})-([A-Z]{1,2}) ?(\d{1,4})[EH]?$`

var once = regexp.MustCompile(pattern)
var old bool

type passage struct {
	plate string
	cents int
}

//go:noinline
func validPlate(plate string) bool {
	if old {
		return regexp.MustCompile(pattern).MatchString(plate)
	}
	return once.MatchString(plate)
}

//go:noinline
func makePassages(station, number int) []passage {
	found := make([]passage, 0, number)
	for n := 0; n < number; n++ {
		found = append(found, passage{fmt.Sprintf("%c%c-%c %d", 'A'+n%26, 'A'+station%26, 'K'+n%9, n%9999), 100 + n%37})
	}
	return found
}

//go:noinline
func sortPassages(passages []passage) {
	sort.Slice(passages, func(a, b int) bool { return passages[a].plate < passages[b].plate })
}

//go:noinline
func receipt(one passage) string {
	return strings.ToLower(one.plate) + fmt.Sprintf(" %06.2f EUR", float64(one.cents)/100)
}

//go:noinline
func station(number int) int {
	passages := makePassages(number, 40000)
	sortPassages(passages)
	bytes := 0
	for _, one := range passages {
		if validPlate(one.plate) {
			bytes += len(receipt(one))
		}
	}
	return bytes
}

func main() {
	old = os.Args[1] == "old"
	out, _ := os.Create(os.Args[2])
	pprof.StartCPUProfile(out)
	var all sync.WaitGroup
	for n := 0; n < 4; n++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for k := 0; k < 2; k++ {
				station(n)
			}
		}()
	}
	all.Wait()
	pprof.StopCPUProfile()
	out.Close()
}
