// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

// Calls of objects that may be nil. Go finds the object inside a nil one only by crashing, so that
// the check of object.begin comes too late for them.

func isNil(noun string) error { return invalid("the %s is nil", noun) }

func (a *Allocator) call(noun string, f func(*C.OrtAllocator, *memory) *C.OrtStatus) error {
	if a == nil {
		return isNil(noun)
	}
	return a.object.call(noun, f)
}

func (b *IoBinding) call(noun string, f func(*C.OrtIoBinding, *memory) *C.OrtStatus) error {
	if b == nil {
		return isNil(noun)
	}
	return b.object.call(noun, f)
}

func (e *Env) call(noun string, f func(*C.OrtEnv, *memory) *C.OrtStatus) error {
	if e == nil {
		return isNil(noun)
	}
	return e.object.call(noun, f)
}

func (g *SharingGroup) call(noun string, f func(*C.OrtSharingGroup, *memory) *C.OrtStatus) error {
	if g == nil {
		return isNil(noun)
	}
	return g.object.call(noun, f)
}

func (m *Model) call(noun string, f func(*C.OrtModel, *memory) *C.OrtStatus) error {
	if m == nil {
		return isNil(noun)
	}
	return m.object.call(noun, f)
}

func (o *RunOptions) call(noun string, f func(*C.OrtRunOptions, *memory) *C.OrtStatus) error {
	if o == nil {
		return isNil(noun)
	}
	return o.object.call(noun, f)
}

func (o *ThreadingOptions) call(noun string,
	f func(*C.OrtThreadingOptions, *memory) *C.OrtStatus) error {
	if o == nil {
		return isNil(noun)
	}
	return o.object.call(noun, f)
}

func (s *ShapeInferContext) call(noun string,
	f func(*C.OrtShapeInferContext, *memory) *C.OrtStatus) error {
	if s == nil {
		return isNil(noun)
	}
	return s.object.call(noun, f)
}

func (v *Value) call(noun string, f func(*C.OrtValue, *memory) *C.OrtStatus) error {
	if v == nil {
		return isNil(noun)
	}
	return v.object.call(noun, f)
}
