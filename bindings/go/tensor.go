// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import (
	"runtime"
	"runtime/cgo"
	"unsafe"
)

// Element is a Go type that elements of tensors have. Tensors of strings are made by
// NewStringTensor; elements smaller than a byte are seen as Bytes.
type Element interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64 |
		complex64 | complex128 | Float16 | BFloat16 | Float8E4M3FN | Float8E4M3FNUZ | Float8E5M2 |
		Float8E5M2FNUZ | Float8E8M0
}

// ElementTypeOf tells the element type of a Go type.
func ElementTypeOf[T Element]() ElementType {
	var zero T
	return elementTypeOf(zero)
}

func elementTypeOf(zero any) ElementType {
	switch zero.(type) {
	case bool:
		return ElementTypeBool
	case int8:
		return ElementTypeInt8
	case int16:
		return ElementTypeInt16
	case int32:
		return ElementTypeInt32
	case int64:
		return ElementTypeInt64
	case uint8:
		return ElementTypeUint8
	case uint16:
		return ElementTypeUint16
	case uint32:
		return ElementTypeUint32
	case uint64:
		return ElementTypeUint64
	case float32:
		return ElementTypeFloat
	case float64:
		return ElementTypeDouble
	case complex64:
		return ElementTypeComplex64
	case complex128:
		return ElementTypeComplex128
	case Float16:
		return ElementTypeFloat16
	case BFloat16:
		return ElementTypeBFloat16
	case Float8E4M3FN:
		return ElementTypeFloat8E4M3FN
	case Float8E4M3FNUZ:
		return ElementTypeFloat8E4M3FNUZ
	case Float8E5M2:
		return ElementTypeFloat8E5M2
	case Float8E5M2FNUZ:
		return ElementTypeFloat8E5M2FNUZ
	case Float8E8M0:
		return ElementTypeFloat8E8M0
	case string:
		return ElementTypeString
	}
	return ElementTypeUndefined
}

// Tensor is a dense tensor seen as elements of one type, in row-major order.
type Tensor[T Element] struct {
	*Value
	elements []T
}

// value is none for a nil tensor, where the value's own method would crash.
func (t *Tensor[T]) value() *Value {
	if t == nil {
		return nil
	}
	return t.Value
}

// Close gives the tensor back; closing twice is fine, and so is a nil tensor.
func (t *Tensor[T]) Close() error { return t.value().Close() }

// NewTensor makes a tensor of zeros, in C's memory: Data shows it, and nothing is copied for a run.
func NewTensor[T Element](shape ...int64) (*Tensor[T], error) {
	v, data, size, err := newTensor(ElementTypeOf[T](), shape)
	if err != nil {
		return nil, err
	}
	t := &Tensor[T]{Value: v}
	if size != 0 {
		t.elements = unsafe.Slice((*T)(data), size/int(unsafe.Sizeof(*new(T))))
	}
	return t, nil
}

// NewTensorFrom makes a tensor with a copy of the data. Without a shape it has one dimension.
func NewTensorFrom[T Element](data []T, shape ...int64) (*Tensor[T], error) {
	if len(shape) == 0 {
		shape = []int64{int64(len(data))}
	}
	t, err := NewTensor[T](shape...)
	if err != nil {
		return nil, err
	}
	if len(t.elements) != len(data) {
		defer t.Close()
		return nil, invalid("%d elements do not fill the shape %v", len(data), shape)
	}
	copy(t.elements, data)
	return t, nil
}

// NewScalar makes a tensor without dimensions.
func NewScalar[T Element](element T) (*Tensor[T], error) {
	t, err := NewTensor[T]()
	if err == nil {
		t.elements[0] = element
	}
	return t, err
}

// NewTensorOfType makes a tensor of zeros whose element type is known at run time only; also one of
// empty strings, or of elements smaller than a byte. See Value.Bytes and TensorOf.
func NewTensorOfType(element ElementType, shape ...int64) (*Value, error) {
	v, _, _, err := newTensor(element, shape)
	return v, err
}

func newTensor(element ElementType, shape []int64) (*Value, unsafe.Pointer, int, error) {
	var pointer *C.OrtValue
	var data unsafe.Pointer
	var size C.size_t
	err := check(C.ortc_new_tensor(cShape(shape), C.size_t(len(shape)),
		C.ONNXTensorElementDataType(element), &pointer, &data, &size))
	if err != nil {
		return nil, nil, 0, err
	}
	return newValue(pointer), data, int(size), nil
}

// NewTensorIn makes a tensor in memory of an allocator, which it keeps. Numbers start undefined.
func NewTensorIn(allocator *Allocator, element ElementType, shape ...int64) (*Value, error) {
	a, err := allocator.use()
	if err != nil {
		return nil, err
	}
	defer allocator.end()
	var pointer *C.OrtValue
	err = check(C.OrtCreateTensorAsOrtValue(a, cShape(shape), C.size_t(len(shape)),
		C.ONNXTensorElementDataType(element), &pointer))
	if err != nil {
		return nil, err
	}
	return newValue(pointer, allocator), nil
}

// TensorOf sees a value as a tensor of elements of one type. Both are one thing: closing one closes
// the other.
func TensorOf[T Element](value AnyValue) (*Tensor[T], error) {
	p, v, err := useValue(value)
	if err != nil {
		return nil, err
	}
	defer v.end()
	element, _, err := v.typeAndShape()
	if err != nil {
		return nil, err
	}
	if element != ElementTypeOf[T]() {
		return nil, invalid("the tensor has elements %s, not %s", element, ElementTypeOf[T]())
	}
	var data unsafe.Pointer
	var size C.size_t
	if err := check(C.ortc_host_data(p, &data)); err != nil {
		return nil, err
	}
	if err := check(C.OrtGetTensorSizeInBytes(p, &size)); err != nil {
		return nil, err
	}
	t := &Tensor[T]{Value: v}
	if size != 0 {
		t.elements = unsafe.Slice((*T)(data), int(size)/int(unsafe.Sizeof(*new(T))))
	}
	return t, nil
}

// Data shows the elements, for reading and writing; one goroutine at a time may write. The slice
// lives as long as the tensor: close that after the last use, not before. It panics with an *Error
// when the tensor is closed or nil.
func (t *Tensor[T]) Data() []T {
	if t.value() == nil {
		must(isNil("tensor"))
	}
	_, err := t.begin("tensor")
	must(err)
	defer t.end()
	return t.elements
}

// At shows one element by its index in each dimension; none for a scalar.
func (t *Tensor[T]) At(index ...int64) (element *T, err error) {
	err = t.value().ask(func(p *C.OrtValue) *C.OrtStatus {
		var place unsafe.Pointer
		status := C.OrtTensorAt(p, cShape(index), C.size_t(len(index)), &place)
		element = (*T)(place)
		return status
	})
	return element, err
}

// WrapMemory makes a tensor over memory of C, which must have room for at least what shape and type
// need. Nothing is copied. release is called once when nothing uses the memory any more; when it is
// nil, the memory must outlive all that uses it. After an error release is not called. It must not
// be memory of Go; see WrapTensor.
func WrapMemory(memory unsafe.Pointer, bytes int, element ElementType, release func(),
	shape ...int64) (*Value, error) {
	if bytes < 0 {
		return nil, invalid("the size %d is negative", bytes)
	}
	info, err := NewCPUMemoryInfo(AllocatorTypeDevice, MemTypeDefault)
	if err != nil {
		return nil, err
	}
	defer info.Close()
	var pointer *C.OrtValue
	if release == nil {
		err = info.with(func(info *C.OrtMemoryInfo) *C.OrtStatus {
			return C.OrtCreateTensorWithDataAsOrtValue(info, memory, C.size_t(bytes), cShape(shape),
				C.size_t(len(shape)), C.ONNXTensorElementDataType(element), &pointer)
		})
	} else {
		d := newDeleter(info, release)
		if memory == nil && bytes == 0 {
			memory = unsafe.Pointer(d.pointer) // C frees nothing that is NULL
		}
		err = check(C.OrtCreateTensorWithDataAndDeleterAsOrtValue(&d.pointer.base, memory,
			C.size_t(bytes), cShape(shape), C.size_t(len(shape)),
			C.ONNXTensorElementDataType(element), &pointer))
		if err != nil {
			d.drop()
		}
	}
	if err != nil {
		return nil, err
	}
	return newValue(pointer), nil
}

// deleter is an allocator that only frees, once. C has it until then.
type deleter struct {
	pointer *C.OrtcGoAllocator
	state   cgo.Handle
	info    *pinned
}

func newDeleter(info *MemoryInfo, release func()) *deleter {
	d := &deleter{}
	functions := &AllocatorFuncs{
		Alloc: func(int) unsafe.Pointer { return nil },
		Free: func(unsafe.Pointer) {
			defer d.drop()
			release()
		},
	}
	d.info, _ = pin(&info.object, "memory info")
	d.state = cgo.NewHandle(functions)
	d.pointer = C.ortc_new_allocator(C.uintptr_t(d.state), info.pointer)
	if d.pointer == nil {
		panic("ortc: out of memory")
	}
	runtime.SetFinalizer(d, func(d *deleter) { C.free(unsafe.Pointer(d.pointer)) })
	return d
}

// drop lets the collector free what C had. The library is still in the allocator's function then.
func (d *deleter) drop() {
	d.state.Delete()
}

// view is a tensor over the memory of another one, which it keeps open.
type view struct {
	pointer *C.OrtValue
	source  *pinned
}

// shareMemory gives a value that the library takes for one over memory of the program.
func shareMemory(tensor AnyValue) (*view, error) {
	p, inner, err := useValue(tensor)
	if err != nil {
		return nil, err
	}
	defer inner.end()
	element, shape, err := inner.typeAndShape()
	if err != nil {
		return nil, err
	}
	var data unsafe.Pointer
	var size C.size_t
	if err := check(C.ortc_host_data(p, &data)); err != nil {
		return nil, err
	}
	if err := check(C.OrtGetTensorSizeInBytes(p, &size)); err != nil {
		return nil, err
	}
	v := &view{}
	if v.source, err = pin(&inner.object, "value"); err != nil {
		return nil, err
	}
	same, err := WrapMemory(data, int(size), element, nil, shape...)
	if err != nil {
		return nil, err
	}
	v.pointer = same.surrender()
	runtime.SetFinalizer(v, func(v *view) { C.OrtReleaseValue(v.pointer) })
	return v, nil
}
