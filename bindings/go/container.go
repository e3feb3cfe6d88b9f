// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import "unsafe"

// NewSequence makes a sequence with copies of values: tensors of one element type, or maps of one
// type.
func NewSequence(values ...AnyValue) (*Value, error) {
	return newContainer(values, ValueTypeSequence)
}

// NewMap makes a map of two tensors of one dimension and equal length: keys, of int64 or strings,
// and values, of int64, float32, float64 or strings. Both are copied; of a key that stands there
// twice the first value counts.
func NewMap(keys, values AnyValue) (*Value, error) {
	return newContainer([]AnyValue{keys, values}, ValueTypeMap)
}

func newContainer(parts []AnyValue, kind ValueType) (*Value, error) {
	pointers, end, err := useValues(parts)
	if err != nil {
		return nil, err
	}
	defer end()
	var pointer *C.OrtValue
	err = check(C.OrtCreateValue(first(pointers), C.size_t(len(pointers)), C.enum_ONNXType(kind),
		&pointer))
	if err != nil {
		return nil, err
	}
	return newValue(pointer), nil
}

// NewEmptyValue makes a value that holds nothing: a sequence without elements, or an optional
// without content. The type is usually that of a session's input.
func NewEmptyValue(kind *TypeInfo) (*Value, error) {
	var pointer *C.OrtValue
	err := withMemory(func(m *memory) *C.OrtStatus {
		info, err := kind.newC(m)
		if err != nil {
			return newStatus(err)
		}
		defer C.OrtReleaseTypeInfo(info)
		return C.OrtCreateEmptyValue(info, &pointer)
	})
	if err != nil {
		return nil, err
	}
	return newValue(pointer), nil
}

// Len counts what Part can give: the elements of a sequence; 2 for a map.
func (v *Value) Len() (int, error) {
	var count C.size_t
	err := v.ask(func(p *C.OrtValue) *C.OrtStatus { return C.OrtGetValueCount(p, &count) })
	return int(count), err
}

// Part gives a copy of one part: of a sequence the element; of a map 0 for the tensor of keys,
// which ascend, and 1 for that of values.
func (v *Value) Part(index int) (*Value, error) {
	if err := fitsInt("index", index); err != nil {
		return nil, err
	}
	var pointer *C.OrtValue
	err := v.ask(func(p *C.OrtValue) *C.OrtStatus {
		return C.OrtGetValue(p, C.int(index), defaultAllocator(), &pointer)
	})
	if err != nil {
		return nil, err
	}
	return newValue(pointer), nil
}

// Parts gives copies of all parts.
func (v *Value) Parts() ([]*Value, error) {
	count, err := v.Len()
	if err != nil {
		return nil, err
	}
	parts := make([]*Value, count)
	for i := range parts {
		if parts[i], err = v.Part(i); err != nil {
			for _, part := range parts[:i] {
				_ = part.Close()
			}
			return nil, err
		}
	}
	return parts, nil
}

// NewOpaqueValue would make a value of a type that only the program knows. The library has no
// operators for such: it fails with ErrNotImplemented, always.
func NewOpaqueValue(domain, name string, data []byte) (*Value, error) {
	var pointer *C.OrtValue
	err := withMemory(func(m *memory) *C.OrtStatus {
		return C.OrtCreateOpaqueValue(m.text(domain), m.text(name), m.bytes(data),
			C.size_t(len(data)), &pointer)
	})
	if err != nil {
		return nil, err
	}
	return newValue(pointer), nil
}

// Opaque would copy the content of such a value, size bytes. It fails with ErrNotImplemented.
func (v *Value) Opaque(domain, name string, size int) (data []byte, err error) {
	if size < 0 {
		return nil, invalid("the size %d is negative", size)
	}
	err = v.call("value", func(p *C.OrtValue, m *memory) *C.OrtStatus {
		block := m.block(uintptr(size))
		status := C.OrtGetOpaqueValue(m.text(domain), m.text(name), p, block, C.size_t(size))
		if status == nil {
			data = append(data, unsafe.Slice((*byte)(block), size)...)
		}
		return status
	})
	return data, err
}
