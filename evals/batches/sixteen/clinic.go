// Serves a clinic's day: patients are looked up, letters are written, and every letter compiles its pattern again.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"runtime/pprof"
	"sort"
	"strings"
)

type patient struct {
	ID     int      `json:"id"`
	Name   string   `json:"name"`
	Visits []string `json:"visits"`
}

func patients(count int) []patient {
	all := make([]patient, count)
	for n := range all {
		visits := make([]string, 6)
		for v := range visits {
			visits[v] = fmt.Sprintf("2026-%02d-%02d", (n+v)%12+1, (n*7+v)%28+1)
		}
		all[n] = patient{ID: n, Name: fmt.Sprintf("patient %05d", (n*7919)%count), Visits: visits}
	}
	return all
}

func fillTemplate(text string, values map[string]string) string {
	for key, value := range values {
		pattern := regexp.MustCompile(`\{\{\s*` + key + `\s*\}\}`)
		text = pattern.ReplaceAllString(text, value)
	}
	return text
}

func writeLetter(p patient) string {
	text := "Dear {{ name }}, your visits were {{ visits }}. Your number is {{ id }}."
	return fillTemplate(text, map[string]string{
		"name": p.Name, "visits": strings.Join(p.Visits, ", "), "id": fmt.Sprint(p.ID),
	})
}

func exportRecords(all []patient) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	for _, p := range all {
		if err := encoder.Encode(p); err != nil {
			panic(err)
		}
	}
	return out.Bytes()
}

func byName(all []patient) []patient {
	sorted := append([]patient(nil), all...)
	sort.Slice(sorted, func(a, b int) bool { return sorted[a].Name < sorted[b].Name })
	return sorted
}

func seal(record []byte) string {
	sum := sha256.Sum256(record)
	for round := 0; round < 6000; round++ {
		sum = sha256.Sum256(sum[:])
	}
	return fmt.Sprintf("%x", sum)
}

func day(all []patient) int {
	size := 0
	for _, p := range byName(all) {
		size += len(writeLetter(p))
	}
	return size + len(seal(exportRecords(all)))
}

func main() {
	out, err := os.Create("clinic.pb.gz")
	if err != nil {
		panic(err)
	}
	defer out.Close()
	all := patients(6000)
	if err := pprof.StartCPUProfile(out); err != nil {
		panic(err)
	}
	size := 0
	for n := 0; n < 24; n++ {
		size += day(all)
	}
	pprof.StopCPUProfile()
	fmt.Println(size)
}
