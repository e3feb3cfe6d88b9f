// SPDX-License-Identifier: MIT

package ortc

// #cgo pkg-config: ort_c
// #include "capi.h"
import "C"

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
)

// ErrClosed is what errors wrap that come from using something after its Close.
var ErrClosed = errors.New("ortc: closed")

const closedBit = 1

// object owns one thing of the library, or borrows it when free is nil.
//
// Each call announces itself with begin and leaves with end. Close while calls are under way is
// fine: later calls are refused, and the last one that leaves gives the thing back. end also keeps
// the object reachable until then, so that no finalizer comes in between.
type object[P comparable] struct {
	pointer P
	free    func(P)
	state   atomic.Int64 // two for each call under way; one: closed
	keeps   []any        // what must stay reachable as long as the thing
}

// own makes the object responsible for a thing: finalizers are the net, Close is the way. The
// object must be the first field of what embeds it.
func (o *object[P]) own(pointer P, free func(P)) {
	o.pointer, o.free = pointer, free
	runtime.SetFinalizer(o, (*object[P]).finalize)
}

func (o *object[P]) finalize() {
	_ = o.close()
}

// begin gives the thing to a call, until end.
func (o *object[P]) begin(noun string) (P, error) {
	var none P
	if o == nil {
		return none, &Error{Code: ErrorCodeInvalidArgument, Message: "the " + noun + " is nil"}
	}
	if collectOften {
		runtime.GC()
	}
	for {
		state := o.state.Load()
		if state&closedBit != 0 {
			return none, &Error{Code: ErrorCodeInvalidArgument,
				Message: "the " + noun + " is closed", cause: ErrClosed}
		}
		if o.state.CompareAndSwap(state, state+2) {
			return o.pointer, nil
		}
	}
}

func (o *object[P]) end() {
	if o.state.Add(-2) == closedBit {
		o.release()
	}
}

// close may come any number of times, also while calls are under way.
func (o *object[P]) close() error {
	if o == nil {
		return nil
	}
	for {
		state := o.state.Load()
		if state&closedBit != 0 {
			return nil
		}
		if !o.state.CompareAndSwap(state, state|closedBit) {
			continue
		}
		if state == 0 {
			o.release()
		}
		return nil
	}
}

func (o *object[P]) release() {
	var none P
	if o.free == nil || o.pointer == none {
		return
	}
	runtime.SetFinalizer(o, nil)
	o.free(o.pointer)
}

// keepsMutex guards the lists of what objects keep: an environment's may grow while sessions copy
// it.
var keepsMutex sync.Mutex

// keep makes things live at least as long as the object.
func (o *object[P]) keep(things ...any) {
	keepsMutex.Lock()
	defer keepsMutex.Unlock()
	o.keeps = append(o.keeps[:len(o.keeps):len(o.keeps)], things...)
}

// kept lists what the object keeps, for objects that are made from it.
func (o *object[P]) kept() []any {
	keepsMutex.Lock()
	defer keepsMutex.Unlock()
	return o.keeps
}

// surrender hands the thing to the library, which ends it from now on.
func (o *object[P]) surrender() P {
	runtime.SetFinalizer(o, nil)
	o.free = nil
	o.state.Store(closedBit)
	return o.pointer
}

// pinned is an open object that stays so until the last thing that keeps the pin is gone, even when
// the program closes it.
type pinned struct {
	end func()
}

func pin[P comparable](o *object[P], noun string) (*pinned, error) {
	if _, err := o.begin(noun); err != nil {
		return nil, err
	}
	p := &pinned{o.end}
	runtime.SetFinalizer(p, func(p *pinned) { p.end() })
	return p, nil
}

// call makes one C call on the object. Texts that the function makes with memory end with it; a
// text that C cannot have becomes the error.
func (o *object[P]) call(noun string, f func(P, *memory) *C.OrtStatus) (err error) {
	pointer, err := o.begin(noun)
	if err != nil {
		return err
	}
	defer o.end()
	return withMemory(func(m *memory) *C.OrtStatus { return f(pointer, m) })
}

// must is for getters that cannot fail while their object is open.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
