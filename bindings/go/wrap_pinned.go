// SPDX-License-Identifier: MIT

//go:build go1.21

package ortc

import (
	"runtime"
	"unsafe"
)

// WrapTensor makes a tensor over a slice of Go, which stays where it is until the tensor and all
// that uses its memory is gone. Nothing is copied. Without a shape it has one dimension. From Go
// 1.21 on.
func WrapTensor[T Element](data []T, shape ...int64) (*Tensor[T], error) {
	if len(shape) == 0 {
		shape = []int64{int64(len(data))}
	}
	if len(data) == 0 {
		return NewTensorFrom(data, shape...)
	}
	var pinner runtime.Pinner
	pinner.Pin(&data[0])
	bytes := len(data) * int(unsafe.Sizeof(data[0]))
	v, err := WrapMemory(unsafe.Pointer(&data[0]), bytes, ElementTypeOf[T](), pinner.Unpin, shape...)
	if err != nil {
		pinner.Unpin()
		return nil, err
	}
	return TensorOf[T](v)
}
