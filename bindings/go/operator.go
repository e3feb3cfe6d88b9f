// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"runtime/cgo"
	"unsafe"
)

// Operator is an operator of the program, for SessionOptions.AddOperators.
//
// A node means the operator of its domain and name that was made for its opset version and for the
// types of its inputs. Several operators of one name are overloads: they have as many inputs and
// outputs, and differ in types or in versions. An operator of a name that ONNX has replaces that
// one in the sessions that know it.
//
// An error of a function fails the session or the run, and stands behind its error (errors.Is,
// errors.As). A panic becomes an error, too: runs may be on threads of the library.
type Operator struct {
	Name    string
	Inputs  []Formal
	Outputs []Formal
	// FirstVersion and LastVersion are the opset versions of its domain that it is for. 0: from the
	// first, and to the last that there will be.
	FirstVersion, LastVersion int
	// ExecutionProvider runs it; "": the CPU's.
	ExecutionProvider string
	// NewKernel makes what computes a node, when a session is made; from any thread.
	NewKernel func(info *KernelInfo) (Kernel, error)
	// InferShapes says types and shapes of outputs before a run. nil: shapes are unknown then, and
	// an output of any type has that of the first input of any type.
	InferShapes func(node *ShapeInferContext) error
}

// Kernel computes a node: made with a session, it ends with it. One that is an io.Closer is closed
// then. Compute may be called from any number of threads at once.
type Kernel interface {
	Compute(call *KernelContext) error
}

// KernelFunc is a kernel that is a function.
type KernelFunc func(call *KernelContext) error

// Compute calls the function.
func (f KernelFunc) Compute(call *KernelContext) error { return f(call) }

// FormalKind says whether an input or output must be there.
type FormalKind int

// Kinds of inputs and outputs.
const (
	Required FormalKind = iota
	Optional            // a node may leave it out
	Variadic            // any number of values, as the last one only
)

// Formal is an input or output that an operator declares.
type Formal struct {
	// Type of the elements. ElementTypeUndefined, the zero value: an input takes any value, also a
	// sequence; an output is a tensor of the type that InferShapes says, or the model.
	Type ElementType
	Kind FormalKind
	// AtLeast is how many values a variadic one has. 0 means 1; a negative number: it may have none.
	AtLeast int
	// Mixed lets the values of a variadic one be of different types.
	Mixed bool
}

// AddOperators makes operators known to the sessions and compiles with these options, under the
// name that nodes have for their domain; "" is ONNX's own. They live as long as the last of them.
// What is wrong with a declaration is said when a session is made.
func (o *SessionOptions) AddOperators(domain string, operators ...Operator) error {
	var pointer *C.OrtCustomOpDomain
	err := withMemory(func(m *memory) *C.OrtStatus {
		return C.OrtCreateCustomOpDomain(m.text(domain), &pointer)
	})
	if err != nil {
		return err
	}
	defer C.OrtReleaseCustomOpDomain(pointer)
	owned := make([]any, 0, len(operators))
	for _, operator := range operators {
		own, err := newOperator(operator)
		if err != nil {
			return err
		}
		owned = append(owned, own)
		if err := check(C.ortc_add_operator(pointer, own.pointer)); err != nil {
			return err
		}
	}
	err = o.change(func(p *C.OrtSessionOptions, _ *memory) *C.OrtStatus {
		return C.OrtAddCustomOpDomain(p, pointer)
	})
	if err == nil {
		o.keep(owned...)
	}
	return err
}

// ownOperator is what C has of an operator. It goes with the last object that could use it.
type ownOperator struct {
	pointer  *C.OrtcGoOperator
	state    cgo.Handle
	failures *failures
}

// registered is what the functions below find.
type registered struct {
	Operator
	failures *failures
}

func newOperator(operator Operator) (*ownOperator, error) {
	if operator.NewKernel == nil {
		return nil, invalid("the operator %q has no NewKernel", operator.Name)
	}
	for _, text := range []string{operator.Name, operator.ExecutionProvider} {
		if withoutZeros(text) != text {
			return nil, invalid("the text %q has a zero byte, which C would take for its end", text)
		}
	}
	own := &ownOperator{failures: &failures{}}
	own.state = cgo.NewHandle(&registered{operator, own.failures})
	own.pointer = C.ortc_new_operator(C.uintptr_t(own.state), flag(operator.InferShapes != nil))
	if own.pointer == nil {
		own.state.Delete()
		return nil, ErrRuntimeException
	}
	runtime.SetFinalizer(own, (*ownOperator).free)
	p := own.pointer
	p.name = C.CString(operator.Name)
	if operator.ExecutionProvider != "" {
		p.provider = C.CString(operator.ExecutionProvider)
	}
	p.first_version, p.last_version = 1, math.MaxInt32
	if operator.FirstVersion != 0 {
		p.first_version = C.int(operator.FirstVersion)
	}
	if operator.LastVersion != 0 {
		p.last_version = C.int(operator.LastVersion)
	}
	if !declare(&p.inputs, operator.Inputs) || !declare(&p.outputs, operator.Outputs) {
		return nil, ErrRuntimeException
	}
	return own, nil
}

// declare copies one side of an operator to C; false when memory is short.
func declare(side *C.OrtcGoSide, formals []Formal) bool {
	side.least, side.is_of_one_type = 1, 1
	array := C.ortc_new_formals(side, C.size_t(len(formals)))
	if array == nil {
		return false
	}
	for i, formal := range formals {
		unsafe.Slice(array, len(formals))[i] = C.OrtcGoFormal{
			C.ONNXTensorElementDataType(formal.Type),
			C.OrtCustomOpInputOutputCharacteristic(formal.Kind)}
	}
	if len(formals) != 0 {
		last := formals[len(formals)-1]
		side.is_of_one_type = flag(!last.Mixed)
		if last.AtLeast < 0 {
			side.least = 0
		} else if last.AtLeast > 0 {
			side.least = C.int(last.AtLeast)
		}
	}
	return true
}

func (o *ownOperator) free() {
	o.state.Delete()
	C.ortc_free_operator(o.pointer)
}

// resolveOperators puts the error of an operator behind that of the library.
func resolveOperators(kept []any, err error) error {
	if err == nil {
		return nil
	}
	for _, thing := range kept {
		if own, is := thing.(*ownOperator); is {
			if resolved := own.failures.resolve(err); resolved != err {
				return resolved
			}
		}
	}
	return err
}

// guardOperator calls a function of an operator. A panic is an error: nobody may be there for it.
func (f *failures) guardOperator(name string, call func() error) (status *C.OrtStatus) {
	defer func() {
		if found := recover(); found != nil {
			text := fmt.Sprintf("%s panicked: %v", name, found)
			status = f.remember(&Error{Code: ErrorCodeFail, Message: text}, nil)
		}
	}()
	if err := call(); err != nil {
		return f.remember(err, nil)
	}
	return nil
}

// madeKernel is what C has of a kernel.
type madeKernel struct {
	kernel   Kernel
	name     string
	failures *failures
}

//export ortcGoCreateKernel
func ortcGoCreateKernel(state C.uintptr_t, info *C.OrtKernelInfo,
	out *C.uintptr_t) *C.OrtStatus {
	operator := cgo.Handle(state).Value().(*registered)
	return operator.failures.guardOperator(operator.Name, func() error {
		shown := &KernelInfo{}
		shown.pointer = info
		defer shown.Close()
		kernel, err := operator.NewKernel(shown)
		if err != nil {
			return err
		}
		if kernel == nil {
			return invalid("%s: NewKernel gave nil", operator.Name)
		}
		made := &madeKernel{kernel, operator.Name, operator.failures}
		*out = C.uintptr_t(cgo.NewHandle(made))
		return nil
	})
}

//export ortcGoCompute
func ortcGoCompute(state C.uintptr_t, context *C.OrtKernelContext) *C.OrtStatus {
	made := cgo.Handle(state).Value().(*madeKernel)
	return made.failures.guardOperator(made.name, func() error {
		call := &KernelContext{}
		call.pointer = context
		defer call.over()
		return made.kernel.Compute(call)
	})
}

//export ortcGoDestroyKernel
func ortcGoDestroyKernel(state C.uintptr_t) {
	made := cgo.Handle(state).Value().(*madeKernel)
	cgo.Handle(state).Delete()
	closer, isCloser := made.kernel.(io.Closer)
	if !isCloser {
		return
	}
	defer func() { _ = recover() }() // there is nobody to tell
	_ = closer.Close()
}

//export ortcGoInferShapes
func ortcGoInferShapes(state C.uintptr_t, context *C.OrtShapeInferContext) *C.OrtStatus {
	operator := cgo.Handle(state).Value().(*registered)
	return operator.failures.guardOperator(operator.Name, func() error {
		node := &ShapeInferContext{}
		node.pointer = context
		defer node.close()
		return operator.InferShapes(node)
	})
}
