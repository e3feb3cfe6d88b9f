// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/cgo"
	"strings"
	"sync"
)

// failures remembers what went wrong in functions of the program, so that the operation which
// called them gives the original error, or goes on with the original panic.
type failures struct {
	mutex sync.Mutex
	list  []failure
}

type failure struct {
	code     ErrorCode
	text     string
	err      error
	panicked any
}

// More than that many are not waited for: nobody comes for them.
const failuresMost = 64

// guard calls a function of the program for C. Nothing passes through C but a status.
func (f *failures) guard(call func() error) (status *C.OrtStatus) {
	defer func() {
		if found := recover(); found != nil {
			err := &Error{Code: ErrorCodeFail, Message: fmt.Sprintf("a callback panicked: %v", found)}
			status = f.remember(err, found)
		}
	}()
	if err := call(); err != nil {
		return f.remember(err, nil)
	}
	return nil
}

func (f *failures) remember(err error, panicked any) *C.OrtStatus {
	code, text := describe(err)
	f.mutex.Lock()
	if len(f.list) == failuresMost {
		f.list = append(f.list[:0], f.list[1:]...)
	}
	f.list = append(f.list, failure{code, withoutZeros(text), err, panicked})
	f.mutex.Unlock()
	return newStatus(err)
}

// resolve puts the program's own error behind that of the library, or panics as the callback did.
func (f *failures) resolve(err error) error {
	var ours *Error
	if err == nil || f == nil || !errors.As(err, &ours) {
		return err
	}
	found, isThere := f.take(ours)
	if !isThere {
		return err
	}
	if found.panicked != nil {
		panic(found.panicked)
	}
	return &Error{Code: ours.Code, Message: ours.Message, cause: found.err}
}

func (f *failures) take(err *Error) (failure, bool) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	for i, one := range f.list {
		// The library may say in front what it was doing.
		if one.code == err.Code && (one.text == err.Message ||
			one.text != "" && strings.HasSuffix(err.Message, one.text)) {
			f.list = append(f.list[:i], f.list[i+1:]...)
			return one, true
		}
	}
	return failure{}, false
}

// callback is what stands behind the state of a C callback.
type callback[F any] struct {
	function F
	failures *failures
}

// newState registers a callback; whoever gets the handle deletes it.
func newState[F any](function F, failures *failures) cgo.Handle {
	return cgo.NewHandle(&callback[F]{function, failures})
}

func stateOf[F any](state C.uintptr_t) *callback[F] {
	return cgo.Handle(state).Value().(*callback[F])
}

// kept is a callback without a release function in C: it lives until the last object that keeps it
// is gone. The library may call it until then, and objects go before what they keep.
type kept struct {
	handle cgo.Handle
}

func keptState[F any](function F, failures *failures) *kept {
	k := &kept{newState(function, failures)}
	runtime.SetFinalizer(k, func(k *kept) { k.handle.Delete() })
	return k
}

func (k *kept) state() C.uintptr_t {
	return C.uintptr_t(k.handle)
}

//export ortcGoReleaseState
func ortcGoReleaseState(state C.uintptr_t) {
	cgo.Handle(state).Delete()
}

// Progress is how far a compile or a load has come.
type Progress struct {
	Stage    string  // the stage at work: "load", "optimise", "compile", "write"; at the end "done"
	Detail   string  // what it works on, as a file's name; may be empty
	Fraction float64 // of the whole work, from 0 to 1; never less than before
}

// ProgressFunc hears about progress, from the thread that works. An error stops the work, which
// then fails with that error behind its own.
type ProgressFunc func(Progress) error

//export ortcGoProgress
func ortcGoProgress(state C.uintptr_t, stage, detail *C.char, fraction C.double) *C.OrtStatus {
	c := stateOf[ProgressFunc](state)
	return c.failures.guard(func() error {
		return c.function(Progress{goText(stage), goText(detail), float64(fraction)})
	})
}

// Contexts.

// watch calls stop when the context ends before join is called. join waits until that is settled,
// and says whether stop was called.
func watch(ctx context.Context, stop func()) (join func() bool) {
	if ctx.Done() == nil {
		return func() bool { return false }
	}
	over, stopped := make(chan struct{}), make(chan bool, 1)
	go func() {
		select {
		case <-ctx.Done():
			stop()
			stopped <- true
		case <-over:
			stopped <- false
		}
	}()
	return func() bool {
		close(over)
		return <-stopped
	}
}

// ended is the error for work that did not begin because its context had ended.
func ended(ctx context.Context, code ErrorCode) error {
	if err := ctx.Err(); err != nil {
		return &Error{Code: code, Message: err.Error(), cause: err}
	}
	return nil
}

// because puts the context's error behind that of work which it stopped.
func because(ctx context.Context, err error) error {
	var ours *Error
	if errors.As(err, &ours) && ours.cause == nil {
		return &Error{Code: ours.Code, Message: ours.Message, cause: ctx.Err()}
	}
	return err
}

// orBackground lets a nil context mean one that never ends.
func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}
