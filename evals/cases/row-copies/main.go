// Loads rows and answers from them: `./rowcopies OUT.pb.gz`. Planted: cloneRows copies the whole table for each question.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
)

type row struct {
	id    int
	title string
	cells [12]int
}

//go:noinline
func loadRows(count int) []row {
	rows := make([]row, 0, count)
	for n := 0; n < count; n++ {
		rows = append(rows, row{id: n, title: fmt.Sprint("row ", n)})
	}
	return rows
}

//go:noinline
func cloneRows(rows []row) []row {
	return append([]row(nil), rows...)
}

//go:noinline
func answer(rows []row, id int) int {
	mine := cloneRows(rows)
	return mine[id%len(mine)].cells[0]
}

func main() {
	runtime.MemProfileRate = 4096
	rows, total := loadRows(2000), 0
	for n := 0; n < 300; n++ {
		total += answer(rows, n)
	}
	file, _ := os.Create(os.Args[1])
	defer file.Close()
	pprof.Lookup("allocs").WriteTo(file, 0)
	fmt.Println(total, len(rows))
}
