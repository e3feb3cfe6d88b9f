// SPDX-License-Identifier: MIT

//go:build ortc_debug

package ortc

// collectOften makes every use of an object collect garbage first, so that a lifetime that is too
// short shows in tests.
const collectOften = true
