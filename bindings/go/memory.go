// SPDX-License-Identifier: MIT

package ortc

// #include <stdlib.h>
// #include "capi.h"
import "C"

import (
	"fmt"
	"runtime"
	"strings"
	"unsafe"
)

// memory holds what one call needs in C's memory.
type memory struct {
	blocks []unsafe.Pointer
}

// badText is thrown and caught within this package.
type badText struct{ text string }

// withMemory makes a call with texts and arrays that end with it.
func withMemory(call func(m *memory) *C.OrtStatus) (err error) {
	var m memory
	defer m.free()
	defer func() {
		if found := recover(); found != nil {
			bad, isOurs := found.(badText)
			if !isOurs {
				panic(found)
			}
			err = invalid("the text %q has a zero byte, which C would take for its end", bad.text)
		}
	}()
	return check(call(&m))
}

func (m *memory) free() {
	for _, block := range m.blocks {
		C.free(block)
	}
	m.blocks = nil
}

// block gives zeroed memory of C.
func (m *memory) block(size uintptr) unsafe.Pointer {
	if size == 0 {
		size = 1
	}
	block := C.calloc(1, C.size_t(size))
	if block == nil {
		panic("ortc: out of memory")
	}
	m.blocks = append(m.blocks, block)
	return block
}

// text copies a text for C.
func (m *memory) text(s string) *C.char {
	if strings.IndexByte(s, 0) >= 0 {
		panic(badText{s})
	}
	text := C.CString(s)
	m.blocks = append(m.blocks, unsafe.Pointer(text))
	return text
}

// bytes copies bytes for C; nil for none.
func (m *memory) bytes(b []byte) unsafe.Pointer {
	if len(b) == 0 {
		return nil
	}
	block := m.block(uintptr(len(b)))
	copy(unsafe.Slice((*byte)(block), len(b)), b)
	return block
}

// texts gives an array of texts; nil for none.
func (m *memory) texts(list []string) **C.char {
	if len(list) == 0 {
		return nil
	}
	array := (**C.char)(m.block(uintptr(len(list)) * unsafe.Sizeof(uintptr(0))))
	for i, s := range list {
		unsafe.Slice(array, len(list))[i] = m.text(s)
	}
	return array
}

// pairs gives keys and values as two arrays, the keys in ascending order.
func (m *memory) pairs(pairs KeyValuePairs) (keys, values **C.char, count C.size_t) {
	sorted := pairs.Keys()
	list := make([]string, len(sorted))
	for i, key := range sorted {
		list[i] = pairs[key]
	}
	return m.texts(sorted), m.texts(list), C.size_t(len(sorted))
}

// durable is C memory that lives until the last object that keeps it is gone.
type durable struct {
	pointer unsafe.Pointer
	size    int
}

func copyDurably(b []byte) *durable {
	d := &durable{C.CBytes(b), len(b)}
	runtime.SetFinalizer(d, func(d *durable) { C.free(d.pointer) })
	return d
}

// goText copies a borrowed text of C; NULL is empty.
func goText(text *C.char) string {
	if text == nil {
		return ""
	}
	return C.GoString(text)
}

// takeText copies a text that the default allocator gave, and gives it back.
func takeText(text *C.char) string {
	if text == nil {
		return ""
	}
	s := C.GoString(text)
	C.OrtAllocatorFree(defaultAllocator(), unsafe.Pointer(text))
	return s
}

// takeBytes does the same for bytes.
func takeBytes(data unsafe.Pointer, size C.size_t) []byte {
	if data == nil {
		return nil
	}
	bytes := make([]byte, int(size))
	copy(bytes, unsafe.Slice((*byte)(data), int(size)))
	C.OrtAllocatorFree(defaultAllocator(), data)
	return bytes
}

// first gives the place of a slice for C; nil for an empty one.
func first[T any](list []T) *T {
	if len(list) == 0 {
		return nil
	}
	return &list[0]
}

// listOf asks for a number and then for as many elements.
func listOf[E any](count func(*C.size_t) *C.OrtStatus,
	fill func(*E, C.size_t) *C.OrtStatus) ([]E, error) {
	var n C.size_t
	if err := check(count(&n)); err != nil || n == 0 {
		return nil, err
	}
	list := make([]E, int(n))
	if err := check(fill(&list[0], n)); err != nil {
		return nil, err
	}
	return list, nil
}

// fitsInt refuses what C's int would cut off.
func fitsInt(noun string, number int) error {
	if int(C.int(number)) != number {
		return invalid("the %s %d is out of range", noun, number)
	}
	return nil
}

func flag(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

func invalid(format string, arguments ...any) *Error {
	return &Error{Code: ErrorCodeInvalidArgument, Message: fmt.Sprintf(format, arguments...)}
}
