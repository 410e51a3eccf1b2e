// Answers visits and remembers sessions. With 1 sessions are never removed, with 0 those that ended are.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
)

type Session struct {
	visitor string
	pages   []string
}

var sessions = map[int]*Session{}

//go:noinline
func openSession(visit int) *Session {
	session := &Session{visitor: fmt.Sprintf("visitor %08d", visit), pages: make([]string, 0, 24)}
	sessions[visit] = session
	return session
}

//go:noinline
func renderPage(session *Session, page int) string {
	session.pages = append(session.pages, fmt.Sprintf("/article/%d", page))
	text := make([]byte, 0, 2000)
	for n := 0; n < 40; n++ {
		text = append(text, "<p>some words of an article"...)
	}
	return string(text)
}

func main() {
	runtime.MemProfileRate = 4096
	length := 0
	for visit := 0; visit < 20000; visit++ {
		session := openSession(visit)
		for page := 0; page < 3; page++ {
			length += len(renderPage(session, page*visit%90))
		}
		if os.Args[1] == "0" {
			delete(sessions, visit)
		}
	}
	runtime.GC()
	file, _ := os.Create(os.Args[2])
	pprof.Lookup("heap").WriteTo(file, 0)
	file.Close()
	fmt.Println(length, len(sessions))
}
