// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import (
	"runtime"
	"sort"
	"unsafe"
)

// Value is what goes into a run and comes out of it: a tensor, a sequence, a map, an optional or a
// sparse tensor. Reading it from several goroutines is fine while none writes.
//
// Close gives its memory back at once; the garbage collector does so some day. Slices that show the
// memory (Tensor.Data, Bytes) do not keep the value alive: close it after their last use.
type Value struct {
	object[*C.OrtValue]
}

// AnyValue is a *Value, a *Tensor or a *SparseTensor.
type AnyValue interface {
	value() *Value
}

// Values are values by name: what a run gets.
type Values map[string]AnyValue

// Outputs are the results of a run by name.
type Outputs map[string]*Value

// Close closes all results.
func (o Outputs) Close() error {
	for _, value := range o {
		_ = value.Close()
	}
	return nil
}

func newValue(pointer *C.OrtValue, keeps ...any) *Value {
	v := &Value{}
	v.keeps = keeps
	v.pointer, v.free = pointer, releaseValue
	runtime.SetFinalizer(v, finalizeValue) // as own does, without the closure of a generic method
	return v
}

func finalizeValue(v *Value) { _ = v.close() }

func releaseValue(p *C.OrtValue) { C.OrtReleaseValue(p) }

// borrowedValue is part of something that owns it.
func borrowedValue(pointer *C.OrtValue, owner any) *Value {
	v := &Value{}
	v.pointer = pointer
	v.keep(owner)
	return v
}

func (v *Value) value() *Value { return v }

// Close gives the value back; closing twice is fine, and so is a nil value.
func (v *Value) Close() error {
	if v == nil {
		return nil
	}
	return v.close()
}

// useValue gives a C value to a call.
func useValue(v AnyValue) (*C.OrtValue, *Value, error) {
	if v == nil || v.value() == nil {
		return nil, nil, invalid("a value is nil")
	}
	inner := v.value()
	p, err := inner.begin("value")
	return p, inner, err
}

// useValues does that for a list.
func useValues(list []AnyValue) (pointers []*C.OrtValue, end func(), err error) {
	used := make([]*Value, 0, len(list))
	end = func() {
		for _, v := range used {
			v.end()
		}
	}
	for _, v := range list {
		p, inner, err := useValue(v)
		if err != nil {
			end()
			return nil, nil, err
		}
		pointers, used = append(pointers, p), append(used, inner)
	}
	return pointers, end, nil
}

// useNamed does that for values by name, in ascending order of the names.
func useNamed(values Values) (names []string, pointers []*C.OrtValue, end func(), err error) {
	for name := range values {
		names = append(names, name)
	}
	sort.Strings(names)
	list := make([]AnyValue, len(names))
	for i, name := range names {
		if list[i] = values[name]; list[i] == nil || list[i].value() == nil {
			return nil, nil, nil, invalid("the value %q is nil", name)
		}
	}
	pointers, end, err = useValues(list)
	return names, pointers, end, err
}

func (v *Value) ask(f func(*C.OrtValue) *C.OrtStatus) error {
	if v == nil {
		return invalid("the value is nil")
	}
	p, err := v.begin("value")
	if err != nil {
		return err
	}
	defer v.end()
	return check(f(p))
}

// Kind tells what the value is. An optional is what it contains, or ValueTypeUnknown without
// content.
func (v *Value) Kind() ValueType {
	var kind C.enum_ONNXType
	must(v.ask(func(p *C.OrtValue) *C.OrtStatus { return C.OrtGetValueType(p, &kind) }))
	return ValueType(kind)
}

// IsTensor says whether the value is a dense tensor.
func (v *Value) IsTensor() bool {
	var answer C.int
	must(v.ask(func(p *C.OrtValue) *C.OrtStatus { return C.OrtIsTensor(p, &answer) }))
	return answer == 1
}

// IsSparseTensor says whether the value is a sparse tensor.
func (v *Value) IsSparseTensor() bool {
	var answer C.int
	must(v.ask(func(p *C.OrtValue) *C.OrtStatus { return C.OrtIsSparseTensor(p, &answer) }))
	return answer == 1
}

// HasValue says whether there is content: an optional value may have none.
func (v *Value) HasValue() bool {
	var answer C.int
	must(v.ask(func(p *C.OrtValue) *C.OrtStatus { return C.OrtHasValue(p, &answer) }))
	return answer == 1
}

// TypeInfo gives the type of a value of any kind; nil for a value without content.
func (v *Value) TypeInfo() (*TypeInfo, error) {
	var info *C.OrtTypeInfo
	err := v.ask(func(p *C.OrtValue) *C.OrtStatus { return C.OrtGetTypeInfo(p, &info) })
	if err != nil {
		return nil, err
	}
	return takeType(info)
}

// TensorInfo gives element type and shape of a tensor; of a sparse one those of the dense tensor it
// stands for.
func (v *Value) TensorInfo() (*TensorInfo, error) {
	var info *C.OrtTensorTypeAndShapeInfo
	err := v.ask(func(p *C.OrtValue) *C.OrtStatus { return C.OrtGetTensorTypeAndShape(p, &info) })
	if err != nil {
		return nil, err
	}
	return takeTensorInfo(info)
}

// typeAndShape does the same without making anything in C.
func (v *Value) typeAndShape() (element ElementType, shape []int64, err error) {
	var kind C.ONNXTensorElementDataType
	var sizes *C.int64_t
	var rank C.size_t
	err = v.ask(func(p *C.OrtValue) *C.OrtStatus {
		return C.OrtGetTensorElementTypeAndShapeDataReference(p, &kind, &sizes, &rank)
	})
	if err != nil {
		return 0, nil, err
	}
	shape = make([]int64, int(rank))
	if rank != 0 {
		copy(shape, unsafe.Slice((*int64)(unsafe.Pointer(sizes)), int(rank)))
	}
	return ElementType(kind), shape, nil
}

// ElementType tells the element type of a tensor; ElementTypeUndefined when the value is none.
func (v *Value) ElementType() ElementType {
	element, _, err := v.typeAndShape()
	if err != nil {
		return ElementTypeUndefined
	}
	return element
}

// Shape tells the shape of a tensor; nil when the value is none. A scalar's is empty.
func (v *Value) Shape() []int64 {
	_, shape, err := v.typeAndShape()
	if err != nil {
		return nil
	}
	return shape
}

// SizeInBytes tells how many bytes the elements of a tensor take; elements below a byte are packed.
func (v *Value) SizeInBytes() (int, error) {
	var size C.size_t
	err := v.ask(func(p *C.OrtValue) *C.OrtStatus { return C.OrtGetTensorSizeInBytes(p, &size) })
	return int(size), err
}

// Bytes shows the memory of a tensor of any numbers, for reading. It lives as long as the value.
func (v *Value) Bytes() ([]byte, error) {
	var data unsafe.Pointer
	var size C.size_t
	err := v.ask(func(p *C.OrtValue) *C.OrtStatus {
		return C.ortc_host_bytes(p, &data, &size)
	})
	if err != nil || size == 0 {
		return nil, err
	}
	return unsafe.Slice((*byte)(data), int(size)), nil
}

// MemoryInfo tells in which memory the elements of a tensor lie.
func (v *Value) MemoryInfo() (*MemoryInfo, error) {
	var info *C.OrtMemoryInfo
	err := v.ask(func(p *C.OrtValue) *C.OrtStatus { return C.OrtGetTensorMemoryInfo(p, &info) })
	if err != nil {
		return nil, err
	}
	hold, err := pin(&v.object, "value")
	if err != nil {
		return nil, err
	}
	return borrowedMemoryInfo(info, hold), nil
}
