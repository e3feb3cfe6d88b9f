// SPDX-License-Identifier: MIT

package ortc

// #include <stdlib.h>
// #include "capi.h"
import "C"

import (
	"context"
	"runtime"
	"sync"
	"unsafe"
)

// nameTable has the names of a model as C texts, made once: they live as long as the table.
type nameTable struct {
	inputs, outputs map[string]*C.char
	all             []string  // all outputs, in the order of the model
	allC            []*C.char // the same for C
}

func newNameTable(s *Session) *nameTable {
	t := &nameTable{inputs: map[string]*C.char{}, outputs: map[string]*C.char{}}
	for _, infos := range [][]ValueInfo{s.inputs, s.overridable} {
		for _, info := range infos {
			t.inputs[info.Name] = C.CString(info.Name)
		}
	}
	for _, info := range s.outputs {
		name := C.CString(info.Name)
		t.outputs[info.Name] = name
		t.all, t.allC = append(t.all, info.Name), append(t.allC, name)
	}
	runtime.SetFinalizer(t, (*nameTable).free)
	return t
}

func (t *nameTable) free() {
	for _, names := range []map[string]*C.char{t.inputs, t.outputs} {
		for _, name := range names {
			C.free(unsafe.Pointer(name))
		}
	}
}

// frame holds the arrays of one run, and is used again.
type frame struct {
	inputNames, outputNames []*C.char
	inputs, outputs         []*C.OrtValue
	used                    []*Value
	table                   *nameTable // whose names these are
}

var frames = sync.Pool{New: func() any { return new(frame) }}

// put gives the frame back, without what it held.
func (f *frame) put() {
	for i, v := range f.used {
		v.end()
		f.used[i] = nil
	}
	f.table = nil
	f.inputNames, f.outputNames = f.inputNames[:0], f.outputNames[:0]
	f.inputs, f.outputs, f.used = f.inputs[:0], f.outputs[:0], f.used[:0]
	frames.Put(f)
}

func (f *frame) addInputs(t *nameTable, inputs Values) error {
	f.table = t
	for name, value := range inputs {
		text, isThere := t.inputs[name]
		if !isThere {
			return invalid("the model has no input %q", name)
		}
		p, inner, err := useValue(value)
		if err != nil {
			return invalid("input %q: %v", name, err)
		}
		f.inputNames, f.inputs = append(f.inputNames, text), append(f.inputs, p)
		f.used = append(f.used, inner)
	}
	return nil
}

func (f *frame) addOutput(t *nameTable, name string, value *C.OrtValue) error {
	text, isThere := t.outputs[name]
	if !isThere {
		return invalid("the model has no output %q", name)
	}
	f.outputNames, f.outputs = append(f.outputNames, text), append(f.outputs, value)
	return nil
}

// Run runs the model once and gives all outputs. Any number of goroutines may run one session at
// once. The end of the context stops the run: the error is the context's then, too.
func (s *Session) Run(ctx context.Context, inputs Values) (Outputs, error) {
	return s.RunWith(ctx, nil, inputs)
}

// RunWith runs the model with options, and gives the outputs that are named, or all when none is.
// nil options are the defaults.
func (s *Session) RunWith(ctx context.Context, options *RunOptions, inputs Values,
	outputs ...string) (Outputs, error) {
	p, err := s.use()
	if err != nil {
		return nil, err
	}
	defer s.end()
	f := frames.Get().(*frame)
	defer f.put()
	if err := f.addInputs(s.names, inputs); err != nil {
		return nil, err
	}
	if len(outputs) == 0 {
		outputs = f.table.all
		f.outputNames = append(f.outputNames, f.table.allC...)
		for range outputs {
			f.outputs = append(f.outputs, nil)
		}
	} else {
		for _, name := range outputs {
			if err := f.addOutput(f.table, name, nil); err != nil {
				return nil, err
			}
		}
	}
	if err := s.run(ctx, options, p, f); err != nil {
		return nil, err
	}
	results := make(Outputs, len(outputs))
	for i, name := range outputs {
		results[name] = newValue(f.outputs[i], s.keeps...)
	}
	return results, nil
}

// RunInto runs the model and fills tensors of the program, of the types and shapes of the results.
// After an error their contents are undefined.
func (s *Session) RunInto(ctx context.Context, options *RunOptions, inputs, outputs Values) error {
	p, err := s.use()
	if err != nil {
		return err
	}
	defer s.end()
	f := frames.Get().(*frame)
	defer f.put()
	if err := f.addInputs(s.names, inputs); err != nil {
		return err
	}
	for name, value := range outputs {
		o, inner, err := useValue(value)
		if err != nil {
			return invalid("output %q: %v", name, err)
		}
		f.used = append(f.used, inner)
		if err := f.addOutput(f.table, name, o); err != nil {
			return err
		}
	}
	return s.run(ctx, options, p, f)
}

func (f *frame) run(p *C.OrtSession, o *C.OrtRunOptions) *C.OrtStatus {
	return C.OrtRun(p, o, first(f.inputNames), first(f.inputs), C.size_t(len(f.inputs)),
		first(f.outputNames), C.size_t(len(f.outputs)), first(f.outputs))
}

func (s *Session) run(ctx context.Context, options *RunOptions, p *C.OrtSession, f *frame) error {
	if options == nil && (ctx == nil || ctx.Done() == nil) {
		err := check(f.run(p, nil)) // what most programs do: no closure, nothing to watch
		return resolveOperators(s.keeps, err)
	}
	return resolveOperators(s.keeps,
		withRunOptions(ctx, options, func(o *C.OrtRunOptions) *C.OrtStatus {
			return f.run(p, o)
		}))
}

// Result is what a run on another thread gives.
type Result struct {
	Outputs Outputs
	Err     error
}

// pendingRun is what must stay until a run on another thread is over.
type pendingRun struct {
	session *Session
	names   []string
	memory  memory
	outputs []*C.OrtValue // in C's memory
	finish  func(error) error
	result  chan Result
}

// RunAsync begins a run on a thread of the session's pool and returns at once; the channel gets the
// result. The session must have a thread of its own: SessionOptions.SetIntraOpNumThreads of 2 or
// more. In Go, a goroutine that calls Run does the same with the goroutine's thread.
func (s *Session) RunAsync(ctx context.Context, options *RunOptions, inputs Values,
	outputs ...string) (<-chan Result, error) {
	p, err := s.use()
	if err != nil {
		return nil, err
	}
	if len(outputs) == 0 {
		outputs = s.names.all
	}
	f := frames.Get().(*frame)
	run := &pendingRun{session: s, names: outputs, result: make(chan Result, 1)}
	o, finish, err := beginRunOptions(ctx, options)
	if err == nil {
		run.finish = func(err error) error {
			f.put()
			s.end()
			run.memory.free()
			return finish(err)
		}
		err = run.begin(p, o, f, inputs)
	} else {
		f.put()
		s.end()
	}
	if err != nil {
		return nil, err
	}
	return run.result, nil
}

func (r *pendingRun) begin(p *C.OrtSession, o *C.OrtRunOptions, f *frame, inputs Values) error {
	names := r.session.names
	if err := f.addInputs(names, inputs); err != nil {
		return r.finish(err)
	}
	for _, name := range r.names {
		if err := f.addOutput(names, name, nil); err != nil {
			return r.finish(err)
		}
	}
	array := (**C.OrtValue)(r.memory.block(uintptr(len(r.names)+1) * unsafe.Sizeof(uintptr(0))))
	r.outputs = unsafe.Slice(array, len(r.names))
	state := newState(r, nil)
	err := check(C.ortc_run_async(p, o, first(f.inputNames), first(f.inputs),
		C.size_t(len(f.inputs)), first(f.outputNames), C.size_t(len(r.names)), array,
		C.uintptr_t(state)))
	if err != nil {
		state.Delete()
		return r.finish(err)
	}
	return nil
}

//export ortcGoRunIsOver
func ortcGoRunIsOver(state C.uintptr_t, status *C.OrtStatus) {
	r := stateOf[*pendingRun](state).function
	ortcGoReleaseState(state)
	result := Result{}
	if err := check(status); err != nil {
		result.Err = resolveOperators(r.session.keeps, r.finish(err))
	} else {
		result.Outputs = make(Outputs, len(r.names))
		for i, name := range r.names {
			result.Outputs[name] = newValue(r.outputs[i], r.session.keeps...)
		}
		_ = r.finish(nil)
	}
	r.result <- result
}
