// SPDX-License-Identifier: MIT

package tests

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	ortc "github.com/ortc/ortc/bindings/go"
)

func TestSessionTellsWhatTheModelTakesAndGives(t *testing.T) {
	session := newSession(t, newEnv(t), model(t, "digits.onnx"), nil)
	equal(t, session.Inputs()[0].Name, "images")
	input := session.Inputs()[0].Type
	isTrue(t, strings.HasPrefix(input.String(), "tensor(float)["), input.String())
	equal(t, input.Tensor.Shape[0], -1)
	isTrue(t, input.Tensor.Symbols[0] != "", "the free dimension has no name")
	equal(t, input.Tensor.ElementCount(), -1)
	equal(t, len(session.Outputs()), 2)
	described := newSession(t, newEnv(t), data("described.onnx"), nil)
	equal(t, len(described.Inputs()), 1)
	equal(t, described.OverridableInitializers()[0].Name, "bias")
	sums := newSession(t, newEnv(t), data("sums.onnx"), nil)
	isTrue(t, !sums.Inputs()[2].Type.Tensor.HasShape, "a tensor of unknown rank has a shape")
	equal(t, sums.Inputs()[2].Type.String(), "tensor(float)")
	foldable := newSession(t, newEnv(t), data("foldable.onnx"), nil)
	opset, err := foldable.Opset("")
	ok(t, err)
	equal(t, opset, 17)
	_, err = foldable.Opset("nobody")
	fails(t, err, ortc.ErrFail, "nobody")
}

func TestSessionTellsWhatTheModelSaysOfItself(t *testing.T) {
	metadata, err := newSession(t, newEnv(t), data("described.onnx"), nil).Metadata()
	ok(t, err)
	equal(t, metadata.Producer, "a maker")
	equal(t, metadata.GraphName, "the graph")
	equal(t, metadata.Domain, "example.org")
	equal(t, metadata.Description, "a described model")
	equal(t, metadata.GraphDescription, "adds a bias")
	equal(t, metadata.Version, 7)
	equal(t, metadata.Custom["colour"], "blue")
	equal(t, len(metadata.Custom), 2)
	metadata, err = newSession(t, newEnv(t), data("labels.onnx"), nil).Metadata()
	ok(t, err)
	equal(t, metadata.Version, math.MaxInt64)
}

func TestSessionComesFromBytesReadersAndFileSystems(t *testing.T) {
	env := newEnv(t)
	content, err := os.ReadFile(model(t, "trivial.onnx"))
	ok(t, err)
	session, err := ortc.NewSessionFromBytes(background, env, content, nil)
	ok(t, err)
	runTrivial(t, closing(t, session))
	session, err = ortc.NewSessionFromReader(background, env, bytes.NewReader(content), nil)
	ok(t, err)
	runTrivial(t, closing(t, session))
	_, err = ortc.NewSessionFromReader(background, env, iotest.ErrReader(fs.ErrPermission), nil)
	fails(t, err, fs.ErrPermission, "")
	_, err = ortc.NewSessionFromBytes(background, env, nil, nil)
	fails(t, err, ortc.ErrInvalidArgument, "")
	_, err = ortc.NewSessionFromBytes(background, env, []byte("no model"), nil)
	fails(t, err, ortc.ErrInvalidProtobuf, "")
	var archive bytes.Buffer
	writer := zip.NewWriter(&archive)
	for _, name := range []string{"digits_ctx.onnx", "digits_aot.bin"} {
		content, err := os.ReadFile(model(t, name))
		ok(t, err)
		file, err := writer.Create("models/" + name)
		ok(t, err)
		_, err = file.Write(content)
		ok(t, err)
	}
	ok(t, writer.Close())
	files, err := zip.NewReader(bytes.NewReader(archive.Bytes()), int64(archive.Len()))
	ok(t, err)
	session, err = ortc.NewSessionFS(background, env, files, "models/digits_ctx.onnx",
		newOptions(t, "AOT"))
	ok(t, err)
	closing(t, session)
	outputs, err := session.Run(background, ortc.Values{"images": floats(t, make([]float32, 64), 1, 1,
		8, 8)})
	ok(t, err)
	equal(t, len(outputs), 2)
	ok(t, outputs.Close())
	_, err = ortc.NewSessionFS(background, env, files, "models/nothing.onnx", nil)
	fails(t, err, fs.ErrNotExist, "nothing.onnx")
}

func TestSessionsPathMayHaveAnyLetters(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "Größe 日本 é")
	ok(t, os.MkdirAll(folder, 0o755))
	content, err := os.ReadFile(model(t, "trivial.onnx"))
	ok(t, err)
	path := filepath.Join(folder, "modèle.onnx")
	ok(t, os.WriteFile(path, content, 0o644))
	runTrivial(t, newSession(t, newEnv(t), path, nil))
}

func TestSessionFailsWithWhatIsWrong(t *testing.T) {
	env := newEnv(t)
	_, err := ortc.NewSession(background, env, "nowhere/é.onnx", nil)
	fails(t, err, ortc.ErrNoSuchFile, "nowhere/é.onnx")
	isTrue(t, errors.Is(err, fs.ErrNotExist), "a missing file is not fs.ErrNotExist")
	var typed *ortc.Error
	isTrue(t, errors.As(err, &typed) && typed.Code == ortc.ErrorCodeNoSuchFile, "no *Error")
	_, err = ortc.NewSession(background, env, data("unknown_operator.onnx"), nil)
	fails(t, err, ortc.ErrNotImplemented, "Mystery")
	_, err = ortc.NewSession(background, nil, "x.onnx", nil)
	fails(t, err, ortc.ErrInvalidArgument, "nil")
	_, err = ortc.NewSession(background, env, "a\x00.onnx", nil)
	fails(t, err, ortc.ErrInvalidArgument, "zero byte")
	_, err = ortc.NewSession(background, &ortc.Env{}, "x.onnx", nil)
	fails(t, err, ortc.ErrInvalidArgument, "NULL")
	var none *ortc.Session
	_, err = none.Run(background, nil)
	fails(t, err, ortc.ErrInvalidArgument, "nil")
	options := newOptions(t)
	ok(t, options.Set(ortc.KeySessionOptionsDisableModelCompile, "1"))
	ok(t, options.AddProvider("AOT", nil))
	_, err = ortc.NewSession(background, env, model(t, "trivial.onnx"), options)
	fails(t, err, ortc.ErrModelRequiresCompilation, "")
}

func TestSessionOutlivesWhatItWasMadeFrom(t *testing.T) {
	var heard lines
	env, err := ortc.NewEnv("x", ortc.WithLogger(heard.log),
		ortc.WithLoggingLevel(ortc.LoggingLevelVerbose))
	ok(t, err)
	options, err := ortc.NewSessionOptions()
	ok(t, err)
	session, err := ortc.NewSession(background, env, model(t, "trivial.onnx"), options)
	ok(t, err)
	ok(t, env.Close())
	ok(t, env.Close())
	ok(t, options.Close())
	runTrivial(t, session)
	ok(t, session.Close())
	ok(t, session.Close())
	_, err = session.Run(background, nil)
	fails(t, err, ortc.ErrClosed, "the session is closed")
	_, err = ortc.NewSession(background, env, model(t, "trivial.onnx"), nil)
	fails(t, err, ortc.ErrClosed, "environment is closed")
}

func TestRunSaysWhatDoesNotFit(t *testing.T) {
	session := newSession(t, newEnv(t), model(t, "trivial.onnx"), nil)
	x := floats(t, make([]float32, 4), 1, 4)
	_, err := session.Run(background, ortc.Values{"z": x})
	fails(t, err, ortc.ErrInvalidArgument, `no input "z"`)
	_, err = session.Run(background, nil)
	fails(t, err, ortc.ErrInvalidArgument, "x")
	_, err = session.Run(background, ortc.Values{"x": floats(t, make([]float32, 3), 1, 3)})
	fails(t, err, ortc.ErrInvalidArgument, "[1,3]")
	_, err = session.Run(background, ortc.Values{"x": mustFlat(t, []string{"a"})})
	fails(t, err, ortc.ErrInvalidArgument, "string")
	_, err = session.Run(background, ortc.Values{"x": nil})
	fails(t, err, ortc.ErrInvalidArgument, "nil")
	var none *ortc.Tensor[float32]
	_, err = session.Run(background, ortc.Values{"x": (*ortc.Value)(nil)})
	fails(t, err, ortc.ErrInvalidArgument, "nil")
	_ = none
	_, err = session.RunWith(background, nil, ortc.Values{"x": x}, "nothing")
	fails(t, err, ortc.ErrInvalidArgument, `no output "nothing"`)
	closed := floats(t, make([]float32, 4), 1, 4)
	ok(t, closed.Close())
	_, err = session.Run(background, ortc.Values{"x": closed})
	fails(t, err, ortc.ErrInvalidArgument, "closed")
}

func TestRunGivesTheOutputsThatAreNamed(t *testing.T) {
	session := newSession(t, newEnv(t), data("passing.onnx"), nil)
	outputs, err := session.RunWith(background, nil, ortc.Values{"x": floats(t, []float32{1, 2, 3})},
		"numbers", "same")
	ok(t, err)
	closing(t, outputs)
	equal(t, len(outputs), 2)
	equalLists(t, floatsIn(t, outputs["numbers"]), []float32{7, 8, 9})
	equalLists(t, floatsIn(t, outputs["same"]), []float32{1, 2, 3})
}

func TestSessionReportsAreObjects(t *testing.T) {
	options := newOptions(t, "AOT")
	ok(t, options.Set(ortc.KeySessionOptionsRecordEpGraphAssignmentInfo, "1"))
	session := newSession(t, newEnv(t), model(t, "digits_ctx.onnx"), options)
	report, err := session.Report()
	ok(t, err)
	object, err := report.Object()
	ok(t, err)
	isTrue(t, len(object) > 0, "the report is empty")
	memory, err := session.MemoryReport()
	ok(t, err)
	var sizes struct {
		Mapped int64 `json:"mapped_bytes"`
	}
	ok(t, memory.Decode(&sizes))
	isTrue(t, sizes.Mapped > 0, "nothing is mapped")
	parts, err := session.Assignment()
	ok(t, err)
	equal(t, parts[0].EpName, "AotExecutionProvider")
	isTrue(t, len(parts[0].Nodes) > 0 && parts[0].Nodes[0].OperatorType != "", "no nodes")
	plain := newSession(t, newEnv(t), model(t, "trivial.onnx"), nil)
	_, err = plain.Assignment()
	fails(t, err, ortc.ErrFail, "")
}

func TestSessionTellsWhereValuesAre(t *testing.T) {
	session := newSession(t, newEnv(t), model(t, "trivial.onnx"), nil)
	inputs, err := session.InputPlaces()
	ok(t, err)
	equal(t, inputs[0].Memory.Name(), "Cpu")
	equal(t, inputs[0].Device.EpName, "CPUExecutionProvider")
	outputs, err := session.OutputPlaces()
	ok(t, err)
	equal(t, len(outputs), 1)
	equal(t, outputs[0].Memory.Name(), "Cpu")
	unread, err := newSession(t, newEnv(t), model(t, "unread.onnx"), nil).InputPlaces()
	ok(t, err)
	isTrue(t, unread[0].Device != nil && unread[1].Device == nil, "who reads nothing has a device")
	ok(t, session.SetDynamicOptions(ortc.KeyValuePairs{
		ortc.KeyEpDynamicOptionsWorkloadType: "Efficient"}))
	fails(t, session.SetDynamicOptions(ortc.KeyValuePairs{
		ortc.KeyEpDynamicOptionsWorkloadType: "Lazy"}), ortc.ErrInvalidArgument, "Lazy")
}

func TestProfilesAreWritten(t *testing.T) {
	prefix := filepath.Join(t.TempDir(), "profile")
	options := newOptions(t)
	ok(t, options.EnableProfiling(prefix))
	ok(t, options.DisableProfiling())
	ok(t, options.EnableProfiling(prefix))
	session := newSession(t, newEnv(t), model(t, "trivial.onnx"), options)
	start, err := session.ProfilingStart()
	ok(t, err)
	isTrue(t, time.Since(start) < time.Hour, "the profile began long ago")
	runTrivial(t, session)
	name, err := session.EndProfiling()
	ok(t, err)
	isTrue(t, exists(name), name)
	name, err = session.EndProfiling()
	ok(t, err)
	equal(t, name, "")
	plain := newSession(t, newEnv(t), model(t, "trivial.onnx"), nil)
	start, err = plain.ProfilingStart()
	ok(t, err)
	isTrue(t, start.IsZero(), "there is a profile")
}

func TestProgressOfALoadIsHeardAndStopsIt(t *testing.T) {
	env := newEnv(t)
	options := newOptions(t, "AOT")
	last := ortc.Progress{}
	ok(t, options.SetLoadProgress(func(p ortc.Progress) error {
		isTrue(t, p.Fraction >= last.Fraction && p.Stage != "", "progress went back")
		last = p
		return nil
	}))
	newSession(t, env, model(t, "digits_ctx.onnx"), options)
	equal(t, last.Stage, "done")
	equal(t, last.Fraction, 1)
	enough := errors.New("that is enough")
	ok(t, options.SetLoadProgress(func(ortc.Progress) error { return enough }))
	for _, ctx := range []context.Context{background, withCancel(t)} {
		_, err := ortc.NewSession(ctx, env, model(t, "digits_ctx.onnx"), options)
		fails(t, err, enough, "that is enough")
		fails(t, err, ortc.ErrFail, "that is enough")
	}
	ok(t, options.SetLoadProgress(nil))
	newSession(t, env, model(t, "digits_ctx.onnx"), options)
}

func withCancel(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(background)
	t.Cleanup(cancel)
	return ctx
}

func TestLoadsAreCancelled(t *testing.T) {
	env := newEnv(t)
	options := newOptions(t, "AOT")
	ok(t, options.CancelLoads(true))
	_, err := ortc.NewSession(background, env, model(t, "digits.onnx"), options)
	fails(t, err, ortc.ErrModelLoadCanceled, "")
	ok(t, options.CancelLoads(false))
	newSession(t, env, model(t, "digits.onnx"), options)
	ctx, cancel := context.WithCancel(background)
	ok(t, options.SetLoadProgress(func(ortc.Progress) error {
		cancel()
		return nil
	}))
	_, err = ortc.NewSession(ctx, env, model(t, "digits.onnx"), options)
	fails(t, err, context.Canceled, "canceled")
	fails(t, err, ortc.ErrModelLoadCanceled, "canceled")
	_, err = ortc.NewSession(ctx, env, model(t, "digits.onnx"), nil)
	fails(t, err, context.Canceled, "canceled")
}

func TestPrefetchingGoesOnWhenTheContextOfTheLoadEnds(t *testing.T) {
	options := newOptions(t, "AOT")
	ok(t, options.Set(ortc.KeySessionOptionsConfigContextResidency, "prefetch"))
	ctx, cancel := context.WithCancel(background)
	session, err := ortc.NewSession(ctx, newEnv(t), model(t, "digits_ctx.onnx"), options)
	ok(t, err)
	cancel()
	closing(t, session)
	var report struct{ Prefetch struct{ State string } }
	for i := 0; i < 1000 && (i == 0 || report.Prefetch.State == "running"); i++ {
		text, err := session.MemoryReport()
		ok(t, err)
		ok(t, text.Decode(&report))
		time.Sleep(time.Millisecond)
	}
	equal(t, report.Prefetch.State, "done")
	runsAsDigits(t, session)
}

func TestNilContextNeverEnds(t *testing.T) {
	var never context.Context
	env := newEnv(t)
	session, err := ortc.NewSession(never, env, model(t, "trivial.onnx"), nil)
	ok(t, err)
	closing(t, session)
	x := ortc.Values{"x": floats(t, make([]float32, 4), 1, 4)}
	options, err := ortc.NewRunOptions()
	ok(t, err)
	closing(t, options)
	outputs, err := session.RunWith(never, options, x)
	ok(t, err)
	ok(t, outputs.Close())
	_, err = ortc.PackModel(never, "nowhere", "out", nil)
	fails(t, err, ortc.ErrNoSuchFile, "nowhere")
	fails(t, newCompiler(t, env).InputFile("nowhere.onnx").Compile(never), ortc.ErrInvalidArgument,
		"nowhere")
}

func TestPrepackedWeightsAreShared(t *testing.T) {
	env := newEnv(t)
	weights, err := ortc.NewPrepackedWeights()
	ok(t, err)
	first, err := weights.NewSession(background, env, data("layers.onnx"), nil)
	ok(t, err)
	closing(t, first)
	content, err := os.ReadFile(data("layers.onnx"))
	ok(t, err)
	second, err := weights.NewSessionFromBytes(background, env, content, nil)
	ok(t, err)
	closing(t, second)
	ok(t, weights.Close())
	outputs, err := second.Run(background, ortc.Values{"x": floats(t, make([]float32, 64), 1, 64)})
	ok(t, err)
	ok(t, outputs.Close())
	_, err = weights.NewSession(background, env, data("layers.onnx"), nil)
	fails(t, err, ortc.ErrClosed, "closed")
}

func TestBindingTiesValuesToASession(t *testing.T) {
	session := newSession(t, newEnv(t), model(t, "trivial.onnx"), nil)
	binding, err := session.NewIoBinding()
	ok(t, err)
	closing(t, binding)
	x, y := floats(t, []float32{1, 2, 3, 4}, 1, 4), floats(t, make([]float32, 4), 1, 4)
	ok(t, binding.BindInput("x", x))
	ok(t, binding.BindOutput("y", y))
	for i := 0; i < 3; i++ {
		x.Data()[0] = float32(i)
		ok(t, binding.SynchronizeInputs())
		ok(t, binding.Run(background, nil))
		ok(t, binding.SynchronizeOutputs())
		equal(t, y.Data()[0], float32(i+1))
	}
	names, err := binding.OutputNames()
	ok(t, err)
	equalLists(t, names, []string{"y"})
	outputs, err := binding.Outputs()
	ok(t, err)
	shared, err := ortc.TensorOf[float32](outputs["y"])
	ok(t, err)
	isTrue(t, &shared.Data()[0] == &y.Data()[0], "the output was copied")
	ok(t, outputs.Close())
	ok(t, binding.ClearOutputs())
	ok(t, binding.BindOutputToMemory("y", cpu(t, ortc.AllocatorTypeDevice)))
	ok(t, binding.Run(withCancel(t), nil))
	outputs, err = binding.Outputs()
	ok(t, err)
	equal(t, floatsIn(t, outputs["y"])[3], 5)
	ok(t, outputs.Close())
	ok(t, binding.ClearInputs())
	fails(t, binding.Run(background, nil), ortc.ErrInvalidArgument, "x")
	fails(t, binding.BindInput("nothing", x), ortc.ErrFail, "nothing")
	fails(t, binding.BindInput("x", nil), ortc.ErrInvalidArgument, "nil")
	fails(t, binding.BindOutputToMemory("y", nil), ortc.ErrInvalidArgument, "nil")
}
