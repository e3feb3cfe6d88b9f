// SPDX-License-Identifier: MIT

// Command operators runs a model made in memory with an operator of the program.
package main

import (
	"context"
	"fmt"
	"log"

	ortc "github.com/ortc/ortc/bindings/go"
)

// docs: begin
// leaky is y = x where that is positive, else slope * x.
var leaky = ortc.Operator{
	Name:    "Leaky",
	Inputs:  []ortc.Formal{{Type: ortc.ElementTypeFloat}},
	Outputs: []ortc.Formal{{Type: ortc.ElementTypeFloat}},
	NewKernel: func(info *ortc.KernelInfo) (ortc.Kernel, error) {
		slope, err := ortc.AttributeOr(info, "slope", float32(0.01))
		return leakyKernel{slope}, err
	},
	InferShapes: func(node *ortc.ShapeInferContext) error {
		same, err := node.Input(0)
		if err != nil {
			return err
		}
		return node.SetOutput(0, same)
	},
}

// leakyKernel is made for each node, with what its attributes say.
type leakyKernel struct{ slope float32 }

func (k leakyKernel) Compute(call *ortc.KernelContext) error {
	x, err := ortc.InputOf[float32](call, 0)
	if err != nil {
		return err
	}
	y, err := ortc.OutputOf[float32](call, 0, x.Shape()...)
	if err != nil {
		return err
	}
	to := y.Data()
	for i, from := range x.Data() {
		if from > 0 {
			to[i] = from
		} else {
			to[i] = k.slope * from
		}
	}
	return nil
}

func knowingLeaky() (*ortc.SessionOptions, error) {
	options, err := ortc.NewSessionOptions()
	if err != nil {
		return nil, err
	}
	return options, options.AddOperators("samples", leaky)
}

// docs: end

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func model() *ortc.Model {
	m := must(ortc.NewModel(map[string]int{"": 17, "samples": 1}))
	floats := ortc.TensorType(ortc.ElementTypeFloat, 4)
	check(m.SetInputs(ortc.ValueInfo{Name: "x", Type: floats}))
	check(m.SetOutputs(ortc.ValueInfo{Name: "y", Type: floats}))
	check(m.AddNode(ortc.NodeSpec{Operator: "Leaky", Domain: "samples", Inputs: []string{"x"},
		Outputs: []string{"y"}, Attributes: map[string]any{"slope": float32(0.5)}}))
	return m
}

func main() {
	ctx := context.Background()
	env := must(ortc.NewEnv("operators"))
	defer env.Close()
	options := must(knowingLeaky())
	defer options.Close()
	m := model()
	defer m.Close()
	session := must(ortc.NewSessionFromModel(ctx, env, m, options))
	defer session.Close()
	x := must(ortc.NewTensorFrom([]float32{-2, -1, 1, 2}))
	defer x.Close()
	outputs := must(session.Run(ctx, ortc.Values{"x": x}))
	defer outputs.Close()
	fmt.Println(must(ortc.TensorOf[float32](outputs["y"])).Data())
}
