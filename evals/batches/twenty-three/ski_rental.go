// A ski rental: bindings set and boots matched by five goroutines; the list of bookings grows by one string. runtime/pprof, processor.
package main

import (
	"fmt"
	"os"
	"runtime/pprof"
	"sort"
	"strconv"
	"sync"
)

type guest struct {
	name   string
	weight int
	height int
	level  int
}

func guests(n int) []guest {
	list := make([]guest, n)
	for i := range list {
		list[i] = guest{fmt.Sprintf("guest-%05d", i), 45 + i*7%60, 150 + i*11%50, i % 4}
	}
	return list
}

func dinValue(g guest) float64 {
	v := 0.0
	for k := 0; k < 5000; k++ {
		v += float64(g.weight*k%17) / float64(g.height+g.level+k)
	}
	return v
}

func bookingList(list []guest) string {
	text := ""
	for _, g := range list {
		text += g.name + ";" + strconv.Itoa(g.weight) + ";" + strconv.Itoa(g.height) + "\n"
	}
	return text
}

func matchBoots(list []guest) map[int][]string {
	boots := map[int][]string{}
	for _, g := range list {
		size := g.height / 6
		boots[size] = append(boots[size], g.name)
	}
	for _, names := range boots {
		sort.Strings(names)
	}
	return boots
}

func setBindings(list []guest) []float64 {
	values := make([]float64, len(list))
	var all sync.WaitGroup
	for part := 0; part < 5; part++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := part; i < len(list); i += 5 {
				values[i] = dinValue(list[i])
			}
		}()
	}
	all.Wait()
	return values
}

func main() {
	out, _ := os.Create(os.Args[1])
	pprof.StartCPUProfile(out)
	list := guests(26000)
	for day := 0; day < 3; day++ {
		setBindings(list)
		matchBoots(list)
		fmt.Println(day, len(bookingList(list[:12000])))
	}
	pprof.StopCPUProfile()
	out.Close()
}
