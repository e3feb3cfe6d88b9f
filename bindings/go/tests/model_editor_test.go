// SPDX-License-Identifier: MIT

package tests

import (
	"os"
	"path/filepath"
	"testing"

	ortc "github.com/ortc/ortc/bindings/go"
)

func port(name string) ortc.ValueInfo {
	return ortc.ValueInfo{Name: name, Type: ortc.TensorType(ortc.ElementTypeFloat, -1, 4)}
}

// relu makes y = relu(x * weight), its nodes in the wrong order.
func relu(t *testing.T) *ortc.Model {
	t.Helper()
	m, err := ortc.NewModel(map[string]int{"": 17})
	ok(t, err)
	closing(t, m)
	ok(t, m.SetInputs(port("x")))
	ok(t, m.SetOutputs(port("y")))
	ok(t, m.AddNode(ortc.NodeSpec{Operator: "Relu", Name: "relu", Inputs: []string{"m"},
		Outputs: []string{"y"}}))
	ok(t, m.AddNode(ortc.NodeSpec{Operator: "MatMul", Inputs: []string{"x", "weight"},
		Outputs: []string{"m"}}))
	weight := make([]float32, 16)
	for i := 0; i < 4; i++ {
		weight[5*i] = 1
	}
	tensor, err := ortc.NewTensorFrom(weight, 4, 4)
	ok(t, err)
	ok(t, m.AddInitializer("weight", tensor))
	ok(t, tensor.Close())
	return m
}

func runRelu(t *testing.T, session *ortc.Session) {
	t.Helper()
	outputs, err := session.Run(background, ortc.Values{"x": floats(t, []float32{-1, 2, -3, 4}, 1, 4)})
	ok(t, err)
	defer outputs.Close()
	equalLists(t, floatsIn(t, outputs["y"]), []float32{0, 2, 0, 4})
}

func TestModelIsMadeAndRun(t *testing.T) {
	m := relu(t)
	session, err := ortc.NewSessionFromModel(background, newEnv(t), m, nil)
	ok(t, err)
	closing(t, session)
	ok(t, m.Close())
	runRelu(t, session)
	_, err = ortc.NewSessionFromModel(background, newEnv(t), m, nil)
	fails(t, err, ortc.ErrClosed, "the model is closed")
	_, err = ortc.NewSessionFromModel(background, newEnv(t), nil, nil)
	fails(t, err, ortc.ErrInvalidArgument, "nil")
}

func TestModelIsCompiled(t *testing.T) {
	env := newEnv(t)
	output := filepath.Join(t.TempDir(), "made_ctx.onnx")
	m := relu(t)
	compiler := newCompiler(t, env).InputModel(m)
	ok(t, m.Close()) // the compiler holds it open
	ok(t, compiler.CompileToFile(background, output))
	runRelu(t, newSession(t, env, output, newOptions(t, "AOT")))
}

func TestModelRefusesWhatIsWrong(t *testing.T) {
	m := relu(t)
	fails(t, m.AddNode(ortc.NodeSpec{Operator: "Relu", Name: "relu", Inputs: []string{"m"},
		Outputs: []string{"z"}}), ortc.ErrInvalidArgument, "relu")
	fails(t, m.AddNode(ortc.NodeSpec{Operator: ""}), ortc.ErrInvalidArgument, "operator_name")
	fails(t, m.SetInputs(port("")), ortc.ErrInvalidArgument, "name")
	fails(t, m.SetInputs(port("a"), port("a")), ortc.ErrInvalidArgument, "a")
	fails(t, m.SetInputs(ortc.ValueInfo{Name: "a"}), ortc.ErrInvalidArgument, "nil")
	fails(t, m.SetInputs(ortc.ValueInfo{Name: "a", Type: &ortc.TypeInfo{
		Kind: ortc.ValueTypeSequence, Element: ortc.TensorType(ortc.ElementTypeFloat)}}),
		ortc.ErrNotImplemented, "")
	fails(t, m.SetInputs(ortc.ValueInfo{Name: "a", Type: &ortc.TypeInfo{
		Kind: ortc.ValueTypeOptional, Element: ortc.TensorType(ortc.ElementTypeFloat)}}),
		ortc.ErrNotImplemented, "")
	fails(t, m.SetInputs(ortc.ValueInfo{Name: "a", Type: &ortc.TypeInfo{
		Kind: ortc.ValueTypeSparseTensor, Tensor: &ortc.TensorInfo{
			ElementType: ortc.ElementTypeFloat}}}), ortc.ErrNotImplemented, "")
	fails(t, m.AddInitializer("weight", floats(t, []float32{1})), ortc.ErrInvalidArgument, "weight")
	fails(t, m.AddInitializer("w", nil), ortc.ErrInvalidArgument, "nil")
	fails(t, m.AddSharedInitializer("w", mustFlat(t, []string{"a"})), ortc.ErrInvalidArgument,
		"string")
	fails(t, m.AddNode(ortc.NodeSpec{Operator: "a\x00"}), ortc.ErrInvalidArgument, "zero byte")
	_, err := ortc.NewModel(map[string]int{"": 0})
	fails(t, err, ortc.ErrInvalidArgument, "")
	_, err = ortc.NewModel(map[string]int{"": 1<<32 + 17})
	fails(t, err, ortc.ErrInvalidArgument, "range")
}

func TestInitializersOfAModelMayBeStrings(t *testing.T) {
	m, err := ortc.NewModel(map[string]int{"": 17})
	ok(t, err)
	closing(t, m)
	ok(t, m.SetOutputs(ortc.ValueInfo{Name: "y", Type: ortc.TensorType(ortc.ElementTypeString, 3)}))
	ok(t, m.AddNode(ortc.NodeSpec{Operator: "Identity", Inputs: []string{"x"},
		Outputs: []string{"y"}}))
	words, err := ortc.NewStringTensor([]string{"zwölf", "", "a\x00b"})
	ok(t, err)
	ok(t, m.AddInitializer("x", words))
	ok(t, words.Close())
	session, err := ortc.NewSessionFromModel(background, newEnv(t), m, nil)
	ok(t, err)
	closing(t, session)
	outputs, err := session.Run(background, nil)
	ok(t, err)
	texts, err := outputs["y"].Strings()
	ok(t, err)
	equalLists(t, texts, []string{"zwölf", "", "a\x00b"})
	ok(t, outputs.Close())
}

func TestModelUsesMemoryOfTheProgram(t *testing.T) {
	m, err := ortc.NewModel(map[string]int{"": 17})
	ok(t, err)
	closing(t, m)
	wide := ortc.TensorType(ortc.ElementTypeFloat, 64)
	wide.Tensor.Symbols = []string{""}
	ok(t, m.SetInputs(ortc.ValueInfo{Name: "x", Type: wide}))
	ok(t, m.SetOutputs(ortc.ValueInfo{Name: "y", Type: wide}))
	ok(t, m.AddNode(ortc.NodeSpec{Operator: "Add", Inputs: []string{"x", "c"},
		Outputs: []string{"y"}}))
	constant, err := ortc.NewTensor[float32](64)
	ok(t, err)
	constant.Data()[0] = 5
	ok(t, m.AddSharedInitializer("c", constant))
	ok(t, constant.Close()) // the model holds it open
	session, err := ortc.NewSessionFromModel(background, newEnv(t), m, nil)
	ok(t, err)
	closing(t, session)
	ok(t, m.Close())
	collect()
	outputs, err := session.Run(background, ortc.Values{"x": floats(t, make([]float32, 64))})
	ok(t, err)
	equal(t, floatsIn(t, outputs["y"])[0], 5)
	ok(t, outputs.Close())
}

func TestModelIsAppliedToASession(t *testing.T) {
	env := newEnv(t)
	content, err := os.ReadFile(model(t, "trivial.onnx"))
	ok(t, err)
	fromFile, err := ortc.NewModelEditorSession(background, env, model(t, "trivial.onnx"), nil)
	ok(t, err)
	fromBytes, err := ortc.NewModelEditorSessionFromBytes(background, env, content, nil)
	ok(t, err)
	for _, session := range []*ortc.Session{fromFile, fromBytes} {
		closing(t, session)
		changes, err := ortc.NewModel(map[string]int{"": 17})
		ok(t, err)
		closing(t, changes)
		ok(t, changes.SetOutputs(port("z")))
		ok(t, changes.AddNode(ortc.NodeSpec{Operator: "Neg", Inputs: []string{"y"},
			Outputs: []string{"z"}}))
		ok(t, session.ApplyModel(changes))
		fails(t, session.ApplyModel(nil), ortc.ErrInvalidArgument, "nil")
		weights, err := ortc.NewPrepackedWeights()
		ok(t, err)
		closing(t, weights)
		fails(t, session.Finalize(nil, weights), ortc.ErrNotImplemented, "")
		ok(t, session.Finalize(newOptions(t), nil))
		equal(t, session.Outputs()[0].Name, "z")
		outputs, err := session.Run(background, ortc.Values{"x": floats(t, []float32{1, 2, 3, 4}, 1, 4)})
		ok(t, err)
		equalLists(t, floatsIn(t, outputs["z"]), []float32{-2, -3, -4, -5})
		ok(t, outputs.Close())
		fails(t, session.ApplyModel(changes), ortc.ErrModelLoaded, "")
	}
}
