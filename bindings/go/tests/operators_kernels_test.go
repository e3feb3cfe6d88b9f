// SPDX-License-Identifier: MIT

package tests

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	ortc "github.com/ortc/ortc/bindings/go"
)

func TestKernelHasAStateFromAttributes(t *testing.T) {
	scale := making("Scale", func(info *ortc.KernelInfo) (ortc.Kernel, error) {
		factor, err := ortc.AttributeOf[float32](info, "factor")
		return ortc.KernelFunc(func(call *ortc.KernelContext) error {
			x, err := ortc.InputOf[float32](call, 0)
			if err != nil {
				return err
			}
			y, err := ortc.OutputOf[float32](call, 0, x.Shape()...)
			if err != nil {
				return err
			}
			for i, number := range x.Data() {
				y.Data()[i] = factor * number
			}
			return nil
		}), err
	})
	node := func(factor float32, from, to string) ortc.NodeSpec {
		return ortc.NodeSpec{Operator: "Scale", Domain: "mine", Inputs: []string{from},
			Outputs: []string{to}, Attributes: map[string]any{"factor": factor}}
	}
	m := modelWith(t, 1, []ortc.ValueInfo{floatsOf("x")}, []ortc.ValueInfo{floatsOf("y")},
		node(2, "x", "a"), node(5, "a", "y"))
	session := load(t, m, knowing(t, scale))
	equalLists(t, floatsIn(t, give(t, session, three(t))), []float32{-10, 20, -30})
}

func TestAttributesOfEveryKindAreRead(t *testing.T) {
	read := func(info *ortc.KernelInfo) error {
		whole, err1 := ortc.AttributeOf[int64](info, "whole")
		number, err2 := ortc.AttributeOf[float32](info, "number")
		text, err3 := ortc.AttributeOf[string](info, "text")
		wholes, err4 := ortc.AttributeOf[[]int64](info, "wholes")
		numbers, err5 := ortc.AttributeOf[[]float32](info, "numbers")
		texts, err6 := ortc.AttributeOf[[]string](info, "texts")
		for _, err := range []error{err1, err2, err3, err4, err5, err6} {
			if err != nil {
				return err
			}
		}
		found := fmt.Sprintf("%v %v %q %v %v %q", whole, number, text, wholes, numbers, texts)
		if found != `7 0.5 "über" [1 2 3] [0.25 4] ["one" "" "three"]` {
			return wrong("found %s", found)
		}
		tensor, err := info.TensorAttribute("tensor")
		if err != nil {
			return err
		}
		defer tensor.Close()
		if fmt.Sprint(tensor.Shape()) != "[2 3]" {
			return wrong("the tensor has the shape %v", tensor.Shape())
		}
		if absent, err := ortc.AttributeOr(info, "nothing", int64(9)); absent != 9 || err != nil {
			return wrong("the default: %v, %v", absent, err)
		}
		if _, err := ortc.AttributeOr(info, "text", int64(9)); err == nil {
			return wrong("another type is not a mistake")
		}
		if !info.HasAttribute("tensor") || info.HasAttribute("nothing") {
			return wrong("HasAttribute is wrong")
		}
		return nil
	}
	attributes := making("Attributes", func(info *ortc.KernelInfo) (ortc.Kernel, error) {
		return ortc.KernelFunc(giveSame), read(info)
	})
	session := newSession(t, newEnv(t), model(t, "attributes.onnx"), knowing(t, attributes))
	equalLists(t, floatsIn(t, give(t, session, three(t))), []float32{-1, 2, -3})
}

func TestKernelIsToldOfItsNode(t *testing.T) {
	var kept *ortc.KernelInfo
	look := func(info *ortc.KernelInfo) error {
		name, err1 := info.NodeName()
		operator, err2 := info.OperatorType()
		domain, err3 := info.Domain()
		version, err4 := info.SinceVersion()
		inputs, err5 := info.InputCount()
		outputs, err6 := info.OutputCount()
		input, err7 := info.InputName(1)
		output, err8 := info.OutputName(0)
		inputType, err9 := info.InputType(0)
		outputType, err10 := info.OutputType(0)
		found := fmt.Sprintln(name, operator, domain, version, inputs, outputs, input, output, inputType,
			outputType, err1, err2, err3, err4, err5, err6, err7, err8, err9, err10)
		expected := fmt.Sprintln("custom", "Same", "mine", 1, 2, 1, "w", "y", "tensor(float)[-1]",
			"tensor(float)[-1]", nil, nil, nil, nil, nil, nil, nil, nil, nil, nil)
		if found != expected {
			return wrong("found %s, expected %s", found, expected)
		}
		if _, err := info.InputType(9); !errors.Is(err, ortc.ErrInvalidArgument) {
			return wrong("input 9: %v", err)
		}
		if x, err := info.ConstantInput(0); x != nil || err != nil {
			return wrong("input 0 is constant: %v, %v", x, err)
		}
		logger, err := info.Logger()
		if err == nil {
			err = logger.Log(ortc.LoggingLevelVerbose, "made", "operators_test.go", 1, "look")
		}
		if err != nil {
			return err
		}
		allocator, err := info.NewAllocator(ortc.MemTypeDefault)
		if err != nil {
			return err
		}
		defer allocator.Close()
		entries, err := info.ConfigEntries()
		if err != nil || entries["session.intra_op.allow_spinning"] != "0" {
			return wrong("entries %v, %v", entries, err)
		}
		kept, err = info.Copy()
		return err
	}
	same := making("Same", func(info *ortc.KernelInfo) (ortc.Kernel, error) {
		return ortc.KernelFunc(giveSame), look(info)
	})
	same.Inputs = []ortc.Formal{float, float}
	options := knowing(t, same)
	ok(t, options.Set("session.intra_op.allow_spinning", "0"))
	m := modelWith(t, 1, []ortc.ValueInfo{floatsOf("x")}, []ortc.ValueInfo{floatsOf("y")},
		mine("Same", []string{"x", "w"}, []string{"y"}))
	ok(t, m.AddInitializer("w", floats(t, []float32{4})))
	session := load(t, m, options)
	give(t, session, three(t))
	ok(t, session.Close())
	constant := need(kept.ConstantInput(1))
	equalLists(t, floatsIn(t, constant), []float32{4})
	ok(t, kept.Close())
	ok(t, kept.Close())
}

func TestCallHasMemoryThreadsAndALog(t *testing.T) {
	memory := closing(t, need(ortc.NewCPUMemoryInfo(ortc.AllocatorTypeDevice, ortc.MemTypeDefault)))
	sum := computing("Sum", func(call *ortc.KernelContext) error {
		allocator, err := call.NewAllocator(memory)
		if err != nil {
			return err
		}
		defer allocator.Close()
		one, err1 := call.Scratch(memory, 8)
		two, err2 := call.Scratch(memory, 8)
		if err1 != nil || err2 != nil || &one[0] == &two[0] {
			return wrong("scratch: %v, %v", err1, err2)
		}
		if _, err := call.Scratch(memory, -1); !errors.Is(err, ortc.ErrInvalidArgument) {
			return wrong("scratch of -1 bytes: %v", err)
		}
		logger, err := call.Logger()
		if err == nil {
			err = logger.Log(ortc.LoggingLevelVerbose, "sum", "operators_test.go", 1, "sum")
		}
		if err != nil {
			return err
		}
		stream, err1 := call.ComputeStream()
		sync1, err2 := call.SyncStream()
		if stream != nil || sync1 != nil || err1 != nil || err2 != nil {
			return wrong("a stream of the CPU: %v, %v", err1, err2)
		}
		if _, err := call.Resource(1, 1); !errors.Is(err, ortc.ErrInvalidArgument) {
			return wrong("a resource: %v", err)
		}
		x, err := ortc.InputOf[float32](call, 0)
		if err != nil {
			return err
		}
		var mutex sync.Mutex
		total := float32(0)
		err = call.ParallelFor(len(x.Data()), 0, func(i int) error {
			mutex.Lock()
			defer mutex.Unlock()
			total += x.Data()[i]
			return nil
		})
		if err != nil {
			return err
		}
		return giveFloats(call, total)
	})
	options := knowing(t, sum)
	ok(t, options.SetIntraOpNumThreads(3))
	numbers := make([]float32, 1000)
	for i := range numbers {
		numbers[i] = float32(i)
	}
	session := load(t, sandwich(t, "Sum"), options)
	equalLists(t, floatsIn(t, give(t, session, floats(t, numbers))), []float32{-499500})
}

func TestKernelsCallOperatorsOfONNX(t *testing.T) {
	norm := making("Norm", func(info *ortc.KernelInfo) (ortc.Kernel, error) {
		mul, err := ortc.NewEagerOperator(info,
			ortc.EagerSpec{Operator: "Mul", Version: 14, Inputs: 2, Outputs: 1})
		if err != nil {
			return nil, err
		}
		sum, err := ortc.NewEagerOperator(info, ortc.EagerSpec{Operator: "ReduceSum", Version: 13,
			Attributes: map[string]any{"keepdims": 1}, Inputs: 2, Outputs: 1})
		if err != nil {
			return nil, err
		}
		_, err = ortc.NewEagerOperator(info, ortc.EagerSpec{Operator: "Nothing", Version: 14})
		if !errors.Is(err, ortc.ErrNotImplemented) {
			return nil, wrong("Nothing: %v", err)
		}
		_, err = ortc.NewEagerOperator(info,
			ortc.EagerSpec{Operator: "Mul", Version: 14, Inputs: 1<<32 + 2, Outputs: 1})
		if !errors.Is(err, ortc.ErrInvalidArgument) {
			return nil, wrong("Mul: %v", err)
		}
		return &normKernel{mul, sum}, nil
	})
	session := load(t, sandwich(t, "Norm"), knowing(t, norm))
	equalLists(t, floatsIn(t, give(t, session, three(t))), []float32{-14})
}

// normKernel sums squares.
type normKernel struct {
	mul, sum *ortc.EagerOperator
}

func (k *normKernel) Compute(call *ortc.KernelContext) error {
	x, err := call.Input(0)
	if err != nil {
		return err
	}
	squares, err := ortc.NewTensor[float32](x.Shape()...)
	if err != nil {
		return err
	}
	defer squares.Close()
	if err := k.mul.Invoke(call, []ortc.AnyValue{x, x}, []ortc.AnyValue{squares}); err != nil {
		return err
	}
	err = k.mul.Invoke(call, []ortc.AnyValue{x}, []ortc.AnyValue{nil})
	if !errors.Is(err, ortc.ErrInvalidArgument) {
		return wrong("one input: %v", err)
	}
	y, err := call.Output(0, 1)
	if err != nil {
		return err
	}
	return k.sum.Invoke(call, []ortc.AnyValue{squares, nil}, []ortc.AnyValue{y})
}

func (k *normKernel) Close() error {
	_ = k.mul.Close()
	return k.sum.Close()
}
