// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

// EagerOperator is an operator that the library has, with its attributes, for kernels to call: make
// it in NewKernel, close it in the kernel's Close. Any number of goroutines may invoke it.
type EagerOperator struct {
	object[*C.OrtOp]
}

// EagerSpec describes an operator for NewEagerOperator.
type EagerSpec struct {
	Operator string
	Domain   string // "" is ONNX's own
	Version  int    // the opset version whose rules hold
	// Attributes by name, of the types that NodeSpec says.
	Attributes map[string]any
	// Inputs and Outputs are how many each call gives and takes.
	Inputs, Outputs int
}

// NewEagerOperator makes an operator. It fails with ErrNotImplemented for one that is not there.
func NewEagerOperator(info *KernelInfo, spec EagerSpec) (*EagerOperator, error) {
	for noun, number := range map[string]int{"version": spec.Version,
		"number of inputs": spec.Inputs, "number of outputs": spec.Outputs} {
		if err := fitsInt(noun, number); err != nil {
			return nil, err
		}
	}
	var pointer *C.OrtOp
	err := info.ask(func(p *C.OrtKernelInfo, m *memory) *C.OrtStatus {
		attributes, err := newAttributes(spec.Attributes, m)
		defer func() {
			for _, attribute := range attributes {
				C.OrtReleaseOpAttr(attribute) // the operator has copies
			}
		}()
		if err != nil {
			return newStatus(err)
		}
		return C.OrtCreateOp(p, m.text(spec.Operator), m.text(spec.Domain), C.int(spec.Version),
			nil, nil, 0, first(attributes), C.int(len(attributes)), C.int(spec.Inputs),
			C.int(spec.Outputs), &pointer)
	})
	if err != nil {
		return nil, err
	}
	o := &EagerOperator{}
	o.own(pointer, func(p *C.OrtOp) { C.OrtReleaseOp(p) })
	return o, nil
}

// Close gives the operator back; closing twice is fine.
func (o *EagerOperator) Close() error {
	if o == nil {
		return nil
	}
	return o.close()
}

// Invoke computes, as part of a call. nil is an input that is left out, or an output that is not
// wanted; outputs are tensors of the right type and shape, which are filled.
func (o *EagerOperator) Invoke(call *KernelContext, inputs, outputs []AnyValue) error {
	if o == nil || call == nil {
		return invalid("the operator or its call is nil")
	}
	given, endInputs, err := useOptional(inputs)
	if err != nil {
		return err
	}
	defer endInputs()
	filled, endOutputs, err := useOptional(outputs)
	if err != nil {
		return err
	}
	defer endOutputs()
	p, err := o.begin("operator")
	if err != nil {
		return err
	}
	defer o.end()
	return call.ask(func(context *C.OrtKernelContext) *C.OrtStatus {
		return C.OrtInvokeOp(context, p, first(given), C.int(len(given)), first(filled),
			C.int(len(filled)))
	})
}

// useOptional is useValues for a list in which nil stands for none.
func useOptional(list []AnyValue) ([]*C.OrtValue, func(), error) {
	there := make([]AnyValue, 0, len(list))
	for _, value := range list {
		if value != nil {
			there = append(there, value)
		}
	}
	used, end, err := useValues(there)
	if err != nil {
		return nil, nil, err
	}
	pointers := make([]*C.OrtValue, len(list))
	for i, value := range list {
		if value != nil {
			pointers[i], used = used[0], used[1:]
		}
	}
	return pointers, end, nil
}
