// SPDX-License-Identifier: MIT

//go:build !ortc_debug

package ortc

const collectOften = false
