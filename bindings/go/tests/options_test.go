// SPDX-License-Identifier: MIT

package tests

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	ortc "github.com/ortc/ortc/bindings/go"
)

func TestEntriesAreSetAndRead(t *testing.T) {
	options := newOptions(t)
	ok(t, options.Set(ortc.KeySessionOptionEpContextEnable, "0"))
	ok(t, options.Set(ortc.KeySessionOptionEpContextFilePath, "größe.onnx"))
	value, isSet, err := options.Get(ortc.KeySessionOptionEpContextFilePath)
	ok(t, err)
	isTrue(t, isSet && value == "größe.onnx", value)
	_, isSet, err = options.Get(ortc.KeySessionOptionShareEpContexts)
	ok(t, err)
	isTrue(t, !isSet, "what was not set is there")
	entries, err := options.Entries()
	ok(t, err)
	equal(t, entries[ortc.KeySessionOptionEpContextFilePath], "größe.onnx")
	equal(t, len(entries), 2)
	fails(t, options.Set("ep.context_enabel", "1"), ortc.ErrInvalidArgument, "ep.context_enable")
	fails(t, options.Set(ortc.KeySessionOptionEpContextEnable, "yes"), ortc.ErrInvalidArgument, "yes")
	fails(t, options.Set("a\x00", ""), ortc.ErrInvalidArgument, "zero byte")
}

func TestNumbersThatAreTooLargeForCAreRefused(t *testing.T) {
	const wide = 1<<32 + 1
	options := newOptions(t)
	run, err := ortc.NewRunOptions()
	ok(t, err)
	defer run.Close()
	threads, err := ortc.NewThreadingOptions()
	ok(t, err)
	defer threads.Close()
	session, err := ortc.NewSession(background, newEnv(t), model(t, "trivial.onnx"), nil)
	ok(t, err)
	defer session.Close()
	for _, err := range []error{
		options.SetIntraOpNumThreads(wide), options.SetInterOpNumThreads(wide),
		options.SetLogVerbosity(wide), run.SetLogVerbosity(wide),
		threads.SetIntraOpNumThreads(wide), threads.SetInterOpNumThreads(wide),
		session.ReleaseCapturedGraph(wide),
	} {
		fails(t, err, ortc.ErrInvalidArgument, "out of range")
	}
	_, err = ortc.NewMemoryInfo("Cpu", ortc.AllocatorTypeDevice, wide, ortc.MemTypeDefault)
	fails(t, err, ortc.ErrInvalidArgument, "out of range")
	_, err = ortc.NewArenaConfig(0, wide, -1, -1)
	fails(t, err, ortc.ErrInvalidArgument, "out of range")
}

func TestOptionsAreSetOneByOne(t *testing.T) {
	options := newOptions(t)
	ok(t, options.SetGraphOptimizationLevel(ortc.GraphOptimizationLevelEnableBasic))
	ok(t, options.SetIntraOpNumThreads(1))
	ok(t, options.SetInterOpNumThreads(1))
	ok(t, options.SetExecutionMode(ortc.ExecutionModeParallel))
	mode, err := options.ExecutionMode()
	ok(t, err)
	equal(t, mode, ortc.ExecutionModeParallel)
	for _, enabled := range []bool{true, false} {
		ok(t, options.SetMemPattern(enabled))
		reused, err := options.MemPattern()
		ok(t, err)
		equal(t, reused, enabled)
		ok(t, options.SetCPUMemArena(enabled))
		ok(t, options.SetDeterministicCompute(enabled))
	}
	ok(t, options.SetDevicePolicy(ortc.DevicePolicyPreferCPU))
	clone, err := options.Clone()
	ok(t, err)
	closing(t, clone)
	mode, err = clone.ExecutionMode()
	ok(t, err)
	equal(t, mode, ortc.ExecutionModeParallel)
	fails(t, options.SetDevicePolicy(99), ortc.ErrInvalidArgument, "99")
	fails(t, options.SetExecutionMode(99), ortc.ErrInvalidArgument, "99")
	fails(t, options.SetIntraOpNumThreads(-1), ortc.ErrInvalidArgument, "-1")
	fails(t, options.SetGraphOptimizationLevel(50), ortc.ErrInvalidArgument, "50")
	fails(t, options.AddProvider("Nobody", nil), ortc.ErrInvalidArgument, "Nobody")
	fails(t, options.AddProvider("AOT", ortc.KeyValuePairs{"colour": "red"}), ortc.ErrInvalidArgument,
		"colour")
	runTrivial(t, newSession(t, newEnv(t), model(t, "trivial.onnx"), options))
	var none *ortc.SessionOptions
	fails(t, none.Set("a", "b"), ortc.ErrInvalidArgument, "nil")
	ok(t, none.Close())
	_, err = none.Clone()
	fails(t, err, ortc.ErrInvalidArgument, "nil")
}

func TestProvidersComeFromDevices(t *testing.T) {
	env := newEnv(t)
	devices, err := env.EpDevices()
	ok(t, err)
	options := newOptions(t)
	for _, device := range devices {
		if device.EpName == "AotExecutionProvider" {
			ok(t, options.AddDevices([]*ortc.EpDevice{device}, nil))
		}
	}
	ok(t, options.Set(ortc.KeySessionOptionsRecordEpGraphAssignmentInfo, "1"))
	session := newSession(t, env, model(t, "trivial.onnx"), options)
	parts, err := session.Assignment()
	ok(t, err)
	equal(t, parts[0].EpName, "AotExecutionProvider")
	other, err := newEnv(t).EpDevices()
	ok(t, err)
	fails(t, options.AddDevices([]*ortc.EpDevice{devices[0], other[0]}, nil),
		ortc.ErrInvalidArgument, "different environments")
}

func TestDimensionsAreOverridden(t *testing.T) {
	options := newOptions(t)
	ok(t, options.OverrideDimension("n", 3))
	ok(t, options.OverrideDenotation("DATA_BATCH", 3))
	session := newSession(t, newEnv(t), data("foldable.onnx"), options)
	equalLists(t, session.Inputs()[0].Type.Tensor.Shape, []int64{3, 2})
	fails(t, options.OverrideDimension("n", -5), ortc.ErrInvalidArgument, "-5")
}

func TestOptimisedModelIsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "optimised.onnx")
	options := newOptions(t)
	ok(t, options.SetOptimizedModelPath(path))
	newSession(t, newEnv(t), data("foldable.onnx"), options)
	isTrue(t, exists(path), "there is no file")
}

// weights of weights_elsewhere.onnx: y = x * weight + bias.
func elsewhere() []byte {
	var content bytes.Buffer
	_ = binary.Write(&content, binary.LittleEndian, []float32{1, 2, 3, 4, 10, 20})
	return content.Bytes()
}

func runElsewhere(t *testing.T, session *ortc.Session) {
	t.Helper()
	outputs, err := session.Run(background, ortc.Values{"x": floats(t, []float32{1, 1}, 1, 2)})
	ok(t, err)
	defer outputs.Close()
	equalLists(t, floatsIn(t, outputs["y"]), []float32{14, 26})
}

func TestExternalWeightsComeFromTheProgram(t *testing.T) {
	env := newEnv(t)
	options := newOptions(t)
	ok(t, options.AddExternalInitializerFiles(map[string][]byte{"weights.bin": elsewhere()}))
	ok(t, options.AddExternalInitializerFiles(nil))
	runElsewhere(t, newSession(t, env, data("weights_elsewhere.onnx"), options))
	fails(t, options.AddExternalInitializerFiles(map[string][]byte{"weights.bin": nil}),
		ortc.ErrInvalidArgument, "weights.bin")
	tensors := newOptions(t)
	weight, err := ortc.NewTensorFrom([]float32{1, 2, 3, 4}, 2, 2)
	ok(t, err)
	bias := floats(t, []float32{10, 20})
	ok(t, tensors.AddExternalInitializers(ortc.Values{"weight": weight, "bias": bias}))
	ok(t, weight.Close()) // the options hold it open
	runElsewhere(t, newSession(t, env, data("weights_elsewhere.onnx"), tensors))
	fails(t, tensors.AddExternalInitializers(ortc.Values{"other": nil}), ortc.ErrInvalidArgument,
		"nil")
	_, err = ortc.NewSession(background, env, data("weights_elsewhere.onnx"), nil)
	isTrue(t, err != nil, "the weights came from nowhere")
}

func TestInitializerUsesMemoryOfTheProgram(t *testing.T) {
	env := newEnv(t)
	weight, err := ortc.NewTensor[float32](4, 3)
	ok(t, err)
	for i := range weight.Data() {
		weight.Data()[i] = 1
	}
	options, err := ortc.NewSessionOptions()
	ok(t, err)
	ok(t, options.AddInitializer("weight", weight))
	fails(t, options.AddInitializer("weight", weight), ortc.ErrInvalidArgument, "weight")
	fails(t, options.AddInitializer("words", mustFlat(t, []string{"a"})), ortc.ErrInvalidArgument, "")
	fails(t, options.AddInitializer("weight", nil), ortc.ErrInvalidArgument, "nil")
	session := newSession(t, env, data("matmul.onnx"), options)
	ok(t, options.Close())
	ok(t, weight.Close())
	for i := 0; i < 3; i++ {
		collect()
		outputs, err := session.Run(background, ortc.Values{"x": floats(t, []float32{1, 2, 3, 4}, 1, 4)})
		ok(t, err)
		equalLists(t, floatsIn(t, outputs["y"]), []float32{10, 10, 10})
		ok(t, outputs.Close())
	}
}

func TestContextsComeFromAFunction(t *testing.T) {
	env := newEnv(t)
	content, err := os.ReadFile(model(t, "digits_ctx.onnx"))
	ok(t, err)
	asked := []string{}
	options := newOptions(t, "AOT")
	ok(t, options.SetContextReader(func(name string) ([]byte, error) {
		asked = append(asked, name)
		return os.ReadFile(model(t, name))
	}))
	session, err := ortc.NewSessionFromBytes(background, env, content, options)
	ok(t, err)
	ok(t, session.Close())
	equalLists(t, asked, []string{"digits_aot.bin"})
	lost := errors.New("the archive is lost")
	ok(t, options.SetContextReader(func(string) ([]byte, error) { return nil, lost }))
	_, err = ortc.NewSessionFromBytes(background, env, content, options)
	fails(t, err, lost, "the archive is lost")
	ok(t, options.SetContextReader(func(string) ([]byte, error) { return nil, nil }))
	_, err = ortc.NewSessionFromBytes(background, env, content, options)
	isTrue(t, err != nil, "a context of no bytes was taken")
	ok(t, options.SetContextReader(nil))
	_, err = ortc.NewSession(background, env, model(t, "digits_ctx.onnx"), options)
	ok(t, err)
}

func TestAdapterFeedsInputs(t *testing.T) {
	session := newSession(t, newEnv(t), data("described.onnx"), nil)
	content, err := os.ReadFile(data("bias.onnx_adapter"))
	ok(t, err)
	fromFile, err := ortc.NewLoraAdapter(data("bias.onnx_adapter"))
	ok(t, err)
	fromBytes, err := ortc.NewLoraAdapterFromBytes(content)
	ok(t, err)
	x := floats(t, []float32{0, 0})
	plain, err := session.Run(background, ortc.Values{"x": x})
	ok(t, err)
	closing(t, plain)
	for _, adapter := range []*ortc.LoraAdapter{fromFile, fromBytes} {
		options, err := ortc.NewRunOptions()
		ok(t, err)
		closing(t, options)
		ok(t, options.AddLoraAdapter(adapter))
		ok(t, adapter.Close())
		for _, ctx := range []any{nil, withCancel(t)} {
			_ = ctx
			outputs, err := session.RunWith(withCancel(t), options, ortc.Values{"x": x})
			ok(t, err)
			isTrue(t, floatsIn(t, outputs["y"])[0] != floatsIn(t, plain["y"])[0], "no adapter")
			ok(t, outputs.Close())
		}
	}
	_, err = ortc.NewLoraAdapter("nowhere")
	fails(t, err, ortc.ErrNoSuchFile, "nowhere")
	_, err = ortc.NewLoraAdapterFromBytes([]byte("x"))
	isTrue(t, err != nil, "a letter is an adapter")
	options, err := ortc.NewRunOptions()
	ok(t, err)
	closing(t, options)
	fails(t, options.AddLoraAdapter(nil), ortc.ErrInvalidArgument, "nil")
}

func TestRunOptionsAreSetAndRead(t *testing.T) {
	options, err := ortc.NewRunOptions()
	ok(t, err)
	closing(t, options)
	severity, err := options.LogSeverity()
	ok(t, err)
	equal(t, severity, -1)
	ok(t, options.SetTag("ein Lauf"))
	tag, err := options.Tag()
	ok(t, err)
	equal(t, tag, "ein Lauf")
	ok(t, options.SetLogSeverity(ortc.LoggingLevelFatal))
	severity, err = options.LogSeverity()
	ok(t, err)
	equal(t, severity, ortc.LoggingLevelFatal)
	ok(t, options.SetLogVerbosity(3))
	verbosity, err := options.LogVerbosity()
	ok(t, err)
	equal(t, verbosity, 3)
	key := ortc.KeyRunOptionsConfigEnableMemoryArenaShrinkage
	ok(t, options.Set(key, "cpu:0"))
	value, isSet, err := options.Get(key)
	ok(t, err)
	isTrue(t, isSet && value == "cpu:0", value)
	_, isSet, err = options.Get("nobody")
	ok(t, err)
	isTrue(t, !isSet, "what was not set is there")
	fails(t, options.Set("nobody", "1"), ortc.ErrInvalidArgument, "nobody")
	prefix := filepath.Join(t.TempDir(), "run")
	ok(t, options.EnableProfiling(prefix))
	ok(t, options.SetSyncStream(nil))
	session := newSession(t, newEnv(t), model(t, "trivial.onnx"), nil)
	x := ortc.Values{"x": floats(t, make([]float32, 4), 1, 4)}
	outputs, err := session.RunWith(withCancel(t), options, x)
	ok(t, err)
	ok(t, outputs.Close())
	written, err := filepath.Glob(prefix + "*.json")
	ok(t, err)
	equal(t, len(written), 1)
	ok(t, options.DisableProfiling())
	outputs, err = session.RunWith(background, options, x)
	ok(t, err)
	ok(t, outputs.Close())
	written, err = filepath.Glob(prefix + "*.json")
	ok(t, err)
	equal(t, len(written), 1)
	var none *ortc.RunOptions
	fails(t, none.SetTag("x"), ortc.ErrInvalidArgument, "nil")
	ok(t, none.Close())
}
