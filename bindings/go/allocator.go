// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import (
	"runtime"
	"runtime/cgo"
	"sync"
	"unsafe"
)

// Allocator hands out memory of C. Any number of goroutines may use one.
type Allocator struct {
	object[*C.OrtAllocator]
}

var findDefaultAllocator sync.Once
var theDefaultAllocator *C.OrtAllocator

// defaultAllocator is one object for the whole process.
func defaultAllocator() *C.OrtAllocator {
	findDefaultAllocator.Do(func() {
		must(check(C.OrtGetAllocatorWithDefaultOptions(&theDefaultAllocator)))
	})
	return theDefaultAllocator
}

// DefaultAllocator gives the library's CPU allocator. Blocks are aligned to 64 bytes.
func DefaultAllocator() *Allocator {
	a := &Allocator{}
	a.pointer = defaultAllocator()
	return a
}

// NewAllocator gives the allocator of a session for memory of the CPU; OrtArenaAllocator in the
// description gives an arena of the session.
func (s *Session) NewAllocator(info *MemoryInfo) (*Allocator, error) {
	a := &Allocator{}
	p, err := s.use()
	if err != nil {
		return nil, err
	}
	defer s.end()
	var pointer *C.OrtAllocator
	err = info.with(func(info *C.OrtMemoryInfo) *C.OrtStatus {
		return C.OrtCreateAllocator(p, info, &pointer)
	})
	if err != nil {
		return nil, err
	}
	a.own(pointer, func(p *C.OrtAllocator) { C.OrtReleaseAllocator(p) })
	a.keep(s.kept()...)
	return a, nil
}

// Close gives the allocator back, after the blocks that came from Alloc; closing twice is fine. The
// library's own stays, and so does one of the program for as long as something can use it.
func (a *Allocator) Close() error {
	if a == nil {
		return nil
	}
	return a.close()
}

func (a *Allocator) use() (*C.OrtAllocator, error) {
	if a == nil {
		return nil, invalid("the allocator is nil")
	}
	return a.begin("allocator")
}

// Alloc gives a block of C's memory, not zeroed. Give it back with Free.
func (a *Allocator) Alloc(size int) (block unsafe.Pointer, err error) {
	if size < 0 {
		return nil, invalid("the size %d is negative", size)
	}
	err = a.call("allocator", func(p *C.OrtAllocator, _ *memory) *C.OrtStatus {
		return C.OrtAllocatorAlloc(p, C.size_t(size), &block)
	})
	return block, err
}

// Free gives a block back that came from Alloc of the same allocator; nil is allowed.
func (a *Allocator) Free(block unsafe.Pointer) error {
	return a.call("allocator", func(p *C.OrtAllocator, _ *memory) *C.OrtStatus {
		return C.OrtAllocatorFree(p, block)
	})
}

// Info tells what memory the allocator hands out.
func (a *Allocator) Info() (*MemoryInfo, error) {
	var info *C.OrtMemoryInfo
	err := a.call("allocator", func(p *C.OrtAllocator, _ *memory) *C.OrtStatus {
		return C.OrtAllocatorGetInfo(p, &info)
	})
	if err != nil {
		return nil, err
	}
	return borrowedMemoryInfo(info, a), nil
}

// Stats gives figures: "InUse", "MaxInUse", "TotalAllocated", "NumAllocs" and more, as texts. Empty
// for allocators that do not count.
func (a *Allocator) Stats() (KeyValuePairs, error) {
	var list *C.OrtKeyValuePairs
	err := a.call("allocator", func(p *C.OrtAllocator, _ *memory) *C.OrtStatus {
		return C.OrtAllocatorGetStats(p, &list)
	})
	if err != nil {
		return nil, err
	}
	return takePairs(list), nil
}

// AllocatorFuncs are the functions of an allocator that a program brings. They may be called from
// any thread and several at once, and must not panic.
type AllocatorFuncs struct {
	// Alloc gives memory of C, aligned for any element type (64 bytes are best); nil when there is
	// none. The memory must not be Go's.
	Alloc func(size int) unsafe.Pointer
	// Free takes a block back. It may get nil.
	Free func(block unsafe.Pointer)
	// Stats gives figures; nil gives none.
	Stats func() KeyValuePairs
}

// NewAllocator makes an allocator of functions of the program, for Env.RegisterAllocator. The
// description must say AllocatorTypeDevice.
func NewAllocator(info *MemoryInfo, functions AllocatorFuncs) (*Allocator, error) {
	if functions.Alloc == nil || functions.Free == nil {
		return nil, invalid("an allocator needs Alloc and Free")
	}
	if info == nil {
		return nil, invalid("the memory info is nil")
	}
	description, err := pin(&info.object, "memory info")
	if err != nil {
		return nil, err
	}
	state := cgo.NewHandle(&functions)
	own := C.ortc_new_allocator(C.uintptr_t(state), info.pointer)
	if own == nil {
		state.Delete()
		return nil, ErrRuntimeException
	}
	owner := &ownAllocator{own, state, description}
	runtime.SetFinalizer(owner, (*ownAllocator).free)
	a := &Allocator{}
	a.pointer = &own.base
	a.keep(owner)
	return a, nil
}

// ownAllocator is what C has of an allocator of the program. It goes with the last object that
// could use it: allocator, environment, sessions and their values.
type ownAllocator struct {
	pointer     *C.OrtcGoAllocator
	state       cgo.Handle
	description *pinned
}

func (o *ownAllocator) free() {
	o.state.Delete()
	C.free(unsafe.Pointer(o.pointer))
}

func functionsOf(state C.uintptr_t) *AllocatorFuncs {
	return cgo.Handle(state).Value().(*AllocatorFuncs)
}

//export ortcGoAllocate
func ortcGoAllocate(state C.uintptr_t, size C.size_t) (block unsafe.Pointer) {
	defer func() {
		if recover() != nil {
			block = nil
		}
	}()
	return functionsOf(state).Alloc(int(size))
}

//export ortcGoReserve
func ortcGoReserve(state C.uintptr_t, size C.size_t) unsafe.Pointer {
	return ortcGoAllocate(state, size)
}

//export ortcGoFree
func ortcGoFree(state C.uintptr_t, block unsafe.Pointer) {
	defer func() { _ = recover() }()
	functionsOf(state).Free(block)
}

//export ortcGoAllocatorStats
func ortcGoAllocatorStats(state C.uintptr_t, out **C.OrtKeyValuePairs) *C.OrtStatus {
	var none failures
	return none.guard(func() error {
		var pairs KeyValuePairs
		if stats := functionsOf(state).Stats; stats != nil {
			pairs = stats()
		}
		list, err := NewPairList(pairs)
		if err != nil {
			return err
		}
		*out = list.surrender()
		return nil
	})
}
