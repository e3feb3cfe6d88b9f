// SPDX-License-Identifier: MIT

package tests

import (
	"errors"
	"io/fs"
	"testing"

	ortc "github.com/ortc/ortc/bindings/go"
)

// loadError is the error of a load with an operator.
func loadError(t testing.TB, operator ortc.Operator) error {
	t.Helper()
	session, err := ortc.NewSessionFromModel(background, newEnv(t), sandwich(t, "Bad"),
		knowing(t, operator))
	if err == nil {
		closing(t, session)
		t.Fatal("the session was made")
	}
	return err
}

// runError is the error of a run with a kernel.
func runError(t testing.TB, compute ortc.KernelFunc) error {
	t.Helper()
	session := load(t, sandwich(t, "Bad"), knowing(t, computing("Bad", compute)))
	_, err := session.Run(background, ortc.Values{"x": three(t)})
	return err
}

// picky is an error of the program.
type picky struct{ reason string }

func (p *picky) Error() string { return "picky: " + p.reason }

func TestErrorsOfOperatorsComeBack(t *testing.T) {
	refuse := func(*ortc.KernelInfo) (ortc.Kernel, error) { return nil, &picky{"create"} }
	err := loadError(t, making("Bad", refuse))
	var found *picky
	isTrue(t, errors.As(err, &found) && found.reason == "create", err.Error())
	fails(t, err, ortc.ErrFail, "picky: create")

	err = runError(t, func(*ortc.KernelContext) error { return &picky{"compute"} })
	isTrue(t, errors.As(err, &found) && found.reason == "compute", err.Error())
	fails(t, err, ortc.ErrFail, "custom")

	infer := computing("Bad", giveSame)
	infer.InferShapes = func(*ortc.ShapeInferContext) error { return &picky{"infer"} }
	err = loadError(t, infer)
	isTrue(t, errors.As(err, &found) && found.reason == "infer", err.Error())

	err = runError(t, func(*ortc.KernelContext) error {
		return &ortc.Error{Code: ortc.ErrorCodeNoModel, Message: "no weights for this"}
	})
	fails(t, err, ortc.ErrNoModel, "no weights for this")
	err = runError(t, func(*ortc.KernelContext) error { return fs.ErrPermission })
	fails(t, err, fs.ErrPermission, "permission")
}

func TestErrorsOfOperatorsComeBackFromEveryKindOfRun(t *testing.T) {
	refuse := computing("Bad", func(*ortc.KernelContext) error { return &picky{"run"} })
	options := knowing(t, refuse)
	ok(t, options.SetIntraOpNumThreads(2))
	session := load(t, sandwich(t, "Bad"), options)
	var found *picky
	result := need(session.RunAsync(background, nil, ortc.Values{"x": three(t)}))
	err := (<-result).Err
	isTrue(t, errors.As(err, &found), err.Error())
	binding := closing(t, need(session.NewIoBinding()))
	ok(t, binding.BindInput("x", three(t)))
	ok(t, binding.BindOutput("y", three(t)))
	err = binding.Run(background, nil)
	isTrue(t, errors.As(err, &found), err.Error())
	err = session.RunInto(background, nil, ortc.Values{"x": three(t)}, ortc.Values{"y": three(t)})
	isTrue(t, errors.As(err, &found), err.Error())
}

func TestPanicsOfOperatorsAreErrors(t *testing.T) {
	create := making("Bad", func(*ortc.KernelInfo) (ortc.Kernel, error) { panic("at create") })
	fails(t, loadError(t, create), ortc.ErrFail, "Bad panicked: at create")
	fails(t, runError(t, func(*ortc.KernelContext) error { panic("at compute") }), ortc.ErrFail,
		"Bad panicked: at compute")
	fails(t, runError(t, func(*ortc.KernelContext) error {
		var none []int
		_ = none[len(none)]
		return nil
	}), ortc.ErrFail, "index out of range")
	infer := computing("Bad", giveSame)
	infer.InferShapes = func(*ortc.ShapeInferContext) error { panic("at infer") }
	fails(t, loadError(t, infer), ortc.ErrFail, "panicked: at infer")
	loop := func(body func(int) error) ortc.KernelFunc {
		return func(call *ortc.KernelContext) error { return call.ParallelFor(100, 0, body) }
	}
	fails(t, runError(t, loop(func(int) error { panic("in the loop") })), ortc.ErrFail,
		"a loop panicked: in the loop")
	err := runError(t, loop(func(int) error { return &picky{"loop"} }))
	var found *picky
	isTrue(t, errors.As(err, &found), err.Error())
	fails(t, runError(t, loop(nil)), ortc.ErrInvalidArgument, "nil")
}

type bomb struct{ ortc.KernelFunc }

func (bomb) Close() error { panic("at close") }

func TestKernelWhoseClosePanicsHarmsNothing(t *testing.T) {
	op := making("Bad", func(*ortc.KernelInfo) (ortc.Kernel, error) { return bomb{giveSame}, nil })
	session := load(t, sandwich(t, "Bad"), knowing(t, op))
	give(t, session, three(t))
	ok(t, session.Close())
}

func TestSessionRunsAgainAfterAFailureOfAKernel(t *testing.T) {
	op := computing("Bad", func(call *ortc.KernelContext) error {
		x, err := ortc.InputOf[float32](call, 0)
		if err == nil && x.Data()[0] > 1 {
			err = &picky{"too much"}
		}
		if err != nil {
			return err
		}
		return giveSame(call)
	})
	session := load(t, sandwich(t, "Bad"), knowing(t, op))
	for i := 0; i < 200; i++ {
		_, err := session.Run(background, ortc.Values{"x": floats(t, []float32{2, 2})})
		fails(t, err, ortc.ErrFail, "too much")
		give(t, session, three(t))
	}
}

func TestDeclarationsThatMakeNoSenseAreRefused(t *testing.T) {
	options := newOptions(t)
	fails(t, options.AddOperators("mine", ortc.Operator{Name: "Bad"}), ortc.ErrInvalidArgument,
		"no NewKernel")
	fails(t, options.AddOperators("mine", computing("a\x00b", giveSame)), ortc.ErrInvalidArgument,
		"zero byte")
	fails(t, options.AddOperators("a\x00b"), ortc.ErrInvalidArgument, "zero byte")
	ok(t, options.Close())
	fails(t, options.AddOperators("mine", computing("Bad", giveSame)), ortc.ErrClosed, "closed")
	fails(t, (*ortc.SessionOptions)(nil).AddOperators("mine"), ortc.ErrInvalidArgument, "nil")

	fails(t, loadError(t, computing("", giveSame)), ortc.ErrInvalidArgument, "no name")
	first := computing("Bad", giveSame)
	first.Inputs = []ortc.Formal{{Type: float.Type, Kind: ortc.Variadic}, float}
	fails(t, loadError(t, first), ortc.ErrInvalidArgument, "Only the last input")
	kind := computing("Bad", giveSame)
	kind.Inputs = []ortc.Formal{{Type: float.Type, Kind: 7}}
	fails(t, loadError(t, kind), ortc.ErrInvalidArgument, "characteristic 7")
	versions := computing("Bad", giveSame)
	versions.FirstVersion, versions.LastVersion = 4, 3
	fails(t, loadError(t, versions), ortc.ErrInvalidArgument, "4 to 3")
	twice, later := newOptions(t), computing("Bad", giveSame)
	later.FirstVersion = 2
	ok(t, twice.AddOperators("mine", computing("Bad", giveSame), later))
	_, err := ortc.NewSessionFromModel(background, newEnv(t), sandwich(t, "Bad"), twice)
	fails(t, err, ortc.ErrInvalidArgument, "take the same types")
	none := func(*ortc.KernelInfo) (ortc.Kernel, error) { return nil, nil }
	fails(t, loadError(t, making("Bad", none)), ortc.ErrInvalidArgument, "NewKernel gave nil")
}

func TestNodesThatNoOperatorFitsAreNamed(t *testing.T) {
	_, err := ortc.NewSessionFromModel(background, newEnv(t), sandwich(t, "Nowhere"), newOptions(t))
	fails(t, err, ortc.ErrNotImplemented, "mine.Nowhere")
	whole := computing("Bad", giveSame)
	whole.Inputs = []ortc.Formal{{Type: ortc.ElementTypeInt64}}
	fails(t, loadError(t, whole), ortc.ErrInvalidGraph, "expected int64")
	later := computing("Bad", giveSame)
	later.FirstVersion, later.LastVersion = 2, 5
	fails(t, loadError(t, later), ortc.ErrInvalidGraph, "expected 2 to 5")
	elsewhere := computing("Bad", giveSame)
	elsewhere.ExecutionProvider = "NobodyExecutionProvider"
	fails(t, loadError(t, elsewhere), ortc.ErrNotImplemented, "NobodyExecutionProvider")
}

func TestMistakesInACallAreErrors(t *testing.T) {
	mistake := func(code error, part string, compute ortc.KernelFunc) {
		t.Helper()
		fails(t, runError(t, compute), code, part)
	}
	invalid := ortc.ErrInvalidArgument
	mistake(invalid, "shape", func(call *ortc.KernelContext) error {
		if _, err := call.Output(0, 3); err != nil {
			return err
		}
		_, err := call.Output(0, 4)
		return err
	})
	mistake(invalid, "not", func(call *ortc.KernelContext) error {
		_, err := ortc.OutputOf[int64](call, 0, 3)
		return err
	})
	mistake(invalid, "not", func(call *ortc.KernelContext) error {
		_, err := ortc.InputOf[float64](call, 0)
		return err
	})
	mistake(invalid, "output 0 cannot have the shape", func(call *ortc.KernelContext) error {
		_, err := call.Output(0, -3)
		return err
	})
	mistake(invalid, "output 7", func(call *ortc.KernelContext) error {
		_, err := call.Output(7, 3)
		return err
	})
	mistake(invalid, "input 7", func(call *ortc.KernelContext) error {
		_, err := call.Input(7)
		return err
	})
	mistake(invalid, "", func(call *ortc.KernelContext) error {
		_, err := call.Input(-1)
		return err
	})
	mistake(invalid, "nil", func(call *ortc.KernelContext) error {
		var none *ortc.EagerOperator
		return none.Invoke(call, nil, nil)
	})
	missing := making("Bad", func(info *ortc.KernelInfo) (ortc.Kernel, error) {
		_, err := ortc.AttributeOf[float32](info, "factor")
		return nil, err
	})
	fails(t, loadError(t, missing), ortc.ErrFail, "'factor'")
	shape := computing("Bad", giveSame)
	shape.InferShapes = func(node *ortc.ShapeInferContext) error { return node.SetOutput(0, nil) }
	fails(t, loadError(t, shape), invalid, "nil")
}

func TestUseAfterTheCallIsRefused(t *testing.T) {
	var info *ortc.KernelInfo
	var call *ortc.KernelContext
	var value, constant *ortc.Value
	op := making("Same", func(given *ortc.KernelInfo) (ortc.Kernel, error) {
		info = given
		constant, _ = given.ConstantInput(1)
		return ortc.KernelFunc(func(c *ortc.KernelContext) error {
			call = c
			value, _ = c.Input(0)
			return giveSame(c)
		}), nil
	})
	op.Inputs = []ortc.Formal{float, float}
	m := modelWith(t, 1, []ortc.ValueInfo{floatsOf("x")}, []ortc.ValueInfo{floatsOf("y")},
		mine("Same", []string{"x", "w"}, []string{"y"}))
	ok(t, m.AddInitializer("w", floats(t, []float32{4})))
	give(t, load(t, m, knowing(t, op)), three(t))
	_, err := info.NodeName()
	fails(t, err, ortc.ErrClosed, "closed")
	_, err = call.Input(0)
	fails(t, err, ortc.ErrClosed, "closed")
	_, err = value.Bytes()
	fails(t, err, ortc.ErrClosed, "closed")
	_, err = constant.Bytes()
	fails(t, err, ortc.ErrClosed, "closed")
}
