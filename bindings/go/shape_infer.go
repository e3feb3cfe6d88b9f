// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import "errors"

// ShapeInferContext is a node whose shapes are inferred. It is closed when InferShapes returns.
type ShapeInferContext struct {
	object[*C.OrtShapeInferContext]
}

// InputCount counts the inputs of the node, those that it leaves out included.
func (s *ShapeInferContext) InputCount() (int, error) {
	var count C.size_t
	err := s.call("context", func(p *C.OrtShapeInferContext, _ *memory) *C.OrtStatus {
		return C.OrtShapeInferContext_GetInputCount(p, &count)
	})
	return int(count), err
}

// Input tells type and shape of an input as far as they are known. One that is left out or not a
// tensor has elements of ElementTypeUndefined.
func (s *ShapeInferContext) Input(index int) (info *TensorInfo, err error) {
	if s == nil {
		return nil, isNil("context")
	}
	p, err := s.begin("context")
	if err != nil {
		return nil, err
	}
	defer s.end()
	var borrowed *C.OrtTensorTypeAndShapeInfo
	err = check(C.OrtShapeInferContext_GetInputTypeShape(p, C.size_t(index), &borrowed))
	if err != nil {
		return nil, err
	}
	return goTensorInfo(borrowed)
}

// Attribute copies an attribute of the node: an int64, []int64, float32, []float32, string or
// []string; nil when there is none of that name.
func (s *ShapeInferContext) Attribute(name string) (value any, err error) {
	if s == nil {
		return nil, isNil("context")
	}
	p, err := s.begin("context")
	if err != nil {
		return nil, err
	}
	defer s.end()
	var attribute *C.OrtOpAttr
	err = withMemory(func(m *memory) *C.OrtStatus {
		return C.OrtShapeInferContext_GetAttribute(p, m.text(name), &attribute)
	})
	if errors.Is(err, ErrInvalidArgument) && withoutZeros(name) == name {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return (&OpAttr{pointer: attribute}).Value()
}

// SetOutput says type and shape of an output. ElementTypeUndefined leaves the declared type.
func (s *ShapeInferContext) SetOutput(index int, info *TensorInfo) error {
	if info == nil {
		return invalid("the type is nil")
	}
	return s.call("context", func(p *C.OrtShapeInferContext, m *memory) *C.OrtStatus {
		made, err := info.newC(m)
		if err != nil {
			return newStatus(err)
		}
		defer C.OrtReleaseTensorTypeAndShapeInfo(made)
		return C.OrtShapeInferContext_SetOutputTypeShape(p, C.size_t(index), made)
	})
}
