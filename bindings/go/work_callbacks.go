// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import "runtime/cgo"

// ThreadPoolCallbacks are told about the work of sessions' own threads: about each share of an
// operator that is divided among threads. OnEnqueue runs where the operator does; what it gives goes to
// OnStartWork and OnStopWork around the share, on its thread, or to OnAbandon when no thread was
// needed; nil when there is no OnEnqueue. Each may be nil. They are called by several threads
// at once; a panic in one is lost.
type ThreadPoolCallbacks struct {
	OnEnqueue   func() any
	OnStartWork func(work any)
	OnStopWork  func(work any)
	OnAbandon   func(work any)
}

// SetThreadPoolCallbacks has functions told about the work of the threads of sessions that are made
// from now on, in place of those set before.
func (e *Env) SetThreadPoolCallbacks(callbacks ThreadPoolCallbacks) error {
	if e == nil {
		return isNil("environment")
	}
	var state C.uintptr_t
	if callbacks.OnEnqueue != nil || callbacks.OnStartWork != nil || callbacks.OnStopWork != nil ||
		callbacks.OnAbandon != nil {
		kept := keptState(callbacks, nil)
		e.keep(kept)
		state = kept.state()
	}
	return e.call("environment", func(p *C.OrtEnv, _ *memory) *C.OrtStatus {
		return C.ortc_set_thread_pool_callbacks(p, state)
	})
}

func workCallbacks(state C.uintptr_t) ThreadPoolCallbacks {
	return stateOf[ThreadPoolCallbacks](state).function
}

func tellWork(tell func(any), work C.uintptr_t) {
	defer func() { _ = recover() }()
	if tell != nil {
		tell(*cgo.Handle(work).Value().(*any))
	}
}

//export ortcGoEnqueueWork
func ortcGoEnqueueWork(state C.uintptr_t) C.uintptr_t {
	var work any
	func() {
		defer func() { _ = recover() }()
		if enqueue := workCallbacks(state).OnEnqueue; enqueue != nil {
			work = enqueue()
		}
	}()
	return C.uintptr_t(cgo.NewHandle(&work))
}

//export ortcGoStartWork
func ortcGoStartWork(state, work C.uintptr_t) {
	tellWork(workCallbacks(state).OnStartWork, work)
}

//export ortcGoStopWork
func ortcGoStopWork(state, work C.uintptr_t) {
	tellWork(workCallbacks(state).OnStopWork, work)
	cgo.Handle(work).Delete()
}

//export ortcGoAbandonWork
func ortcGoAbandonWork(state, work C.uintptr_t) {
	tellWork(workCallbacks(state).OnAbandon, work)
	cgo.Handle(work).Delete()
}
