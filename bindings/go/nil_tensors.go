// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

// What tensors have of their values, for tensors that may be nil: Go finds the value inside a nil
// one only by crashing.

// TypeInfo is as of Value; the tensor may be nil.
func (t *Tensor[T]) TypeInfo() (*TypeInfo, error) { return t.value().TypeInfo() }

// TensorInfo is as of Value; the tensor may be nil.
func (t *Tensor[T]) TensorInfo() (*TensorInfo, error) { return t.value().TensorInfo() }

// SizeInBytes is as of Value; the tensor may be nil.
func (t *Tensor[T]) SizeInBytes() (int, error) { return t.value().SizeInBytes() }

// Bytes is as of Value; the tensor may be nil.
func (t *Tensor[T]) Bytes() ([]byte, error) { return t.value().Bytes() }

// MemoryInfo is as of Value; the tensor may be nil.
func (t *Tensor[T]) MemoryInfo() (*MemoryInfo, error) { return t.value().MemoryInfo() }

// Strings is as of Value; the tensor may be nil.
func (t *Tensor[T]) Strings() ([]string, error) { return t.value().Strings() }

// StringAt is as of Value; the tensor may be nil.
func (t *Tensor[T]) StringAt(index int) (string, error) { return t.value().StringAt(index) }

// SetStrings is as of Value; the tensor may be nil.
func (t *Tensor[T]) SetStrings(texts []string) error { return t.value().SetStrings(texts) }

// SetString is as of Value; the tensor may be nil.
func (t *Tensor[T]) SetString(index int, text string) error {
	return t.value().SetString(index, text)
}

// Len is as of Value; the tensor may be nil.
func (t *Tensor[T]) Len() (int, error) { return t.value().Len() }

// Part is as of Value; the tensor may be nil.
func (t *Tensor[T]) Part(index int) (*Value, error) { return t.value().Part(index) }

// Parts is as of Value; the tensor may be nil.
func (t *Tensor[T]) Parts() ([]*Value, error) { return t.value().Parts() }

// Opaque is as of Value; the tensor may be nil.
func (t *Tensor[T]) Opaque(domain, name string, size int) ([]byte, error) {
	return t.value().Opaque(domain, name, size)
}

// ElementType is as of Value; the tensor may be nil.
func (t *Tensor[T]) ElementType() ElementType { return t.value().ElementType() }

// Shape is as of Value; the tensor may be nil.
func (t *Tensor[T]) Shape() []int64 { return t.value().Shape() }

// TypeInfo is as of Value; the sparse tensor may be nil.
func (s *SparseTensor[T]) TypeInfo() (*TypeInfo, error) { return s.value().TypeInfo() }

// TensorInfo is as of Value; the sparse tensor may be nil.
func (s *SparseTensor[T]) TensorInfo() (*TensorInfo, error) { return s.value().TensorInfo() }

// SizeInBytes is as of Value; the sparse tensor may be nil.
func (s *SparseTensor[T]) SizeInBytes() (int, error) { return s.value().SizeInBytes() }

// Bytes is as of Value; the sparse tensor may be nil.
func (s *SparseTensor[T]) Bytes() ([]byte, error) { return s.value().Bytes() }

// MemoryInfo is as of Value; the sparse tensor may be nil.
func (s *SparseTensor[T]) MemoryInfo() (*MemoryInfo, error) { return s.value().MemoryInfo() }

// Strings is as of Value; the sparse tensor may be nil.
func (s *SparseTensor[T]) Strings() ([]string, error) { return s.value().Strings() }

// StringAt is as of Value; the sparse tensor may be nil.
func (s *SparseTensor[T]) StringAt(index int) (string, error) { return s.value().StringAt(index) }

// SetStrings is as of Value; the sparse tensor may be nil.
func (s *SparseTensor[T]) SetStrings(texts []string) error { return s.value().SetStrings(texts) }

// SetString is as of Value; the sparse tensor may be nil.
func (s *SparseTensor[T]) SetString(index int, text string) error {
	return s.value().SetString(index, text)
}

// Len is as of Value; the sparse tensor may be nil.
func (s *SparseTensor[T]) Len() (int, error) { return s.value().Len() }

// Part is as of Value; the sparse tensor may be nil.
func (s *SparseTensor[T]) Part(index int) (*Value, error) { return s.value().Part(index) }

// Parts is as of Value; the sparse tensor may be nil.
func (s *SparseTensor[T]) Parts() ([]*Value, error) { return s.value().Parts() }

// Opaque is as of Value; the sparse tensor may be nil.
func (s *SparseTensor[T]) Opaque(domain, name string, size int) ([]byte, error) {
	return s.value().Opaque(domain, name, size)
}

// ElementType is as of Value; the sparse tensor may be nil.
func (s *SparseTensor[T]) ElementType() ElementType { return s.value().ElementType() }

// Shape is as of Value; the sparse tensor may be nil.
func (s *SparseTensor[T]) Shape() []int64 { return s.value().Shape() }

func (s *SparseTensor[T]) ask(f func(*C.OrtValue) *C.OrtStatus) error { return s.value().ask(f) }

func (s *SparseTensor[T]) call(noun string, f func(*C.OrtValue, *memory) *C.OrtStatus) error {
	return s.value().call(noun, f)
}

func (s *SparseTensor[T]) keep(things ...any) {
	if v := s.value(); v != nil {
		v.keep(things...)
	}
}
