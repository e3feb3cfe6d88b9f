// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import (
	"context"
	"io"
	"io/fs"
	"time"
	"unsafe"
)

// ModelCompiler compiles a model ahead of time: from an ONNX model to one whose compiled parts are
// EPContext nodes, with their data in a context binary beside it or inside.
//
//	err := compiler.InputFile("m.onnx").ErrorIfOutputExists().CompileToFile(ctx, "m_ctx.onnx")
//
// The methods that describe the work can be chained; the first error among them comes from the
// compile. Output is all or nothing. One goroutine at a time may use a compiler.
type ModelCompiler struct {
	object[*C.OrtModelCompilationOptions] // what to compile, and how
	env                                   *Env
	failures                              *failures
	err                                   error
	flags                                 CompileFlags
	progress                              ProgressFunc
	deadline                              time.Duration
	report                                JSON
	outputIsGone                          bool           // the last output was for one compile only
	initializersAreGone                   bool           // so was their last place
	inUse                                 map[string]any // what the last settings of each kind need
}

// NewModelCompiler makes a compiler from session options: their providers, entries and so on. The
// graph optimization level starts at DisableAll, contexts go to a file beside the model, existing
// files are replaced. nil options are the defaults, with which nothing is compiled.
func NewModelCompiler(env *Env, options *SessionOptions) (*ModelCompiler, error) {
	e, err := env.use()
	if err != nil {
		return nil, err
	}
	defer env.end()
	if options == nil {
		if options, err = NewSessionOptions(); err != nil {
			return nil, err
		}
		defer options.Close()
	}
	o, end, err := options.use()
	if err != nil {
		return nil, err
	}
	defer end()
	var pointer *C.OrtModelCompilationOptions
	err = check(C.OrtCreateModelCompilationOptionsFromSessionOptions(e, o, &pointer))
	if err != nil {
		return nil, err
	}
	c := &ModelCompiler{env: env, failures: options.failures, inUse: map[string]any{}}
	c.own(pointer, func(p *C.OrtModelCompilationOptions) { C.OrtReleaseModelCompilationOptions(p) })
	c.keep(env)
	c.keep(options.kept()...)
	c.keep(options.forLoads...)
	return c, nil
}

// Close gives the compiler back; closing twice is fine, and so is a nil compiler.
func (c *ModelCompiler) Close() error {
	if c == nil {
		return nil
	}
	return c.close()
}

// set makes a setting, unless one has failed before.
func (c *ModelCompiler) set(
	f func(*C.OrtModelCompilationOptions, *memory) *C.OrtStatus) *ModelCompiler {
	return c.setUsing("", nil, f)
}

// setUsing makes a setting that needs something, in place of what the last of its kind needed.
func (c *ModelCompiler) setUsing(kind string, thing any,
	f func(*C.OrtModelCompilationOptions, *memory) *C.OrtStatus) *ModelCompiler {
	if c.err == nil {
		c.err = c.call("compiler", f)
	}
	if c.err == nil && thing != nil {
		c.inUse[kind] = thing
	}
	return c
}

// Where the model comes from. The last call counts.

// InputFile takes the model from a file; external data are looked for beside it.
func (c *ModelCompiler) InputFile(path string) *ModelCompiler {
	return c.set(func(p *C.OrtModelCompilationOptions, m *memory) *C.OrtStatus {
		return C.OrtModelCompilationOptions_SetInputModelPath(p, m.text(path))
	})
}

// InputBytes takes the model from memory, which is copied.
func (c *ModelCompiler) InputBytes(model []byte) *ModelCompiler {
	block := copyDurably(model)
	return c.setUsing("input", block, func(p *C.OrtModelCompilationOptions,
		_ *memory) *C.OrtStatus {
		return C.OrtModelCompilationOptions_SetInputModelFromBuffer(p, block.pointer,
			C.size_t(block.size))
	})
}

// InputReader takes the model from everything that a reader has.
func (c *ModelCompiler) InputReader(model io.Reader) *ModelCompiler {
	data, err := io.ReadAll(model)
	if err != nil && c.err == nil {
		c.err = err
	}
	return c.InputBytes(data)
}

// InputFS takes the model from a file of a file system.
func (c *ModelCompiler) InputFS(files fs.FS, path string) *ModelCompiler {
	data, err := fs.ReadFile(files, path)
	if err != nil && c.err == nil {
		c.err = err
	}
	return c.InputBytes(data)
}

// InputModel takes a model of the model editor, which has to stay as it is until the compile.
func (c *ModelCompiler) InputModel(model *Model) *ModelCompiler {
	if model == nil {
		c.err = firstError(c.err, invalid("the model is nil"))
		return c
	}
	hold, err := pin(&model.object, "model")
	c.err = firstError(c.err, err)
	return c.setUsing("input", hold, func(p *C.OrtModelCompilationOptions,
		_ *memory) *C.OrtStatus {
		return C.OrtModelCompilationOptions_SetInputModel(p, model.pointer)
	})
}

// How to compile.

// EmbedContext chooses where context data go: into the model, or into a file beside it, the
// default.
func (c *ModelCompiler) EmbedContext(embed bool) *ModelCompiler {
	return c.set(func(p *C.OrtModelCompilationOptions, _ *memory) *C.OrtStatus {
		return C.OrtModelCompilationOptions_SetEpContextEmbedMode(p, C.bool(embed))
	})
}

// ContextBinary names the context binary of a model that does not go to a file: its folder, and the
// name of the model, from which its own is made.
func (c *ModelCompiler) ContextBinary(folder, modelName string) *ModelCompiler {
	return c.set(func(p *C.OrtModelCompilationOptions, m *memory) *C.OrtStatus {
		return C.OrtModelCompilationOptions_SetEpContextBinaryInformation(p, m.text(folder),
			m.text(modelName))
	})
}

// ExternalInitializers moves initializers that stay in the compiled model, and have at least so
// many bytes, to a file of their own, relative to the folder of the output.
func (c *ModelCompiler) ExternalInitializers(file string, threshold int) *ModelCompiler {
	if threshold < 0 {
		c.err = firstError(c.err, invalid("the threshold %d is negative", threshold))
		return c
	}
	c.initializersAreGone = false
	return c.set(func(p *C.OrtModelCompilationOptions, m *memory) *C.OrtStatus {
		return C.OrtModelCompilationOptions_SetOutputModelExternalInitializersFile(p, m.text(file),
			C.size_t(threshold))
	})
}

// InitializersAlignment says where initializers begin, apart from the model, that have at least so
// many bytes: an alignment of 0, or a power of two up to 2^30. All others begin on 64 bytes. By
// default those of 64 KiB and more begin on 4 KiB.
func (c *ModelCompiler) InitializersAlignment(alignment, minimumSize int) *ModelCompiler {
	if alignment < 0 || minimumSize < 0 {
		c.err = firstError(c.err, invalid("the alignment %d or the size %d is negative", alignment,
			minimumSize))
		return c
	}
	return c.set(func(p *C.OrtModelCompilationOptions, _ *memory) *C.OrtStatus {
		return C.OrtModelCompilationOptions_SetOutputModelExternalInitializersAlignment(p,
			C.size_t(alignment), C.size_t(minimumSize))
	})
}

// Weightless compiles without weights: contexts find them in the source model when they are loaded.
func (c *ModelCompiler) Weightless(enabled bool) *ModelCompiler {
	return c.set(func(p *C.OrtModelCompilationOptions, _ *memory) *C.OrtStatus {
		return C.OrtModelCompilationOptions_SetWeightlessEnabled(p, C.bool(enabled))
	})
}

// GraphOptimizationLevel chooses how far the graph is rewritten before providers see it.
func (c *ModelCompiler) GraphOptimizationLevel(level GraphOptimizationLevel) *ModelCompiler {
	return c.set(func(p *C.OrtModelCompilationOptions, _ *memory) *C.OrtStatus {
		return C.OrtModelCompilationOptions_SetGraphOptimizationLevel(p,
			C.GraphOptimizationLevel(level))
	})
}

// ErrorIfNothingCompiled makes it a failure when no provider compiles anything.
func (c *ModelCompiler) ErrorIfNothingCompiled() *ModelCompiler {
	return c.Flags(c.flags | CompileFlagsErrorIfNoNodesCompiled)
}

// ErrorIfOutputExists makes it a failure when an output file is there already.
func (c *ModelCompiler) ErrorIfOutputExists() *ModelCompiler {
	return c.Flags(c.flags | CompileFlagsErrorIfOutputFileExists)
}

// Flags sets what counts as a failure, in place of what was set before.
func (c *ModelCompiler) Flags(flags CompileFlags) *ModelCompiler {
	c.flags = flags
	return c.set(func(p *C.OrtModelCompilationOptions, _ *memory) *C.OrtStatus {
		return C.OrtModelCompilationOptions_SetFlags(p, C.uint32_t(flags))
	})
}

// OnProgress has a function hear about progress, which may stop the work with an error; nil:
// nobody.
func (c *ModelCompiler) OnProgress(progress ProgressFunc) *ModelCompiler {
	c.progress = progress
	return c
}

// Deadline limits how long each compile may take; 0, the default, is no limit. A context with a
// deadline does the same from the program's side.
func (c *ModelCompiler) Deadline(limit time.Duration) *ModelCompiler {
	if limit < 0 {
		c.err = firstError(c.err, invalid("the deadline %s is negative", limit))
	}
	c.deadline = limit
	return c
}

// Compiling. Each can be called again, and then compiles again.

// Compile compiles to where OutputFile or OutputWriter says, or to the input's path with "_ctx.onnx"
// in place of the extension. The end of the context stops it, and nothing is left behind then.
func (c *ModelCompiler) Compile(ctx context.Context) error {
	if c == nil {
		return isNil("compiler")
	}
	if err := c.settled(); err != nil {
		return err
	}
	return c.compile(ctx)
}

// settled says what keeps a compile from beginning: the first error of the chain, or an output or a
// place of initializers that was for one compile only.
func (c *ModelCompiler) settled() error {
	if c.err == nil && c.outputIsGone {
		return invalid("the last output took one compile; say with OutputFile where this one goes")
	}
	return c.placed()
}

func (c *ModelCompiler) placed() error {
	if c.err == nil && c.initializersAreGone {
		return invalid("the last place of initializers took one compile; say with " +
			"ExternalInitializers or OnInitializer where they stand in this one")
	}
	return c.err
}

func (c *ModelCompiler) compile(ctx context.Context) error {
	if err := c.placed(); err != nil {
		return err
	}
	return c.compilePlaced(ctx)
}

func (c *ModelCompiler) compilePlaced(ctx context.Context) error {
	if c.err != nil {
		return c.err
	}
	ctx = orBackground(ctx)
	if err := ended(ctx, ErrorCodeModelLoadCanceled); err != nil {
		return err
	}
	options, err := c.begin("compiler")
	if err != nil {
		return err
	}
	defer c.end()
	env, err := c.env.use()
	if err != nil {
		return err
	}
	defer c.env.end()
	var compiler *C.OrtModelCompiler
	if err := check(C.OrtCreateModelCompiler(env, options, &compiler)); err != nil {
		return err
	}
	defer C.OrtReleaseModelCompiler(compiler)
	if err := c.prepare(compiler); err != nil {
		return err
	}
	join := watch(ctx, func() { _ = check(C.OrtModelCompiler_Cancel(compiler)) })
	err = check(C.OrtModelCompiler_Compile(compiler))
	if wasStopped := join(); wasStopped && err != nil {
		err = because(ctx, err)
	}
	c.readReport(compiler)
	return resolveOperators(c.kept(), c.failures.resolve(err))
}

func (c *ModelCompiler) prepare(compiler *C.OrtModelCompiler) error {
	if c.progress != nil {
		state := newState(c.progress, c.failures)
		if err := check(C.ortc_set_compile_progress(compiler, C.uintptr_t(state))); err != nil {
			state.Delete()
			return err
		}
	}
	if c.deadline == 0 {
		return nil
	}
	// Less than a millisecond is not "no limit".
	milliseconds := (c.deadline + time.Millisecond - 1) / time.Millisecond
	return check(C.OrtModelCompiler_SetDeadline(compiler, C.uint64_t(milliseconds)))
}

func (c *ModelCompiler) readReport(compiler *C.OrtModelCompiler) {
	var text *C.char
	if err := check(C.OrtModelCompiler_GetReportJson(compiler, &text)); err == nil {
		c.report = JSON(goText(text))
	}
}

// Report tells what the last compile did, also after a failure: files written with their sizes,
// EPContext nodes by provider, nodes left to the CPU with the reason, time by stage. Empty before.
func (c *ModelCompiler) Report() JSON { return c.report }

// CompileToFile compiles to a file, and a context binary beside it.
func (c *ModelCompiler) CompileToFile(ctx context.Context, path string) error {
	if c == nil {
		return isNil("compiler")
	}
	return c.OutputFile(path).Compile(ctx)
}

// OutputFile says where the compiled model goes, for SharingGroup.Add and Compile.
func (c *ModelCompiler) OutputFile(path string) *ModelCompiler {
	c.outputIsGone = false
	return c.set(func(p *C.OrtModelCompilationOptions, m *memory) *C.OrtStatus {
		return C.OrtModelCompilationOptions_SetOutputModelPath(p, m.text(path))
	})
}

// CompileToBytes compiles to memory. A context binary that is not embedded goes where ContextBinary
// says.
func (c *ModelCompiler) CompileToBytes(ctx context.Context) ([]byte, error) {
	if c == nil {
		return nil, isNil("compiler")
	}
	var m memory
	defer m.free()
	model := c.outputBlock(&m)
	if err := c.compile(ctx); err != nil {
		return nil, err
	}
	return model.take(), nil
}

// CompileToBytesAndInitializers compiles to memory: the model, and one block of those initializers
// that have at least so many bytes, nil when there is none. The model calls the block by the file
// name, a path relative to it: readers get it from there, or from
// SessionOptions.AddExternalInitializerFiles. It is in place of ExternalInitializers and
// OnInitializer, one of which has to be called before another compile without a block.
func (c *ModelCompiler) CompileToBytesAndInitializers(ctx context.Context, fileName string,
	threshold int) (model, initializers []byte, err error) {
	if c == nil {
		return nil, nil, isNil("compiler")
	}
	if threshold < 0 {
		return nil, nil, invalid("the threshold %d is negative", threshold)
	}
	var m memory
	defer m.free()
	modelBlock, block := c.outputBlock(&m), newOutputBlock(&m)
	c.set(func(p *C.OrtModelCompilationOptions, texts *memory) *C.OrtStatus {
		return C.OrtModelCompilationOptions_SetOutputModelExternalInitializersBuffer(p,
			texts.text(fileName), C.size_t(threshold), defaultAllocator(), block.data, block.size)
	})
	c.initializersAreGone = true
	if err := c.compilePlaced(ctx); err != nil {
		return nil, nil, err
	}
	return modelBlock.take(), block.take(), nil
}

// outputBlock has the model go to memory, for one compile.
func (c *ModelCompiler) outputBlock(m *memory) outputBlock {
	block := newOutputBlock(m)
	c.set(func(p *C.OrtModelCompilationOptions, _ *memory) *C.OrtStatus {
		return C.OrtModelCompilationOptions_SetOutputModelBuffer(p, defaultAllocator(), block.data,
			block.size)
	})
	c.outputIsGone = true
	return block
}

// outputBlock is where the library says which memory it has filled.
type outputBlock struct {
	data *unsafe.Pointer
	size *C.size_t
}

func newOutputBlock(m *memory) outputBlock {
	return outputBlock{(*unsafe.Pointer)(m.block(unsafe.Sizeof(uintptr(0)))),
		(*C.size_t)(m.block(unsafe.Sizeof(C.size_t(0))))}
}

func (b outputBlock) take() []byte { return takeBytes(*b.data, *b.size) }

// CompileToWriter compiles to a writer, which gets the model in pieces when everything else is
// written and safe. A context binary that is not embedded goes where ContextBinary says.
func (c *ModelCompiler) CompileToWriter(ctx context.Context, w io.Writer) error {
	if c == nil {
		return isNil("compiler")
	}
	if w == nil {
		return invalid("the writer is nil")
	}
	state := newState(w, c.failures)
	defer state.Delete()
	c.set(func(p *C.OrtModelCompilationOptions, _ *memory) *C.OrtStatus {
		return C.ortc_set_output_writer(p, C.uintptr_t(state))
	})
	c.outputIsGone = true
	return c.compile(ctx)
}

// OutputWriter says that the compiled model goes to a writer, for SharingGroup.Add: it is written
// when the group is published.
func (c *ModelCompiler) OutputWriter(w io.Writer) *ModelCompiler {
	if w == nil {
		c.err = firstError(c.err, invalid("the writer is nil"))
		return c
	}
	state := keptState(w, c.failures)
	c.outputIsGone = false
	return c.setUsing("output", state, func(p *C.OrtModelCompilationOptions,
		_ *memory) *C.OrtStatus {
		return C.ortc_set_output_writer(p, state.state())
	})
}

//export ortcGoWriteModel
func ortcGoWriteModel(state C.uintptr_t, data unsafe.Pointer, size C.size_t) *C.OrtStatus {
	c := stateOf[io.Writer](state)
	return c.failures.guard(func() error {
		// A writer may keep what it got: it gets a copy.
		piece := append([]byte(nil), unsafe.Slice((*byte)(data), int(size))...)
		n, err := c.function.Write(piece)
		if err == nil && n != int(size) {
			err = io.ErrShortWrite
		}
		return err
	})
}

// CompileModel compiles a file to a file, without progress, cancelling or a report.
func CompileModel(env *Env, options *SessionOptions, input, output string) error {
	c, err := NewModelCompiler(env, options)
	if err != nil {
		return err
	}
	defer c.Close()
	if c.InputFile(input).OutputFile(output); c.err != nil {
		return c.err
	}
	e, err := env.use()
	if err != nil {
		return err
	}
	defer env.end()
	err = c.call("compiler", func(p *C.OrtModelCompilationOptions, _ *memory) *C.OrtStatus {
		return C.OrtCompileModel(e, p)
	})
	return resolveOperators(c.kept(), c.failures.resolve(err))
}
