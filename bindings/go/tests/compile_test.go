// SPDX-License-Identifier: MIT

package tests

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	ortc "github.com/ortc/ortc/bindings/go"
)

func newCompiler(t testing.TB, env *ortc.Env) *ortc.ModelCompiler {
	t.Helper()
	compiler, err := ortc.NewModelCompiler(env, newOptions(t, "AOT"))
	ok(t, err)
	return closing(t, compiler)
}

func runsAsDigits(t *testing.T, session *ortc.Session) {
	t.Helper()
	outputs, err := session.Run(background, ortc.Values{"images": floats(t, make([]float32, 128), 2, 1,
		8, 8)})
	ok(t, err)
	defer outputs.Close()
	equalLists(t, outputs["logits"].Shape(), []int64{2, 10})
}

func TestCompilerWritesAModelAndItsBinary(t *testing.T) {
	env, folder := newEnv(t), t.TempDir()
	output := filepath.Join(folder, "zwölf_ctx.onnx")
	compiler := newCompiler(t, env)
	var stages []string
	compiler.InputFile(model(t, "digits.onnx")).ErrorIfNothingCompiled().ErrorIfOutputExists().
		GraphOptimizationLevel(ortc.GraphOptimizationLevelEnableBasic).Deadline(time.Hour).
		OnProgress(func(p ortc.Progress) error {
			stages = append(stages, p.Stage)
			return nil
		})
	ok(t, compiler.CompileToFile(background, output))
	equal(t, stages[len(stages)-1], "done")
	var report struct {
		Files []struct{ Path string }
	}
	ok(t, compiler.Report().Decode(&report))
	equal(t, len(report.Files), 2)
	runsAsDigits(t, newSession(t, env, output, newOptions(t, "AOT")))
	fails(t, compiler.CompileToFile(background, output), ortc.ErrFail, "exist")
	ok(t, compiler.Flags(ortc.CompileFlagsNone).Compile(background))
	plain := filepath.Join(folder, "plain_ctx.onnx")
	ok(t, ortc.CompileModel(env, newOptions(t, "AOT"), model(t, "digits.onnx"), plain))
	runsAsDigits(t, newSession(t, env, plain, newOptions(t, "AOT")))
	fails(t, ortc.CompileModel(env, nil, "nowhere.onnx", plain), ortc.ErrInvalidArgument, "nowhere")
	fails(t, ortc.CompileModel(env, nil, "a\x00", plain), ortc.ErrInvalidArgument, "zero byte")
	fails(t, ortc.CompileModel(nil, nil, "a", plain), ortc.ErrInvalidArgument, "nil")
}

func TestCompilerKeepsTheFirstErrorUntilTheCompile(t *testing.T) {
	env := newEnv(t)
	compiler := newCompiler(t, env)
	compiler.InputFile("").EmbedContext(true).InputFile(model(t, "digits.onnx"))
	fails(t, compiler.Compile(background), ortc.ErrInvalidArgument, "input_model_path")
	_, err := compiler.CompileToBytes(background)
	fails(t, err, ortc.ErrInvalidArgument, "input_model_path")
	lost := errors.New("lost")
	for _, wrong := range []*ortc.ModelCompiler{
		newCompiler(t, env).Deadline(-1), newCompiler(t, env).OnInitializer(nil),
		newCompiler(t, env).InputModel(nil), newCompiler(t, env).ExternalInitializers("x", -1),
	} {
		fails(t, wrong.Compile(background), ortc.ErrInvalidArgument, "")
	}
	fails(t, newCompiler(t, env).InputReader(brokenFile{lost}).Compile(background), lost, "lost")
	fails(t, newCompiler(t, env).InputFS(os.DirFS("."), "nowhere").Compile(background),
		os.ErrNotExist, "nowhere")
	fails(t, newCompiler(t, env).CompileToWriter(background, nil), ortc.ErrInvalidArgument, "nil")
	_, err = ortc.NewModelCompiler(nil, nil)
	fails(t, err, ortc.ErrInvalidArgument, "nil")
	closed := newCompiler(t, env).InputFile(model(t, "digits.onnx"))
	ok(t, closed.Close())
	fails(t, closed.Compile(background), ortc.ErrClosed, "compiler is closed")
}

type brokenFile struct{ err error }

func (b brokenFile) Read([]byte) (int, error)  { return 0, b.err }
func (b brokenFile) Write([]byte) (int, error) { return 0, b.err }

func TestCompilerTakesAndGivesBytes(t *testing.T) {
	env := newEnv(t)
	source, err := os.ReadFile(model(t, "digits.onnx"))
	ok(t, err)
	embedded, err := newCompiler(t, env).InputBytes(source).EmbedContext(true).
		CompileToBytes(background)
	ok(t, err)
	session, err := ortc.NewSessionFromBytes(background, env, embedded, newOptions(t, "AOT"))
	ok(t, err)
	runsAsDigits(t, closing(t, session))
	var stream bytes.Buffer
	ok(t, newCompiler(t, env).InputReader(bytes.NewReader(source)).EmbedContext(true).
		CompileToWriter(background, &stream))
	isTrue(t, bytes.Equal(stream.Bytes(), embedded), "stream and bytes differ")
	again := newCompiler(t, env).InputBytes(source).EmbedContext(true)
	for i := 0; i < 2; i++ {
		_, err = again.CompileToBytes(background)
		ok(t, err)
		fails(t, again.Compile(background), ortc.ErrInvalidArgument, "OutputFile")
		ok(t, again.CompileToWriter(background, &bytes.Buffer{}))
		fails(t, again.Compile(background), ortc.ErrInvalidArgument, "OutputFile")
	}
	ok(t, again.CompileToFile(background, filepath.Join(t.TempDir(), "again_ctx.onnx")))
	ok(t, again.Compile(background))
	fails(t, again.OutputWriter(nil).Compile(background), ortc.ErrInvalidArgument, "nil")
	folder := t.TempDir()
	beside, err := newCompiler(t, env).InputFS(os.DirFS(filepath.Dir(model(t, "digits.onnx"))),
		"digits.onnx").ContextBinary(folder, "zahlen").CompileToBytes(background)
	ok(t, err)
	isTrue(t, exists(filepath.Join(folder, "zahlen_aot.bin")), "the binary is elsewhere")
	options := newOptions(t, "AOT")
	ok(t, options.Set(ortc.KeySessionOptionEpContextFilePath,
		filepath.Join(folder, "zahlen_ctx.onnx")))
	session, err = ortc.NewSessionFromBytes(background, env, beside, options)
	ok(t, err)
	runsAsDigits(t, closing(t, session))
}

func TestCompilerGivesInitializersInABlock(t *testing.T) {
	env := newEnv(t)
	cpu := func() *ortc.ModelCompiler {
		compiler, err := ortc.NewModelCompiler(env, nil)
		ok(t, err)
		return closing(t, compiler).InputFile(model(t, "trivial.onnx"))
	}
	// y = x + 1, with the ones in the block.
	adds := func(content []byte, files map[string][]byte) {
		t.Helper()
		options := newOptions(t)
		ok(t, options.AddExternalInitializerFiles(files))
		session, err := ortc.NewSessionFromBytes(background, env, content, options)
		ok(t, err)
		outputs, err := closing(t, session).Run(background,
			ortc.Values{"x": floats(t, []float32{1, 2, 3, 4}, 1, 4)})
		ok(t, err)
		defer outputs.Close()
		equalLists(t, floatsIn(t, outputs["y"]), []float32{2, 3, 4, 5})
	}
	compiler := cpu()
	content, ones, err := compiler.CompileToBytesAndInitializers(background, "./w.bin", 0)
	ok(t, err)
	isTrue(t, bytes.Equal(ones, bytes.Repeat([]byte{0, 0, 0x80, 0x3f}, 4)), "not four ones")
	adds(content, map[string][]byte{"w.bin": ones})
	_, err = ortc.NewSessionFromBytes(background, env, content, nil)
	isTrue(t, err != nil, "the initializers are in the model")
	// The block was for one compile.
	_, err = compiler.CompileToBytes(background)
	fails(t, err, ortc.ErrInvalidArgument, "OnInitializer")
	fails(t, compiler.OutputFile(filepath.Join(t.TempDir(), "x.onnx")).Compile(background),
		ortc.ErrInvalidArgument, "ExternalInitializers")
	content, none, err := compiler.CompileToBytesAndInitializers(background, "w.bin", 17)
	ok(t, err)
	equal(t, len(none), 0)
	adds(content, nil)
	content, err = compiler.OnInitializer(func(string, *ortc.Value, *ortc.ExternalInitializer) (
		*ortc.ExternalInitializer, error) {
		return nil, nil
	}).CompileToBytes(background)
	ok(t, err)
	adds(content, nil)
	_, _, err = compiler.CompileToBytesAndInitializers(background, "w.bin", -1)
	fails(t, err, ortc.ErrInvalidArgument, "-1")
	_, _, err = compiler.CompileToBytesAndInitializers(background, "../w.bin", 0)
	fails(t, err, ortc.ErrInvalidArgument, "logical_file_name")
}

func TestCompilerAlignsInitializers(t *testing.T) {
	env := newEnv(t)
	size := func(alignment, minimum int) int {
		compiler, err := ortc.NewModelCompiler(env, nil)
		ok(t, err)
		_, block, err := closing(t, compiler).InputFile(model(t, "first.onnx")).
			InitializersAlignment(alignment, minimum).
			CompileToBytesAndInitializers(background, "w.bin", 0)
		ok(t, err)
		return len(block)
	}
	// A weight of 256 KiB and one of 4 KiB.
	equal(t, size(0, 0), 260<<10)
	equal(t, size(1<<20, 1<<20), 260<<10)
	isTrue(t, size(1<<20, 0) > 1<<20, "the second weight is not aligned")
	for _, wrong := range [][2]int{{3, 0}, {1 << 31, 0}, {-1, 0}, {64, -1}} {
		compiler := newCompiler(t, env).InitializersAlignment(wrong[0], wrong[1])
		fails(t, compiler.Compile(background), ortc.ErrInvalidArgument, "alignment")
	}
}

func TestContextBinariesGoToAFunction(t *testing.T) {
	env := newEnv(t)
	binaries := map[string][]byte{}
	content, err := newCompiler(t, env).InputFile(model(t, "digits.onnx")).
		ContextBinary(t.TempDir(), "m").OnContext(func(name string, data []byte) error {
		binaries[name] = append([]byte(nil), data...)
		return nil
	}).CompileToBytes(background)
	ok(t, err)
	equal(t, len(binaries), 1)
	options := newOptions(t, "AOT")
	ok(t, options.SetContextReader(func(name string) ([]byte, error) { return binaries[name], nil }))
	session, err := ortc.NewSessionFromBytes(background, env, content, options)
	ok(t, err)
	runsAsDigits(t, closing(t, session))
	full := errors.New("the disk is full")
	failing := newCompiler(t, env).InputFile(model(t, "digits.onnx")).ContextBinary(t.TempDir(), "m").
		OnContext(func(string, []byte) error { return full })
	_, err = failing.CompileToBytes(background)
	fails(t, err, full, "the disk is full")
	folder := t.TempDir()
	ok(t, failing.OnContext(nil).CompileToFile(background, filepath.Join(folder, "m_ctx.onnx")))
	isTrue(t, exists(filepath.Join(folder, "m_aot.bin")), "there is no file")
}

func TestErrorsAndPanicsOfFunctionsComeBack(t *testing.T) {
	env := newEnv(t)
	mine := errors.New("my own error")
	coded := fmt.Errorf("while writing: %w", &ortc.Error{Code: ortc.ErrorCodeEpFail, Message: "busy"})
	compiler := newCompiler(t, env).InputFile(model(t, "digits.onnx")).EmbedContext(true)
	err := compiler.CompileToWriter(background, brokenFile{mine})
	fails(t, err, mine, "my own error")
	fails(t, err, ortc.ErrFail, "my own error")
	err = compiler.CompileToWriter(background, brokenFile{coded})
	fails(t, err, coded, "while writing")
	fails(t, err, ortc.ErrEpFail, "busy")
	func() {
		defer func() { same(t, recover(), "from the progress") }()
		_, _ = compiler.OnProgress(func(ortc.Progress) error { panic("from the progress") }).
			CompileToBytes(background)
		t.Fatal("no panic")
	}()
	_, err = compiler.OnProgress(nil).CompileToBytes(background)
	ok(t, err)
}

// shortFile takes all but the last byte, and has no error to tell.
type shortFile struct{}

func (shortFile) Write(data []byte) (int, error) { return len(data) - 1, nil }

func TestAWriterThatTakesLessIsAnError(t *testing.T) {
	compiler := newCompiler(t, newEnv(t)).InputFile(model(t, "digits.onnx")).EmbedContext(true)
	err := compiler.CompileToWriter(background, shortFile{})
	fails(t, err, io.ErrShortWrite, "short write")
}

func TestEveryErrorCodeArrivesWithItsText(t *testing.T) {
	env := newEnv(t)
	sentinels := []*ortc.Error{ortc.ErrFail, ortc.ErrInvalidArgument, ortc.ErrNoSuchFile,
		ortc.ErrNoModel, ortc.ErrEngineError, ortc.ErrRuntimeException, ortc.ErrInvalidProtobuf,
		ortc.ErrModelLoaded, ortc.ErrNotImplemented, ortc.ErrInvalidGraph, ortc.ErrEpFail,
		ortc.ErrModelLoadCanceled, ortc.ErrModelRequiresCompilation, ortc.ErrNotFound,
		ortc.ErrDeviceReset}
	compiler := newCompiler(t, env).InputFile(model(t, "digits.onnx")).EmbedContext(true)
	for i, sentinel := range sentinels {
		equal(t, int(sentinel.Code), i+1)
		sent := &ortc.Error{Code: sentinel.Code, Message: fmt.Sprintf("größer als %d", i)}
		err := compiler.CompileToWriter(background, brokenFile{sent})
		var arrived *ortc.Error
		isTrue(t, errors.As(err, &arrived), "no *Error")
		equal(t, arrived.Code, sentinel.Code)
		equal(t, arrived.Message, sent.Message)
		fails(t, err, sentinel, sentinel.Code.String())
		isTrue(t, errors.Is(err, sent), "it is not the original")
		isTrue(t, !errors.Is(err, sentinels[(i+1)%len(sentinels)]), "it is of another code")
		equal(t, sentinel.Error(), "ortc: "+sentinel.Code.String())
	}
	equal(t, ortc.ErrorCode(77).String(), "OrtErrorCode(77)")
}

func TestInitializersArePlacedByAFunction(t *testing.T) {
	env, folder := newEnv(t), t.TempDir()
	options := newOptions(t) // nothing is compiled: the initializers stay in the model
	compiler, err := ortc.NewModelCompiler(env, options)
	ok(t, err)
	closing(t, compiler)
	var file bytes.Buffer
	compiler.InputFile(data("matmul.onnx")).OnInitializer(func(name string, tensor *ortc.Value,
		source *ortc.ExternalInitializer) (*ortc.ExternalInitializer, error) {
		isTrue(t, source == nil && name == "weight", name)
		content, err := tensor.Bytes()
		ok(t, err)
		place := &ortc.ExternalInitializer{Path: "gewichte.bin", Offset: int64(file.Len()),
			Size: len(content)}
		file.Write(content)
		return place, nil
	})
	output := filepath.Join(folder, "m_ctx.onnx")
	ok(t, compiler.CompileToFile(background, output))
	ok(t, os.WriteFile(filepath.Join(folder, "gewichte.bin"), file.Bytes(), 0o644))
	graph, err := ortc.LoadGraph(env, output)
	ok(t, err)
	closing(t, graph)
	place, err := graph.Initializers()[0].ExternalInitializer()
	ok(t, err)
	equal(t, *place, ortc.ExternalInitializer{Path: "gewichte.bin", Size: 48})
	compiler.OnInitializer(func(string, *ortc.Value, *ortc.ExternalInitializer) (
		*ortc.ExternalInitializer, error) {
		return &ortc.ExternalInitializer{Path: "x", Size: -1}, nil
	})
	fails(t, compiler.CompileToFile(background, output), ortc.ErrInvalidArgument, "negative")
	compiler.OnInitializer(func(string, *ortc.Value, *ortc.ExternalInitializer) (
		*ortc.ExternalInitializer, error) {
		return nil, nil
	})
	ok(t, compiler.CompileToFile(background, output))
}

func TestInitializersGoToAFile(t *testing.T) {
	env, folder := newEnv(t), t.TempDir()
	compiler, err := ortc.NewModelCompiler(env, nil)
	ok(t, err)
	closing(t, compiler)
	ok(t, compiler.InputFile(data("matmul.onnx")).ExternalInitializers("rest.bin", 0).
		CompileToFile(background, filepath.Join(folder, "m_ctx.onnx")))
	isTrue(t, exists(filepath.Join(folder, "rest.bin")), "there is no file")
}

func TestWeightsAreLeftOutByProvidersThatCan(t *testing.T) {
	env := newEnv(t)
	compiler := newCompiler(t, env).InputFile(model(t, "digits.onnx")).Weightless(true).
		EmbedContext(true)
	_, err := compiler.CompileToBytes(background)
	fails(t, err, ortc.ErrEpFail, "AotExecutionProvider does not implement GetWeightlessSupport: it cannot leave weights out")
	_, err = compiler.Weightless(false).CompileToBytes(background)
	ok(t, err)
	source, err := os.ReadFile(model(t, "digits.onnx"))
	ok(t, err)
	options := newOptions(t, "AOT")
	ok(t, options.SetWeightlessSourceModel(source))
	fails(t, options.SetWeightlessSourceModel(nil), ortc.ErrInvalidArgument, "")
	runsAsDigits(t, newSession(t, env, model(t, "digits_ctx.onnx"), options))
}

func TestCompilesAreCancelled(t *testing.T) {
	env, folder := newEnv(t), t.TempDir()
	output := filepath.Join(folder, "m_ctx.onnx")
	ctx, cancel := context.WithCancel(background)
	compiler := newCompiler(t, env).InputFile(model(t, "digits.onnx"))
	compiler.OnProgress(func(p ortc.Progress) error {
		cancel()
		time.Sleep(5 * time.Millisecond)
		return nil
	})
	err := compiler.CompileToFile(ctx, output)
	fails(t, err, context.Canceled, "")
	fails(t, err, ortc.ErrModelLoadCanceled, "")
	fails(t, compiler.CompileToFile(ctx, output), context.Canceled, "canceled")
	isTrue(t, !exists(output), "something was left behind")
	compiler.OnProgress(func(ortc.Progress) error {
		time.Sleep(20 * time.Millisecond)
		return nil
	}).Deadline(time.Microsecond)
	fails(t, compiler.CompileToFile(background, output), ortc.ErrModelLoadCanceled, "")
	isTrue(t, compiler.Report() != "", "there is no report of a failure")
	ok(t, compiler.OnProgress(nil).Deadline(0).CompileToFile(withCancel(t), output))
}

// share compiles the two models of the program that shares weights.
func share(t *testing.T, env *ortc.Env, folder string) *ortc.SharingGroup {
	t.Helper()
	group, err := ortc.NewSharingGroup(env)
	ok(t, err)
	closing(t, group)
	for _, name := range []string{"first", "second"} {
		ok(t, group.Add(newCompiler(t, env).InputFile(model(t, name+".onnx")).
			OutputFile(filepath.Join(folder, name+"_ctx.onnx"))))
	}
	return group
}

func TestGroupSharesWeights(t *testing.T) {
	env, folder := newEnv(t), t.TempDir()
	group := share(t, env, folder)
	isTrue(t, !exists(filepath.Join(folder, "first_ctx.onnx")), "files came before the commit")
	ok(t, group.Commit())
	report, err := group.Report()
	ok(t, err)
	object, err := report.Object()
	ok(t, err)
	equal(t, len(object["files"].([]any)), 3)
	for _, name := range []string{"first", "second"} {
		session := newSession(t, env, filepath.Join(folder, name+"_ctx.onnx"), newOptions(t, "AOT"))
		outputs, err := session.Run(background, ortc.Values{"x": floats(t, make([]float32, 256), 1, 256)})
		ok(t, err)
		ok(t, outputs.Close())
	}
	fails(t, group.Commit(), ortc.ErrFail, "")
	fails(t, group.Add(nil), ortc.ErrInvalidArgument, "nil")
	fails(t, group.Add(newCompiler(t, env).InputFile("")), ortc.ErrInvalidArgument, "")
}

func TestGroupThatIsGivenUpLeavesNothing(t *testing.T) {
	env, folder := newEnv(t), t.TempDir()
	group := share(t, env, folder)
	ok(t, group.Abort())
	fails(t, group.Commit(), ortc.ErrFail, "")
	left, err := os.ReadDir(folder)
	ok(t, err)
	equal(t, len(left), 0)
	_, err = ortc.NewSharingGroup(nil)
	fails(t, err, ortc.ErrInvalidArgument, "nil")
}

func TestContextGivesAGroupUp(t *testing.T) {
	env, folder := newEnv(t), t.TempDir()
	group, err := ortc.NewSharingGroup(env)
	ok(t, err)
	closing(t, group)
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	options := newOptions(t, "AOT")
	ok(t, options.SetLogSeverity(ortc.LoggingLevelVerbose))
	ok(t, options.SetLogger(func(ortc.Record) { // in the middle of the compile
		cancel()
		report, _ := group.Report()
		for i := 0; i < 1000 && !strings.Contains(string(report), "given up"); i++ {
			time.Sleep(time.Millisecond)
			report, _ = group.Report()
		}
	}))
	compiler, err := ortc.NewModelCompiler(env, options)
	ok(t, err)
	closing(t, compiler).InputFile(model(t, "first.onnx")).
		OutputFile(filepath.Join(folder, "first_ctx.onnx"))
	fails(t, group.AddContext(ctx, compiler), context.Canceled, "")
	fails(t, group.Commit(), ortc.ErrFail, "abort")
	other, err := ortc.NewSharingGroup(env)
	ok(t, err)
	closing(t, other)
	fails(t, other.AddContext(ctx, compiler), context.Canceled, "")
	ok(t, other.Add(newCompiler(t, env).InputFile(model(t, "first.onnx")).
		OutputFile(filepath.Join(folder, "first_ctx.onnx")))) // nothing was given up
	left, err := os.ReadDir(folder)
	ok(t, err)
	equal(t, len(left), 0)
}

func TestGroupComesFromOptionsAndWritesToAWriter(t *testing.T) {
	env, folder := newEnv(t), t.TempDir()
	group, err := ortc.NewSharingGroup(env)
	ok(t, err)
	closing(t, group)
	options := newOptions(t, "AOT")
	ok(t, options.SetSharingGroup(group))
	var stream bytes.Buffer
	compiler, err := ortc.NewModelCompiler(env, options)
	ok(t, err)
	closing(t, compiler)
	ok(t, compiler.InputFile(model(t, "first.onnx")).
		CompileToFile(background, filepath.Join(folder, "first_ctx.onnx")))
	ok(t, group.Add(newCompiler(t, env).InputFile(model(t, "second.onnx")).
		ContextBinary(folder, "second").OutputWriter(&stream)))
	ok(t, group.Commit())
	isTrue(t, stream.Len() > 0, "nothing was written")
	ok(t, options.SetSharingGroup(nil))
	ok(t, group.Close())
	fails(t, options.SetSharingGroup(group), ortc.ErrClosed, "closed")
}
