// Posts bookings to accounts from eight goroutines. With 1 one lock guards all accounts, with 0 each account has its own.
package main

import (
	"hash/crc32"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"sync"
)

type Account struct {
	lock    sync.Mutex
	balance int
	proof   uint32
}

type Ledger struct {
	lock     sync.Mutex
	accounts []Account
	single   bool
}

//go:noinline
func proofOf(account *Account, amount int) uint32 {
	text := ""
	for n := 0; n < 30; n++ {
		text += strconv.Itoa(account.balance + amount*n)
	}
	return crc32.ChecksumIEEE([]byte(text))
}

//go:noinline
func (l *Ledger) Post(n, amount int) {
	account := &l.accounts[n]
	lock := &account.lock
	if l.single {
		lock = &l.lock
	}
	lock.Lock()
	account.balance += amount
	account.proof = proofOf(account, amount)
	lock.Unlock()
}

//go:noinline
func importBookings(l *Ledger, worker int) {
	for n := 0; n < 6000; n++ {
		l.Post((n*8+worker)%len(l.accounts), n%90)
	}
}

func main() {
	runtime.SetBlockProfileRate(1)
	ledger := &Ledger{accounts: make([]Account, 800), single: os.Args[1] == "1"}
	var all sync.WaitGroup
	for worker := 0; worker < 8; worker++ {
		all.Add(1)
		go func() { defer all.Done(); importBookings(ledger, worker) }()
	}
	all.Wait()
	file, _ := os.Create(os.Args[2])
	pprof.Lookup("block").WriteTo(file, 0)
	file.Close()
}
