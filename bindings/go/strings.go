// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import (
	"strings"
	"unsafe"
)

// NewStringTensor makes a tensor of strings. Without a shape it has one dimension.
func NewStringTensor(texts []string, shape ...int64) (*Value, error) {
	if len(shape) == 0 {
		shape = []int64{int64(len(texts))}
	}
	v, err := NewTensorOfType(ElementTypeString, shape...)
	if err != nil {
		return nil, err
	}
	if err := v.SetStrings(texts); err != nil {
		_ = v.Close()
		return nil, err
	}
	return v, nil
}

// SetStrings sets all elements of a tensor of strings.
func (v *Value) SetStrings(texts []string) error {
	for _, text := range texts {
		if strings.IndexByte(text, 0) >= 0 {
			return v.setEach(texts)
		}
	}
	return v.call("value", func(p *C.OrtValue, m *memory) *C.OrtStatus {
		list := m.texts(texts)
		if list == nil {
			list = (**C.char)(m.block(unsafe.Sizeof(uintptr(0))))
		}
		return C.OrtFillStringTensor(p, list, C.size_t(len(texts)))
	})
}

// setEach is for texts that C would cut off: those with zero bytes.
func (v *Value) setEach(texts []string) error {
	info, err := v.TensorInfo()
	if err != nil {
		return err
	}
	if info.ElementCount() != int64(len(texts)) {
		return invalid("%d texts do not fill the shape %v", len(texts), info.Shape)
	}
	for i, text := range texts {
		if err := v.SetString(i, text); err != nil {
			return err
		}
	}
	return nil
}

// SetString sets one element of a tensor of strings, by its place in row-major order.
func (v *Value) SetString(index int, text string) error {
	if index < 0 {
		return invalid("the index %d is negative", index)
	}
	return v.call("value", func(p *C.OrtValue, m *memory) *C.OrtStatus {
		if strings.IndexByte(text, 0) < 0 {
			return C.OrtFillStringTensorElement(p, m.text(text), C.size_t(index))
		}
		var buffer *C.char
		status := C.OrtGetResizedStringTensorElementBuffer(p, C.size_t(index), C.size_t(len(text)),
			&buffer)
		if status == nil {
			copy(unsafe.Slice((*byte)(unsafe.Pointer(buffer)), len(text)), text)
		}
		return status
	})
}

// Strings copies the elements of a tensor of strings, dense or sparse.
func (v *Value) Strings() (texts []string, err error) {
	err = v.ask(func(p *C.OrtValue) *C.OrtStatus {
		var size C.size_t
		if status := C.OrtGetStringTensorDataLength(p, &size); status != nil {
			return status
		}
		count, status := countStrings(p)
		if status != nil || count == 0 {
			texts = []string{}
			return status
		}
		data, offsets := make([]byte, int(size)+1), make([]C.size_t, count)
		status = C.OrtGetStringTensorContent(p, unsafe.Pointer(&data[0]), size, &offsets[0],
			C.size_t(count))
		if status == nil {
			texts = cut(string(data[:int(size)]), offsets)
		}
		return status
	})
	return texts, err
}

func countStrings(p *C.OrtValue) (int, *C.OrtStatus) {
	var info *C.OrtTensorTypeAndShapeInfo
	var sparse C.int
	var count C.size_t
	status := C.OrtIsSparseTensor(p, &sparse)
	if status == nil && sparse == 1 {
		status = C.OrtGetSparseTensorValuesTypeAndShape(p, &info)
	} else if status == nil {
		status = C.OrtGetTensorTypeAndShape(p, &info)
	}
	if status == nil {
		status = C.OrtGetTensorShapeElementCount(info, &count)
		C.OrtReleaseTensorTypeAndShapeInfo(info)
	}
	return int(count), status
}

// cut divides a text where its parts begin.
func cut(text string, offsets []C.size_t) []string {
	parts := make([]string, len(offsets))
	for i, begin := range offsets {
		end := len(text)
		if i+1 < len(offsets) {
			end = int(offsets[i+1])
		}
		parts[i] = text[int(begin):end]
	}
	return parts
}

// StringAt copies one element of a tensor of strings, by its place in row-major order.
func (v *Value) StringAt(index int) (text string, err error) {
	if index < 0 {
		return "", invalid("the index %d is negative", index)
	}
	err = v.ask(func(p *C.OrtValue) *C.OrtStatus {
		var size C.size_t
		status := C.OrtGetStringTensorElementLength(p, C.size_t(index), &size)
		if status != nil {
			return status
		}
		data := make([]byte, int(size)+1)
		status = C.OrtGetStringTensorElement(p, size, C.size_t(index), unsafe.Pointer(&data[0]))
		text = string(data[:int(size)])
		return status
	})
	return text, err
}
