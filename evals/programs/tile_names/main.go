// Names the tiles of a map. With 1 the template of the names is parsed for every tile, with 0 once.
package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime/pprof"
	"text/template"
)

const names = `{{range .Levels}}{{.}}-{{end}}{{if .Night}}night{{else}}day{{end}}/{{printf "%05d" .X}}/{{printf "%05d" .Y}}.png`

type Tile struct {
	X, Y   int
	Night  bool
	Levels []int
}

//go:noinline
func parseNames() *template.Template { return template.Must(template.New("tile").Parse(names)) }

//go:noinline
func nameTile(parsed *template.Template, tile Tile) string {
	if parsed == nil {
		parsed = parseNames()
	}
	var text bytes.Buffer
	parsed.Execute(&text, tile)
	return text.String()
}

//go:noinline
func project(n int) Tile { return Tile{X: n % 512, Y: n / 512, Night: n%3 == 0, Levels: []int{n % 4, n % 9}} }

func main() {
	file, _ := os.Create(os.Args[2])
	pprof.StartCPUProfile(file)
	var once *template.Template
	if os.Args[1] == "0" {
		once = parseNames()
	}
	length := 0
	for n := 0; n < 90000; n++ {
		length += len(nameTile(once, project(n)))
	}
	fmt.Println(length)
	pprof.StopCPUProfile()
	file.Close()
}
