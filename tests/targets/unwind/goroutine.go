// Go: a goroutine that spins in Go, or in C through cgo where it is built so.
package main

var count uint64

//go:noinline
func spin() {
	for {
		count++
	}
}

//go:noinline
func middle(n int) {
	spin()
	count += uint64(n)
}

func main() {
	done := make(chan bool)
	go func() {
		middle(3)
		done <- true
	}()
	<-done
}
