// SPDX-License-Identifier: MIT

package tests

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	ortc "github.com/ortc/ortc/bindings/go"
)

func checkType[T interface {
	ortc.Element
	comparable
}](t *testing.T, one, two T) {
	t.Helper()
	kind := ortc.ElementTypeOf[T]()
	same := computing("Same", giveSame)
	same.Inputs, same.Outputs = []ortc.Formal{{Type: kind}}, []ortc.Formal{{Type: kind}}
	m := modelWith(t, 1, []ortc.ValueInfo{valueOf("x", kind, 2)},
		[]ortc.ValueInfo{valueOf("y", kind, 2)}, mine("Same", []string{"x"}, []string{"y"}))
	x := closing(t, need(ortc.NewTensorFrom([]T{one, two})))
	y := give(t, load(t, m, knowing(t, same)), x)
	equalLists(t, need(ortc.TensorOf[T](y)).Data(), []T{one, two})
}

func TestOperatorsTakeElementsOfEveryType(t *testing.T) {
	checkType[float32](t, 0.5, -1.5)
	checkType[float64](t, 0.5, -1.5)
	checkType[int8](t, -128, 127)
	checkType[int16](t, -32768, 32767)
	checkType[int32](t, -1<<31, 1<<31-1)
	checkType[int64](t, -1<<63, 1<<63-1)
	checkType[uint8](t, 1, 255)
	checkType[uint16](t, 1, 65535)
	checkType[uint32](t, 1, 1<<32-1)
	checkType[uint64](t, 1, 1<<64-1)
	checkType(t, true, false)
	checkType[ortc.Float16](t, 0x3c00, 0xc000)
	checkType[ortc.BFloat16](t, 0x3f80, 0xc000)
}

func TestOperatorsTakeTexts(t *testing.T) {
	join := computing("Join", func(call *ortc.KernelContext) error {
		x, err := call.Input(0)
		if err != nil {
			return err
		}
		texts, err := x.Strings()
		if err != nil {
			return err
		}
		y, err := call.Output(0)
		if err != nil {
			return err
		}
		return y.SetString(0, strings.Join(texts, "-"))
	})
	text := ortc.Formal{Type: ortc.ElementTypeString}
	join.Inputs, join.Outputs = []ortc.Formal{text}, []ortc.Formal{text}
	m := modelWith(t, 1, []ortc.ValueInfo{valueOf("x", text.Type, -1)},
		[]ortc.ValueInfo{valueOf("y", text.Type)}, mine("Join", []string{"x"}, []string{"y"}))
	x := closing(t, need(ortc.NewStringTensor([]string{"a", "ü", "c\x00d"})))
	y := give(t, load(t, m, knowing(t, join)), x)
	equalLists(t, need(y.Strings()), []string{"a-ü-c\x00d"})
}

func TestOutputOfAnyTypeHasThatOfTheInput(t *testing.T) {
	same := computing("Same", giveSame)
	same.Inputs, same.Outputs = []ortc.Formal{{}}, []ortc.Formal{{}}
	kind := ortc.ElementTypeInt16
	m := modelWith(t, 1, []ortc.ValueInfo{valueOf("x", kind, 1)},
		[]ortc.ValueInfo{valueOf("y", kind, 1)}, mine("Same", []string{"x"}, []string{"a"}),
		plain("Identity", "a", "y"))
	x := closing(t, need(ortc.NewTensorFrom([]int16{7})))
	equal(t, give(t, load(t, m, knowing(t, same)), x).ElementType(), kind)
}

func TestOperatorsTakeSequences(t *testing.T) {
	count := computing("Count", func(call *ortc.KernelContext) error {
		x, err := call.Input(0)
		if err != nil {
			return err
		}
		elements, err := x.Parts()
		if err != nil {
			return err
		}
		return giveFloats(call, float32(len(elements)))
	})
	count.Inputs = []ortc.Formal{{}}
	list := ortc.NodeSpec{Operator: "SequenceConstruct", Inputs: []string{"x", "x"},
		Outputs: []string{"list"}}
	m := modelWith(t, 1, []ortc.ValueInfo{floatsOf("x")}, []ortc.ValueInfo{floatsOf("y")}, list,
		mine("Count", []string{"list"}, []string{"y"}))
	session := load(t, m, knowing(t, count))
	equalLists(t, floatsIn(t, give(t, session, three(t))), []float32{2})
}

func TestOptionalValuesMayBeLeftOut(t *testing.T) {
	count := computing("Count", func(call *ortc.KernelContext) error {
		given := float32(0)
		for i := 0; i < 3; i++ {
			value, err := call.OptionalInput(i)
			if err != nil {
				return err
			}
			if value != nil {
				given++
			}
		}
		for i := 0; i < 2; i++ {
			value, err := call.OptionalOutput(i, 1)
			if err != nil {
				return err
			}
			if value == nil {
				continue
			}
			y, err := ortc.TensorOf[float32](value)
			if err != nil {
				return err
			}
			y.Data()[0] = given + 10*float32(i)
		}
		return nil
	})
	maybe := ortc.Formal{Type: ortc.ElementTypeFloat, Kind: ortc.Optional}
	count.Inputs = []ortc.Formal{float, maybe, maybe}
	count.Outputs = []ortc.Formal{maybe, maybe}
	options := knowing(t, count)
	for _, one := range []struct {
		inputs, outputs []string
		expected        float32
	}{
		{[]string{"x"}, []string{"y"}, 1},
		{[]string{"x", "x"}, []string{"y"}, 2},
		{[]string{"x", "", "x"}, []string{"y"}, 2},
		{[]string{"x", "x", "x"}, []string{"", "y"}, 13},
	} {
		m := modelWith(t, 1, []ortc.ValueInfo{floatsOf("x")}, []ortc.ValueInfo{floatsOf("y")},
			mine("Count", one.inputs, one.outputs))
		equal(t, floatsIn(t, give(t, load(t, m, options), three(t)))[0], one.expected)
	}
}

func TestVariadicValuesAreAsManyAsTheNodeHas(t *testing.T) {
	spread := computing("Spread", func(call *ortc.KernelContext) error {
		inputs, err := call.InputCount()
		if err != nil {
			return err
		}
		outputs, err := call.OutputCount()
		for i := 0; i < outputs && err == nil; i++ {
			var y *ortc.Tensor[float32]
			if y, err = ortc.OutputOf[float32](call, i, 1); err == nil {
				y.Data()[0] = float32(10*inputs + i)
			}
		}
		return err
	})
	spread.Inputs = []ortc.Formal{{Kind: ortc.Variadic, AtLeast: -1, Mixed: true}}
	spread.Outputs = []ortc.Formal{{Type: ortc.ElementTypeFloat, Kind: ortc.Variadic}}
	options := knowing(t, spread)
	m := modelWith(t, 1, []ortc.ValueInfo{floatsOf("x"), valueOf("i", ortc.ElementTypeInt64, 1)},
		[]ortc.ValueInfo{floatsOf("y"), floatsOf("z")},
		mine("Spread", []string{"x", "i", "x"}, []string{"y", "z"}))
	i := closing(t, need(ortc.NewTensorFrom([]int64{1})))
	outputs := need(load(t, m, options).Run(background, ortc.Values{"x": three(t), "i": i}))
	equalLists(t, floatsIn(t, outputs["y"]), []float32{30})
	equalLists(t, floatsIn(t, outputs["z"]), []float32{31})
	none := modelWith(t, 1, nil, []ortc.ValueInfo{floatsOf("y")}, mine("Spread", nil, []string{"y"}))
	outputs = need(load(t, none, options).Run(background, nil))
	equalLists(t, floatsIn(t, outputs["y"]), []float32{0})
}

func TestShapesAreInferredBeforeARun(t *testing.T) {
	same := computing("Same", giveSame)
	same.InferShapes = func(node *ortc.ShapeInferContext) error {
		if count, err := node.InputCount(); count != 1 || err != nil {
			return wrong("%d inputs, %v", count, err)
		}
		if nothing, err := node.Attribute("nothing"); nothing != nil || err != nil {
			return wrong("nothing is %v, %v", nothing, err)
		}
		times, err := node.Attribute("times")
		if err != nil {
			return err
		}
		info, err := node.Input(0)
		if err != nil {
			return err
		}
		info.Shape = append(info.Shape, times.(int64))
		return node.SetOutput(0, info)
	}
	unknown := ortc.ValueInfo{Name: "y", Type: &ortc.TypeInfo{Kind: ortc.ValueTypeTensor,
		Tensor: &ortc.TensorInfo{ElementType: ortc.ElementTypeFloat}}}
	node := mine("Same", []string{"x"}, []string{"y"})
	node.Attributes = map[string]any{"times": 5}
	m := modelWith(t, 1, []ortc.ValueInfo{valueOf("x", ortc.ElementTypeFloat, 3)},
		[]ortc.ValueInfo{unknown}, node)
	session := load(t, m, knowing(t, same))
	equalLists(t, session.Outputs()[0].Type.Tensor.Shape, []int64{3, 5})
}

func TestOverloadsDifferInTypesAndVersions(t *testing.T) {
	which := func(number float32, kind ortc.ElementType, first, last int) ortc.Operator {
		op := computing("Which", func(call *ortc.KernelContext) error {
			return giveFloats(call, number)
		})
		op.Inputs, op.FirstVersion, op.LastVersion = []ortc.Formal{{Type: kind}}, first, last
		return op
	}
	options := knowing(t, which(1, ortc.ElementTypeFloat, 0, 1), which(2, ortc.ElementTypeInt64, 1, 1))
	ok(t, options.AddOperators("mine", which(3, ortc.ElementTypeFloat, 2, 0)))
	whole := closing(t, need(ortc.NewTensorFrom([]int64{1})))
	for _, one := range []struct {
		version  int
		x        ortc.AnyValue
		expected float32
	}{{1, three(t), 1}, {1, whole, 2}, {2, three(t), 3}, {7, three(t), 3}} {
		kind := ortc.ElementTypeFloat
		if one.x == ortc.AnyValue(whole) {
			kind = ortc.ElementTypeInt64
		}
		m := modelWith(t, one.version, []ortc.ValueInfo{valueOf("x", kind, -1)},
			[]ortc.ValueInfo{floatsOf("y")}, mine("Which", []string{"x"}, []string{"y"}))
		equalLists(t, floatsIn(t, give(t, load(t, m, options), one.x)), []float32{one.expected})
	}
}

func TestModelsWithOperatorsAreCompiled(t *testing.T) {
	env, options := newEnv(t), newOptions(t, "AOT")
	ok(t, options.AddOperators("mine", computing("Same", giveSame)))
	compiler := closing(t, need(ortc.NewModelCompiler(env, options)))
	output := filepath.Join(t.TempDir(), "sandwich_ctx.onnx")
	ok(t, compiler.InputModel(sandwich(t, "Same")).CompileToFile(background, output))
	session := newSession(t, env, output, options)
	equalLists(t, floatsIn(t, give(t, session, three(t))), []float32{-1, -2, -3})
	_, err := ortc.NewSession(background, env, output, newOptions(t, "AOT"))
	isTrue(t, err != nil && strings.Contains(err.Error(), "mine.Same"), fmt.Sprint(err))
}
