// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import (
	"unsafe"
)

// Attribute is a Go type of attributes that kernels read; tensors: KernelInfo.TensorAttribute.
type Attribute interface {
	int64 | float32 | string | []int64 | []float32 | []string
}

// AttributeOf reads an attribute of the node that a kernel is made for. It fails with ErrFail when
// the node has none of that name and type.
func AttributeOf[T Attribute](info *KernelInfo, name string) (value T, err error) {
	err = info.readAttribute(name, &value)
	return value, err
}

// AttributeOr reads an attribute that the node may do without: it has a default then. One of
// another type is an error.
func AttributeOr[T Attribute](info *KernelInfo, name string, otherwise T) (T, error) {
	value, err := AttributeOf[T](info, name)
	if err != nil && !info.HasAttribute(name) {
		return otherwise, nil
	}
	return value, err
}

// HasAttribute says whether the node has an attribute of that name, of any type that can be read.
func (i *KernelInfo) HasAttribute(name string) bool {
	for _, value := range []any{new(int64), new(float32), new(string), new([]int64), new([]float32),
		new([]string)} {
		if i.readAttribute(name, value) == nil {
			return true
		}
	}
	tensor, err := i.TensorAttribute(name)
	_ = tensor.Close()
	return err == nil
}

// TensorAttribute copies a tensor. Close it.
func (i *KernelInfo) TensorAttribute(name string) (*Value, error) {
	var value *C.OrtValue
	err := i.ask(func(p *C.OrtKernelInfo, m *memory) *C.OrtStatus {
		return C.OrtKernelInfoGetAttribute_tensor(p, m.text(name), defaultAllocator(), &value)
	})
	if err != nil {
		return nil, err
	}
	return newValue(value), nil
}

// readAttribute fills what `value` points to.
func (i *KernelInfo) readAttribute(name string, value any) error {
	return i.ask(func(p *C.OrtKernelInfo, m *memory) *C.OrtStatus {
		n := m.text(name)
		switch v := value.(type) {
		case *int64:
			return C.OrtKernelInfoGetAttribute_int64(p, n, (*C.int64_t)(unsafe.Pointer(v)))
		case *float32:
			return C.OrtKernelInfoGetAttribute_float(p, n, (*C.float)(unsafe.Pointer(v)))
		case *[]int64:
			return readList(v, func(out *int64, size *C.size_t) *C.OrtStatus {
				list := (*C.int64_t)(unsafe.Pointer(out))
				return C.OrtKernelInfoGetAttributeArray_int64(p, n, list, size)
			})
		case *[]float32:
			return readList(v, func(out *float32, size *C.size_t) *C.OrtStatus {
				list := (*C.float)(unsafe.Pointer(out))
				return C.OrtKernelInfoGetAttributeArray_float(p, n, list, size)
			})
		case *string:
			var bytes []byte
			status := readList(&bytes, func(out *byte, size *C.size_t) *C.OrtStatus {
				text := (*C.char)(unsafe.Pointer(out))
				return C.OrtKernelInfoGetAttribute_string(p, n, text, size)
			})
			if len(bytes) > 0 {
				*v = string(bytes[:len(bytes)-1]) // without the end mark
			}
			return status
		default:
			return readTexts(p, n, value.(*[]string))
		}
	})
}

// readList reads a list that a function copies, which is asked first for its size.
func readList[T any](list *[]T, copyList func(*T, *C.size_t) *C.OrtStatus) *C.OrtStatus {
	var size C.size_t
	if status := copyList(nil, &size); status != nil || size == 0 {
		return status
	}
	*list = make([]T, int(size))
	return copyList(&(*list)[0], &size)
}

func readTexts(p *C.OrtKernelInfo, name *C.char, texts *[]string) *C.OrtStatus {
	var list **C.char
	var count C.size_t
	status := C.OrtKernelInfoGetAttributeArray_string(p, name, defaultAllocator(), &list, &count)
	if status != nil {
		return status
	}
	for _, text := range unsafe.Slice(list, int(count)) {
		*texts = append(*texts, takeText(text))
	}
	C.OrtAllocatorFree(defaultAllocator(), unsafe.Pointer(list))
	return nil
}
