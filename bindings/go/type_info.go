// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import (
	"fmt"
	"strings"
	"unsafe"
)

// TypeInfo is the type of a value. It is plain data: fill one in for the model editor.
type TypeInfo struct {
	Kind       ValueType
	Denotation string      // as "IMAGE"; empty when the model gives none
	Tensor     *TensorInfo // of tensors, dense and sparse
	Key        ElementType // of maps: their keys
	Element    *TypeInfo   // elements of sequences, values of maps, content of optionals
}

// TensorInfo is element type and shape of a tensor.
type TensorInfo struct {
	ElementType ElementType
	// HasShape is false when not even the rank is known. A scalar has a shape without dimensions.
	HasShape bool
	Shape    []int64  // -1 for a dimension that is not known
	Symbols  []string // names of dimensions, empty for those without one; nil for none at all
}

// TensorType describes a dense tensor of known rank; -1 stands for a dimension that is not known.
func TensorType(element ElementType, shape ...int64) *TypeInfo {
	return &TypeInfo{Kind: ValueTypeTensor,
		Tensor: &TensorInfo{ElementType: element, HasShape: true, Shape: shape}}
}

// String gives the type as "tensor(float)[batch,3]".
func (t *TypeInfo) String() string {
	if t == nil {
		return "none"
	}
	kind := strings.ToLower(strings.TrimPrefix(t.Kind.String(), "ONNX_TYPE_"))
	switch {
	case t.Tensor != nil:
		return kind + "(" + t.Tensor.elementName() + ")" + t.Tensor.dimensions()
	case t.Kind == ValueTypeMap:
		return fmt.Sprintf("map(%s,%s)", (&TensorInfo{ElementType: t.Key}).elementName(), t.Element)
	case t.Element != nil:
		return kind + "(" + t.Element.String() + ")"
	}
	return kind
}

func (i *TensorInfo) elementName() string {
	return strings.ToLower(strings.TrimPrefix(i.ElementType.String(),
		"ONNX_TENSOR_ELEMENT_DATA_TYPE_"))
}

func (i *TensorInfo) dimensions() string {
	if !i.HasShape {
		return ""
	}
	parts := make([]string, len(i.Shape))
	for axis, size := range i.Shape {
		parts[axis] = fmt.Sprint(size)
		if size < 0 && axis < len(i.Symbols) && i.Symbols[axis] != "" {
			parts[axis] = i.Symbols[axis]
		}
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// ElementCount multiplies the dimensions: 1 for a scalar, -1 when one is not known.
func (i *TensorInfo) ElementCount() int64 {
	if !i.HasShape {
		return -1
	}
	count := int64(1)
	for _, size := range i.Shape {
		if size < 0 {
			return -1
		}
		count *= size
	}
	return count
}

// takeType copies a type and gives it back; nil for NULL.
func takeType(info *C.OrtTypeInfo) (*TypeInfo, error) {
	if info == nil {
		return nil, nil
	}
	defer C.OrtReleaseTypeInfo(info)
	return goType(info)
}

func goType(info *C.OrtTypeInfo) (*TypeInfo, error) {
	var kind C.enum_ONNXType
	if err := check(C.OrtGetOnnxTypeFromTypeInfo(info, &kind)); err != nil {
		return nil, err
	}
	t := &TypeInfo{Kind: ValueType(kind)}
	var text *C.char
	var size C.size_t
	if err := check(C.OrtGetDenotationFromTypeInfo(info, &text, &size)); err != nil {
		return nil, err
	}
	t.Denotation = C.GoStringN(text, C.int(size))
	switch t.Kind {
	case ValueTypeTensor, ValueTypeSparseTensor:
		var tensor *C.OrtTensorTypeAndShapeInfo
		if err := check(C.OrtCastTypeInfoToTensorInfo(info, &tensor)); err != nil {
			return nil, err
		}
		var err error
		t.Tensor, err = goTensorInfo(tensor)
		return t, err
	}
	return t, t.readInner(info)
}

// readInner reads what is inside a sequence, a map or an optional.
func (t *TypeInfo) readInner(info *C.OrtTypeInfo) error {
	var inner *C.OrtTypeInfo
	var err error
	switch t.Kind {
	case ValueTypeSequence:
		var sequence *C.OrtSequenceTypeInfo
		if err = check(C.OrtCastTypeInfoToSequenceTypeInfo(info, &sequence)); err == nil {
			err = check(C.OrtGetSequenceElementType(sequence, &inner))
			C.OrtReleaseSequenceTypeInfo(sequence)
		}
	case ValueTypeMap:
		var pair *C.OrtMapTypeInfo
		var key C.enum_ONNXTensorElementDataType
		if err = check(C.OrtCastTypeInfoToMapTypeInfo(info, &pair)); err == nil {
			if err = check(C.OrtGetMapKeyType(pair, &key)); err == nil {
				err = check(C.OrtGetMapValueType(pair, &inner))
			}
			t.Key = ElementType(key)
			C.OrtReleaseMapTypeInfo(pair)
		}
	case ValueTypeOptional:
		var optional *C.OrtOptionalTypeInfo
		if err = check(C.OrtCastTypeInfoToOptionalTypeInfo(info, &optional)); err == nil {
			err = check(C.OrtGetOptionalContainedTypeInfo(optional, &inner))
		}
	}
	if err != nil {
		return err
	}
	t.Element, err = takeType(inner)
	return err
}

// goTensorInfo copies a borrowed description.
func goTensorInfo(info *C.OrtTensorTypeAndShapeInfo) (*TensorInfo, error) {
	var element C.enum_ONNXTensorElementDataType
	var rank C.size_t
	if err := check(C.OrtGetTensorElementType(info, &element)); err != nil {
		return nil, err
	}
	if err := check(C.OrtGetDimensionsCount(info, &rank)); err != nil {
		return nil, err
	}
	t := &TensorInfo{ElementType: ElementType(element),
		HasShape: bool(C.OrtTensorTypeAndShape_HasShape(info)), Shape: make([]int64, int(rank))}
	if rank == 0 {
		return t, nil
	}
	err := check(C.OrtGetDimensions(info, (*C.int64_t)(unsafe.Pointer(&t.Shape[0])), rank))
	if err != nil {
		return nil, err
	}
	names := make([]*C.char, int(rank))
	if err := check(C.OrtGetSymbolicDimensions(info, &names[0], rank)); err != nil {
		return nil, err
	}
	for i, name := range names {
		if text := goText(name); text != "" {
			if t.Symbols == nil {
				t.Symbols = make([]string, len(names))
			}
			t.Symbols[i] = text
		}
	}
	return t, nil
}

// takeTensorInfo copies a description and gives it back.
func takeTensorInfo(info *C.OrtTensorTypeAndShapeInfo) (*TensorInfo, error) {
	defer C.OrtReleaseTensorTypeAndShapeInfo(info)
	return goTensorInfo(info)
}

// newC makes the library's form of a type; the caller gives it back with OrtReleaseTypeInfo().
func (t *TypeInfo) newC(m *memory) (info *C.OrtTypeInfo, err error) {
	if t == nil {
		return nil, invalid("a type is nil")
	}
	switch t.Kind {
	case ValueTypeTensor, ValueTypeSparseTensor:
		return t.newTensorC(m)
	case ValueTypeSequence, ValueTypeMap, ValueTypeOptional:
	default:
		return nil, invalid("there are no types of the kind %s to be made", t.Kind)
	}
	inner, err := t.Element.newC(m)
	if err != nil {
		return nil, err
	}
	defer C.OrtReleaseTypeInfo(inner)
	switch t.Kind {
	case ValueTypeSequence:
		err = check(C.OrtCreateSequenceTypeInfo(inner, &info))
	case ValueTypeMap:
		err = check(C.OrtCreateMapTypeInfo(C.ONNXTensorElementDataType(t.Key), inner, &info))
	default:
		err = check(C.OrtCreateOptionalTypeInfo(inner, &info))
	}
	return info, err
}

func (t *TypeInfo) newTensorC(m *memory) (info *C.OrtTypeInfo, err error) {
	if t.Tensor == nil {
		return nil, invalid("the type of a tensor lacks its TensorInfo")
	}
	tensor, err := t.Tensor.newC(m)
	if err != nil {
		return nil, err
	}
	defer C.OrtReleaseTensorTypeAndShapeInfo(tensor)
	if t.Kind == ValueTypeSparseTensor {
		err = check(C.OrtCreateSparseTensorTypeInfo(tensor, &info))
	} else {
		err = check(C.OrtCreateTensorTypeInfo(tensor, &info))
	}
	return info, err
}

// newC makes the library's form of element type and shape, which the caller gives back.
func (i *TensorInfo) newC(m *memory) (tensor *C.OrtTensorTypeAndShapeInfo, err error) {
	if err := check(C.OrtCreateTensorTypeAndShapeInfo(&tensor)); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			C.OrtReleaseTensorTypeAndShapeInfo(tensor)
		}
	}()
	err = check(C.OrtSetTensorElementType(tensor,
		C.enum_ONNXTensorElementDataType(i.ElementType)))
	if err == nil && i.HasShape {
		err = check(C.OrtSetDimensions(tensor, cShape(i.Shape), C.size_t(len(i.Shape))))
	}
	if err == nil && len(i.Symbols) > 0 {
		err = check(C.OrtSetSymbolicDimensions(tensor, m.texts(i.Symbols),
			C.size_t(len(i.Symbols))))
	}
	return tensor, err
}

func cShape(shape []int64) *C.int64_t {
	return (*C.int64_t)(unsafe.Pointer(first(shape)))
}
