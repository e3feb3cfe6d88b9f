// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import (
	"context"
	"unsafe"
)

// IoBinding ties inputs and outputs of a session to values once, for any number of runs. Results go
// straight into bound values; a run of shapes seen before then allocates nothing. One binding
// serves one run at a time; several bindings of one session may run at once.
type IoBinding struct {
	object[*C.OrtIoBinding]
	session         *Session
	inputs, outputs map[string][]any // what the values that are bound now need
}

// NewIoBinding makes a binding without values.
func (s *Session) NewIoBinding() (*IoBinding, error) {
	p, err := s.use()
	if err != nil {
		return nil, err
	}
	defer s.end()
	var pointer *C.OrtIoBinding
	if err := check(C.OrtCreateIoBinding(p, &pointer)); err != nil {
		return nil, err
	}
	b := &IoBinding{session: s, inputs: map[string][]any{}, outputs: map[string][]any{}}
	b.own(pointer, func(p *C.OrtIoBinding) { C.OrtReleaseIoBinding(p) })
	b.keep(s)
	return b, nil
}

// Close gives the binding back; closing twice is fine.
func (b *IoBinding) Close() error {
	if b == nil {
		return nil
	}
	return b.close()
}

func (b *IoBinding) ask(f func(*C.OrtIoBinding, *memory) *C.OrtStatus) error {
	return b.call("binding", f)
}

// BindInput ties an input to a value, in place of an earlier one. The value's content is shared: it
// may be closed afterwards.
func (b *IoBinding) BindInput(name string, value AnyValue) error {
	if b == nil {
		return isNil("binding")
	}
	return b.bind(b.inputs, name, value, func(p *C.OrtIoBinding, v *C.OrtValue,
		m *memory) *C.OrtStatus {
		return C.OrtBindInput(p, m.text(name), v)
	})
}

// BindOutput ties an output to a tensor of the type and shape of the result, which each run fills.
func (b *IoBinding) BindOutput(name string, value AnyValue) error {
	if b == nil {
		return isNil("binding")
	}
	return b.bind(b.outputs, name, value, func(p *C.OrtIoBinding, v *C.OrtValue,
		m *memory) *C.OrtStatus {
		return C.OrtBindOutput(p, m.text(name), v)
	})
}

func (b *IoBinding) bind(bound map[string][]any, name string, value AnyValue,
	f func(*C.OrtIoBinding, *C.OrtValue, *memory) *C.OrtStatus) error {
	v, inner, err := useValue(value)
	if err != nil {
		return err
	}
	defer inner.end()
	err = b.ask(func(p *C.OrtIoBinding, m *memory) *C.OrtStatus { return f(p, v, m) })
	if err != nil {
		return err
	}
	bound[name] = inner.kept()
	return nil
}

// BindOutputToMemory asks for an output whose shape is not known before: each run makes a new value
// for it, in memory of the CPU.
func (b *IoBinding) BindOutputToMemory(name string, info *MemoryInfo) error {
	i, err := info.use()
	if err != nil {
		return err
	}
	defer info.end()
	return b.ask(func(p *C.OrtIoBinding, m *memory) *C.OrtStatus {
		return C.OrtBindOutputToDevice(p, m.text(name), i)
	})
}

// ClearInputs unties all inputs.
func (b *IoBinding) ClearInputs() error {
	return b.ask(func(p *C.OrtIoBinding, _ *memory) *C.OrtStatus {
		C.OrtClearBoundInputs(p)
		b.inputs = map[string][]any{}
		return nil
	})
}

// ClearOutputs unties all outputs.
func (b *IoBinding) ClearOutputs() error {
	return b.ask(func(p *C.OrtIoBinding, _ *memory) *C.OrtStatus {
		C.OrtClearBoundOutputs(p)
		b.outputs = map[string][]any{}
		return nil
	})
}

// SynchronizeInputs waits until bound inputs are where a run needs them; on the CPU they always
// are.
func (b *IoBinding) SynchronizeInputs() error {
	return b.ask(func(p *C.OrtIoBinding, _ *memory) *C.OrtStatus {
		return C.OrtSynchronizeBoundInputs(p)
	})
}

// SynchronizeOutputs waits until bound outputs are where they should be; on the CPU they always
// are.
func (b *IoBinding) SynchronizeOutputs() error {
	return b.ask(func(p *C.OrtIoBinding, _ *memory) *C.OrtStatus {
		return C.OrtSynchronizeBoundOutputs(p)
	})
}

// Run runs the model once with what is bound. The end of the context stops the run. nil options are
// the defaults. After an error the contents of bound outputs are undefined.
func (b *IoBinding) Run(ctx context.Context, options *RunOptions) error {
	if b == nil {
		return isNil("binding")
	}
	p, err := b.begin("binding")
	if err != nil {
		return err
	}
	defer b.end()
	s, err := b.session.use()
	if err != nil {
		return err
	}
	defer b.session.end()
	err = withRunOptions(ctx, options, func(o *C.OrtRunOptions) *C.OrtStatus {
		return C.OrtRunWithBinding(s, o, p)
	})
	return resolveOperators(b.session.keeps, err)
}

// OutputNames lists the names of bound outputs, in the order in which they were bound.
func (b *IoBinding) OutputNames() (names []string, err error) {
	err = b.ask(func(p *C.OrtIoBinding, _ *memory) *C.OrtStatus {
		var buffer *C.char
		var lengths *C.size_t
		var count C.size_t
		status := C.OrtGetBoundOutputNames(p, defaultAllocator(), &buffer, &lengths, &count)
		if status != nil || count == 0 {
			return status
		}
		rest := unsafe.Pointer(buffer)
		for _, length := range unsafe.Slice(lengths, int(count)) {
			names = append(names, C.GoStringN((*C.char)(rest), C.int(length)))
			rest = unsafe.Add(rest, int(length))
		}
		C.OrtAllocatorFree(defaultAllocator(), unsafe.Pointer(buffer))
		C.OrtAllocatorFree(defaultAllocator(), unsafe.Pointer(lengths))
		return nil
	})
	return names, err
}

// Outputs gives the bound outputs; the values share the contents. One that is bound to memory only
// has no content before the first run.
func (b *IoBinding) Outputs() (Outputs, error) {
	names, err := b.OutputNames()
	if err != nil {
		return nil, err
	}
	outputs := Outputs{}
	err = b.ask(func(p *C.OrtIoBinding, _ *memory) *C.OrtStatus {
		var list **C.OrtValue
		var count C.size_t
		status := C.OrtGetBoundOutputValues(p, defaultAllocator(), &list, &count)
		if status != nil || count == 0 {
			return status
		}
		for i, value := range unsafe.Slice(list, int(count)) {
			outputs[names[i]] = newValue(value, b.session, b.outputs[names[i]])
		}
		C.OrtAllocatorFree(defaultAllocator(), unsafe.Pointer(list))
		return nil
	})
	return outputs, err
}
