// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import "unsafe"

// SparseElement is an element type of sparse tensors.
type SparseElement interface {
	Element | string
}

// SparseTensor is the shape of a dense tensor and those of its elements that are there.
//
// Places by format: COO, for each value its position in row-major order, or its row and column;
// CSR, for each value its column (inner) and for each row, and the end, the number of values before
// it (outer); block sparse, for n blocks of values their rows and columns ([2,n]), counted as the
// program likes.
type SparseTensor[T SparseElement] struct {
	*Value
}

// value is none for a nil tensor, where the value's own method would crash.
func (s *SparseTensor[T]) value() *Value {
	if s == nil {
		return nil
	}
	return s.Value
}

// Close gives the tensor back; closing twice is fine, and so is a nil tensor.
func (s *SparseTensor[T]) Close() error { return s.value().Close() }

// NewSparseTensor makes a sparse tensor without values, for one of the Fill methods.
func NewSparseTensor[T SparseElement](denseShape ...int64) (*SparseTensor[T], error) {
	var zero T
	var pointer *C.OrtValue
	err := check(C.OrtCreateSparseTensorAsOrtValue(defaultAllocator(), cShape(denseShape),
		C.size_t(len(denseShape)), C.ONNXTensorElementDataType(elementTypeOf(zero)), &pointer))
	if err != nil {
		return nil, err
	}
	return &SparseTensor[T]{newValue(pointer)}, nil
}

// NewSparseTensorOver makes a sparse tensor over the memory of a dense one that has the values, for
// one of the Use methods. Nothing is copied; the dense tensor stays open as long as the sparse one.
func NewSparseTensorOver[T Element](values *Tensor[T],
	denseShape ...int64) (*SparseTensor[T], error) {
	view, data, err := values.share()
	if err != nil {
		return nil, err
	}
	info, err := NewCPUMemoryInfo(AllocatorTypeDevice, MemTypeDefault)
	if err != nil {
		return nil, err
	}
	defer info.Close()
	shape := values.Shape()
	var pointer *C.OrtValue
	err = info.with(func(info *C.OrtMemoryInfo) *C.OrtStatus {
		return C.OrtCreateSparseTensorWithValuesAsOrtValue(info, data, cShape(denseShape),
			C.size_t(len(denseShape)), cShape(shape), C.size_t(len(shape)),
			C.ONNXTensorElementDataType(ElementTypeOf[T]()), &pointer)
	})
	if err != nil {
		return nil, err
	}
	return &SparseTensor[T]{newValue(pointer, view)}, nil
}

// share holds a tensor open and gives its memory.
func (t *Tensor[T]) share() (*pinned, unsafe.Pointer, error) {
	if t == nil || t.Value == nil {
		return nil, nil, invalid("a tensor is nil")
	}
	hold, err := pin(&t.object, "tensor")
	return hold, unsafe.Pointer(first(t.elements)), err
}

// SparseTensorOf sees a value as a sparse tensor of elements of one type.
func SparseTensorOf[T SparseElement](value AnyValue) (*SparseTensor[T], error) {
	_, v, err := useValue(value)
	if err != nil {
		return nil, err
	}
	defer v.end()
	var zero T
	if element := v.ElementType(); !v.IsSparseTensor() || element != elementTypeOf(zero) {
		return nil, invalid("the value is not a sparse tensor of %s", elementTypeOf(zero))
	}
	return &SparseTensor[T]{v}, nil
}

// fill hands values, which the library copies, to one of its functions.
func (s *SparseTensor[T]) fill(values []T, f func(p *C.OrtValue, info *C.OrtMemoryInfo,
	values unsafe.Pointer) *C.OrtStatus) error {
	info, err := NewCPUMemoryInfo(AllocatorTypeDevice, MemTypeDefault)
	if err != nil {
		return err
	}
	defer info.Close()
	return s.call("sparse tensor", func(p *C.OrtValue, m *memory) *C.OrtStatus {
		data := unsafe.Pointer(first(values))
		if texts, areTexts := any(values).([]string); areTexts {
			data = unsafe.Pointer(m.texts(texts))
		}
		return f(p, info.pointer, data)
	})
}

// FillCOO copies values and their positions in row-major order, or their pairs of row and column.
func (s *SparseTensor[T]) FillCOO(values []T, indices []int64) error {
	shape := []int64{int64(len(values))}
	return s.fill(values, func(p *C.OrtValue, info *C.OrtMemoryInfo, v unsafe.Pointer) *C.OrtStatus {
		return C.OrtFillSparseTensorCoo(p, info, cShape(shape), 1, v, cShape(indices),
			C.size_t(len(indices)))
	})
}

// FillCSR copies values of a matrix, their columns, and where each row starts, with the end.
func (s *SparseTensor[T]) FillCSR(values []T, columns, rows []int64) error {
	shape := []int64{int64(len(values))}
	return s.fill(values, func(p *C.OrtValue, info *C.OrtMemoryInfo, v unsafe.Pointer) *C.OrtStatus {
		return C.OrtFillSparseTensorCsr(p, info, cShape(shape), 1, v, cShape(columns),
			C.size_t(len(columns)), cShape(rows), C.size_t(len(rows)))
	})
}

// FillBlocks copies blocks of values, by their shape, and their coordinates, by theirs.
func (s *SparseTensor[T]) FillBlocks(values []T, shape []int64, indices []int32,
	indicesShape []int64) error {
	if count(shape) != int64(len(values)) || count(indicesShape) != int64(len(indices)) {
		return invalid("%d values and %d indices do not fill the shapes %v and %v", len(values),
			len(indices), shape, indicesShape)
	}
	return s.fill(values, func(p *C.OrtValue, info *C.OrtMemoryInfo, v unsafe.Pointer) *C.OrtStatus {
		return C.OrtFillSparseTensorBlockSparse(p, info, cShape(shape), C.size_t(len(shape)), v,
			cShape(indicesShape), C.size_t(len(indicesShape)),
			(*C.int32_t)(unsafe.Pointer(first(indices))))
	})
}

func count(shape []int64) int64 {
	return (&TensorInfo{HasShape: true, Shape: shape}).ElementCount()
}

// UseCOO sets positions, or pairs of coordinates, in the memory of a tensor.
func (s *SparseTensor[T]) UseCOO(indices *Tensor[int64]) error {
	hold, data, err := indices.share()
	if err != nil {
		return err
	}
	s.keep(hold)
	return s.ask(func(p *C.OrtValue) *C.OrtStatus {
		return C.OrtUseCooIndices(p, (*C.int64_t)(data), C.size_t(len(indices.elements)))
	})
}

// UseCSR sets columns and row starts, in the memory of tensors.
func (s *SparseTensor[T]) UseCSR(columns, rows *Tensor[int64]) error {
	holdColumns, inner, err := columns.share()
	if err != nil {
		return err
	}
	holdRows, outer, err := rows.share()
	if err != nil {
		return err
	}
	s.keep(holdColumns, holdRows)
	return s.ask(func(p *C.OrtValue) *C.OrtStatus {
		return C.OrtUseCsrIndices(p, (*C.int64_t)(inner), C.size_t(len(columns.elements)),
			(*C.int64_t)(outer), C.size_t(len(rows.elements)))
	})
}

// UseBlocks sets the coordinates of blocks, in the memory of a tensor.
func (s *SparseTensor[T]) UseBlocks(indices *Tensor[int32]) error {
	hold, data, err := indices.share()
	if err != nil {
		return err
	}
	s.keep(hold)
	shape := indices.Shape()
	return s.ask(func(p *C.OrtValue) *C.OrtStatus {
		return C.OrtUseBlockSparseIndices(p, cShape(shape), C.size_t(len(shape)), (*C.int32_t)(data))
	})
}

// Format tells how the places are given; SparseFormatUndefined before they were.
func (s *SparseTensor[T]) Format() SparseFormat {
	var format C.enum_OrtSparseFormat
	must(s.ask(func(p *C.OrtValue) *C.OrtStatus { return C.OrtGetSparseTensorFormat(p, &format) }))
	return SparseFormat(format)
}

// ValuesInfo gives element type and shape of the values.
func (s *SparseTensor[T]) ValuesInfo() (*TensorInfo, error) {
	var info *C.OrtTensorTypeAndShapeInfo
	err := s.ask(func(p *C.OrtValue) *C.OrtStatus {
		return C.OrtGetSparseTensorValuesTypeAndShape(p, &info)
	})
	if err != nil {
		return nil, err
	}
	return takeTensorInfo(info)
}

// Values shows the values, for reading; they live as long as the tensor. Texts are copied.
func (s *SparseTensor[T]) Values() ([]T, error) {
	if _, areTexts := any([]T(nil)).([]string); areTexts {
		texts, err := s.Strings()
		return any(texts).([]T), err
	}
	info, err := s.ValuesInfo()
	if err != nil {
		return nil, err
	}
	var data unsafe.Pointer
	err = s.ask(func(p *C.OrtValue) *C.OrtStatus { return C.OrtGetSparseTensorValues(p, &data) })
	if err != nil || data == nil {
		return nil, err
	}
	return unsafe.Slice((*T)(data), int(info.ElementCount())), nil
}

// IndicesInfo gives element type and shape of one of the parts that say where the values belong.
func (s *SparseTensor[T]) IndicesInfo(part SparseIndicesFormat) (*TensorInfo, error) {
	var info *C.OrtTensorTypeAndShapeInfo
	err := s.ask(func(p *C.OrtValue) *C.OrtStatus {
		return C.OrtGetSparseTensorIndicesTypeShape(p, C.enum_OrtSparseIndicesFormat(part), &info)
	})
	if err != nil {
		return nil, err
	}
	return takeTensorInfo(info)
}

// Indices copies one of the parts that say where the values belong.
func (s *SparseTensor[T]) Indices(part SparseIndicesFormat) (indices []int64, err error) {
	err = s.ask(func(p *C.OrtValue) *C.OrtStatus {
		var size C.size_t
		var data unsafe.Pointer
		status := C.OrtGetSparseTensorIndices(p, C.enum_OrtSparseIndicesFormat(part), &size, &data)
		if status != nil || size == 0 {
			return status
		}
		if part != SparseIndicesFormatBlockSparseIndices {
			indices = append(indices, unsafe.Slice((*int64)(data), int(size))...)
			return nil
		}
		for _, index := range unsafe.Slice((*int32)(data), int(size)) {
			indices = append(indices, int64(index))
		}
		return nil
	})
	return indices, err
}
