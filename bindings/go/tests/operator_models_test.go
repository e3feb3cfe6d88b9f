// SPDX-License-Identifier: MIT

package tests

import (
	"fmt"
	"testing"

	ortc "github.com/ortc/ortc/bindings/go"
)

// Operators of the domain "mine", and models made in memory that use them.

var float = ortc.Formal{Type: ortc.ElementTypeFloat}

// computing is an operator "y = f(x)" on floats, unless a test changes it.
func computing(name string, compute ortc.KernelFunc) ortc.Operator {
	return making(name, func(*ortc.KernelInfo) (ortc.Kernel, error) { return compute, nil })
}

func making(name string,
	newKernel func(*ortc.KernelInfo) (ortc.Kernel, error)) ortc.Operator {
	return ortc.Operator{Name: name, Inputs: []ortc.Formal{float}, Outputs: []ortc.Formal{float},
		NewKernel: newKernel}
}

// giveSame copies input 0 to output 0, of any type.
func giveSame(call *ortc.KernelContext) error {
	x, err := call.Input(0)
	if err != nil {
		return err
	}
	y, err := call.Output(0, x.Shape()...)
	if err != nil {
		return err
	}
	if x.ElementType() == ortc.ElementTypeString {
		texts, err := x.Strings()
		if err != nil {
			return err
		}
		return y.SetStrings(texts)
	}
	from, err := x.Bytes()
	if err != nil {
		return err
	}
	to, err := y.Bytes()
	copy(to, from)
	return err
}

// giveFloats fills output 0 with numbers.
func giveFloats(call *ortc.KernelContext, numbers ...float32) error {
	y, err := ortc.OutputOf[float32](call, 0, int64(len(numbers)))
	if err != nil {
		return err
	}
	copy(y.Data(), numbers)
	return nil
}

// need is for what cannot fail here.
func need[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func wrong(format string, arguments ...any) error { return fmt.Errorf(format, arguments...) }

func knowing(t testing.TB, operators ...ortc.Operator) *ortc.SessionOptions {
	options := newOptions(t)
	ok(t, options.AddOperators("mine", operators...))
	return options
}

func valueOf(name string, element ortc.ElementType, shape ...int64) ortc.ValueInfo {
	return ortc.ValueInfo{Name: name, Type: ortc.TensorType(element, shape...)}
}

func floatsOf(name string) ortc.ValueInfo { return valueOf(name, ortc.ElementTypeFloat, -1) }

func mine(operator string, inputs, outputs []string) ortc.NodeSpec {
	return ortc.NodeSpec{Operator: operator, Domain: "mine", Name: "custom", Inputs: inputs,
		Outputs: outputs}
}

func plain(operator, input, output string) ortc.NodeSpec {
	return ortc.NodeSpec{Operator: operator, Inputs: []string{input}, Outputs: []string{output}}
}

func modelWith(t testing.TB, version int, inputs, outputs []ortc.ValueInfo,
	nodes ...ortc.NodeSpec) *ortc.Model {
	t.Helper()
	m := closing(t, need(ortc.NewModel(map[string]int{"": 17, "mine": version})))
	ok(t, m.SetInputs(inputs...))
	ok(t, m.SetOutputs(outputs...))
	for _, node := range nodes {
		ok(t, m.AddNode(node))
	}
	return m
}

// sandwich is x -> Abs -> mine.<operator> -> Neg -> y, on floats.
func sandwich(t testing.TB, operator string) *ortc.Model {
	t.Helper()
	return modelWith(t, 1, []ortc.ValueInfo{floatsOf("x")}, []ortc.ValueInfo{floatsOf("y")},
		plain("Abs", "x", "a"), mine(operator, []string{"a"}, []string{"b"}), plain("Neg", "b", "y"))
}

func load(t testing.TB, m *ortc.Model, options *ortc.SessionOptions) *ortc.Session {
	t.Helper()
	return closing(t, need(ortc.NewSessionFromModel(background, newEnv(t), m, options)))
}

// give runs a model of one input, "x", and gives "y".
func give(t testing.TB, session *ortc.Session, x ortc.AnyValue) *ortc.Value {
	t.Helper()
	return closing(t, need(session.Run(background, ortc.Values{"x": x}))["y"])
}

func three(t testing.TB) *ortc.Tensor[float32] { return floats(t, []float32{-1, 2, -3}) }
