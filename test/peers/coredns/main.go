// CoreDNS, with the plugins of docs/how-to/beside-coredns.md alone, so that it is built in about a minute.
// It must not know what the page asks of it.
package main

import (
	"github.com/coredns/coredns/coremain"

	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/forward"
)

func main() {
	coremain.Run()
}
