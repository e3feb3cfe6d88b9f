// SPDX-License-Identifier: MIT

// Package leave ends a process as C does.
package leave

// #include <stdlib.h>
import "C"

// Exit runs what libraries do at the end of a process; os.Exit does not. The library that notes
// which functions the tests call writes its notes then.
func Exit(code int) {
	C.exit(C.int(code))
}
