// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import (
	"fmt"
	"unsafe"
)

// What session options say about logs, profiles, threads, loads, weights and contexts.

// SetLogID sets the log id of the session's lines.
func (o *SessionOptions) SetLogID(id string) error {
	return o.change(func(p *C.OrtSessionOptions, m *memory) *C.OrtStatus {
		return C.OrtSetSessionLogId(p, m.text(id))
	})
}

// SetLogSeverity sets below which severity lines of the session are dropped.
func (o *SessionOptions) SetLogSeverity(level LoggingLevel) error {
	return o.change(func(p *C.OrtSessionOptions, _ *memory) *C.OrtStatus {
		return C.OrtSetSessionLogSeverityLevel(p, C.int(level))
	})
}

// SetLogVerbosity sets how much detail lines of severity Verbose have; 0 is the least.
func (o *SessionOptions) SetLogVerbosity(verbosity int) error {
	if err := fitsInt("verbosity", verbosity); err != nil {
		return err
	}
	return o.change(func(p *C.OrtSessionOptions, _ *memory) *C.OrtStatus {
		return C.OrtSetSessionLogVerbosityLevel(p, C.int(verbosity))
	})
}

// SetLogger hands the log lines of sessions to a function.
func (o *SessionOptions) SetLogger(logger Logger) error {
	if logger == nil {
		return invalid("the logger is nil")
	}
	state := keptState(logger, nil)
	return o.changeKeeping(state, func(p *C.OrtSessionOptions, _ *memory) *C.OrtStatus {
		return C.ortc_set_session_logger(p, state.state())
	})
}

// changeKeeping changes the options; they, their copies and the sessions made with them keep a
// thing from then on.
func (o *SessionOptions) changeKeeping(thing any,
	f func(*C.OrtSessionOptions, *memory) *C.OrtStatus) error {
	err := o.change(f)
	if err == nil {
		o.keep(thing)
	}
	return err
}

// changeForLoads does the same for a thing that sessions need only while they are made.
func (o *SessionOptions) changeForLoads(thing any,
	f func(*C.OrtSessionOptions, *memory) *C.OrtStatus) error {
	err := o.change(f)
	if err == nil {
		o.forLoads = append(o.forLoads, thing)
	}
	return err
}

// SetOptimizedModelPath writes the optimised model as an ONNX file when the session is made.
func (o *SessionOptions) SetOptimizedModelPath(path string) error {
	return o.change(func(p *C.OrtSessionOptions, m *memory) *C.OrtStatus {
		return C.OrtSetOptimizedModelFilePath(p, m.text(path))
	})
}

// EnableProfiling makes a profile of the session, in a file whose name begins with the prefix; see
// Session.EndProfiling.
func (o *SessionOptions) EnableProfiling(prefix string) error {
	return o.change(func(p *C.OrtSessionOptions, m *memory) *C.OrtStatus {
		return C.OrtEnableProfiling(p, m.text(prefix))
	})
}

// DisableProfiling makes no profile. That is the default, and costs nothing.
func (o *SessionOptions) DisableProfiling() error {
	return o.change(func(p *C.OrtSessionOptions, _ *memory) *C.OrtStatus {
		return C.OrtDisableProfiling(p)
	})
}

// DisablePerSessionThreads makes the session use the threads of its environment; see WithThreads.
func (o *SessionOptions) DisablePerSessionThreads() error {
	return o.change(func(p *C.OrtSessionOptions, _ *memory) *C.OrtStatus {
		return C.OrtDisablePerSessionThreads(p)
	})
}

// SetThreadStarter lets a function of the program make the session's threads.
func (o *SessionOptions) SetThreadStarter(start ThreadStarter) error {
	if start == nil {
		return invalid("the thread starter is nil")
	}
	state := keptState(start, nil)
	return o.changeKeeping(state, func(p *C.OrtSessionOptions, _ *memory) *C.OrtStatus {
		return C.ortc_set_session_threads(p, state.state())
	})
}

// SetLoadProgress has a function hear how far the making of a session has come, and stop it. With
// KeySessionOptionsConfigContextResidency = "prefetch" it goes on hearing after the session was
// made, until "done" or the end of the session. nil: nobody. A panic in it goes on in the function
// that makes the session.
func (o *SessionOptions) SetLoadProgress(progress ProgressFunc) error {
	hear := progress
	if hear == nil {
		hear = func(Progress) error { return nil }
	}
	err := o.change(func(p *C.OrtSessionOptions, _ *memory) *C.OrtStatus {
		return setLoadProgress(p, hear, o.failures)
	})
	if err == nil {
		o.progress = progress
	}
	return err
}

func setLoadProgress(p *C.OrtSessionOptions, progress ProgressFunc, f *failures) *C.OrtStatus {
	state := newState(progress, f)
	status := C.ortc_set_load_progress(p, C.uintptr_t(state))
	if status != nil {
		state.Delete()
	}
	return status
}

// CancelLoads stops the making of sessions with these options and copies of them, now and until it
// is called with false. Such a load ends soon with ErrModelLoadCanceled. It may come from any
// goroutine. The context given to NewSession stops one load alone.
func (o *SessionOptions) CancelLoads(cancel bool) error {
	return o.change(func(p *C.OrtSessionOptions, _ *memory) *C.OrtStatus {
		return C.OrtSessionOptionsSetLoadCancellationFlag(p, C.bool(cancel))
	})
}

// SetSharingGroup makes sessions and compiles with these options members of a group, when they
// write a compiled model; nil: of none any more.
func (o *SessionOptions) SetSharingGroup(group *SharingGroup) error {
	var g *C.OrtSharingGroup
	if group != nil {
		var err error
		if g, err = group.begin("sharing group"); err != nil {
			return err
		}
		defer group.end()
	}
	return o.change(func(p *C.OrtSessionOptions, _ *memory) *C.OrtStatus {
		return C.OrtSessionOptionsSetSharingGroup(p, g)
	})
}

// Weights from the program's memory.

// AddInitializer gives a tensor of numbers in place of an initializer, for sessions that share it:
// its memory is used, not copied, and stays until the last of them is gone, even when the program
// closes the tensor before.
func (o *SessionOptions) AddInitializer(name string, tensor AnyValue) error {
	view, err := shareMemory(tensor)
	if err != nil {
		return err
	}
	return o.changeKeeping(view, func(p *C.OrtSessionOptions, m *memory) *C.OrtStatus {
		return C.OrtAddInitializer(p, m.text(name), view.pointer)
	})
}

// AddExternalInitializers gives tensors in place of initializers whose bytes the model has in other
// files; those files are not opened then. They are copied when a session is made.
func (o *SessionOptions) AddExternalInitializers(tensors Values) error {
	names, values, end, err := useNamed(tensors)
	if err != nil {
		return err
	}
	defer end()
	pins := make([]any, 0, len(names))
	for _, name := range names {
		one, err := pin(&tensors[name].value().object, "value")
		if err != nil {
			return err
		}
		pins = append(pins, one)
	}
	return o.changeForLoads(pins, func(p *C.OrtSessionOptions, m *memory) *C.OrtStatus {
		return C.OrtAddExternalInitializers(p, m.texts(names), first(values),
			C.size_t(len(names)))
	})
}

// AddExternalInitializerFiles gives the contents of external data files by their names as the model
// has them; no such file is opened then. The bytes are copied.
func (o *SessionOptions) AddExternalInitializerFiles(files map[string][]byte) error {
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	blocks := make([]*durable, len(names))
	for i, name := range names {
		blocks[i] = copyDurably(files[name])
	}
	return o.changeForLoads(blocks, func(p *C.OrtSessionOptions, m *memory) *C.OrtStatus {
		if len(names) == 0 {
			return nil
		}
		starts := (**C.char)(m.block(uintptr(len(names)) * unsafe.Sizeof(uintptr(0))))
		sizes := make([]C.size_t, len(names))
		for i, block := range blocks {
			unsafe.Slice(starts, len(names))[i] = (*C.char)(block.pointer)
			sizes[i] = C.size_t(block.size)
		}
		return C.OrtAddExternalInitializersFromFilesInMemory(p, m.texts(names), starts,
			first(sizes), C.size_t(len(names)))
	})
}

// SetWeightlessSourceModel gives the source of a model that was compiled without weights, in place
// of the entry KeySessionOptionEpContextSourceModelPath. The bytes are copied.
func (o *SessionOptions) SetWeightlessSourceModel(model []byte) error {
	block := copyDurably(model)
	return o.changeForLoads(block, func(p *C.OrtSessionOptions, _ *memory) *C.OrtStatus {
		return C.OrtSessionOptionsSetWeightlessSourceModelBuffer(p, block.pointer,
			C.size_t(block.size))
	})
}

// ContextReader gives one context binary, by the name that the EPContext node says: any text.
type ContextReader func(name string) ([]byte, error)

// SetContextReader has a function give the context binaries of compiled models, in place of files:
// from memory, an archive, a database, or decrypted. Contexts that are embedded are not asked for.
// It may be called from any thread. nil: they are files.
func (o *SessionOptions) SetContextReader(read ContextReader) error {
	if read == nil {
		return o.change(func(p *C.OrtSessionOptions, _ *memory) *C.OrtStatus {
			return C.ortc_set_context_reader(p, 0)
		})
	}
	state := keptState(read, o.failures)
	return o.changeForLoads(state, func(p *C.OrtSessionOptions, _ *memory) *C.OrtStatus {
		return C.ortc_set_context_reader(p, state.state())
	})
}

//export ortcGoReadContext
func ortcGoReadContext(state C.uintptr_t, name *C.char, allocator *C.OrtAllocator,
	buffer *unsafe.Pointer, size *C.size_t) *C.OrtStatus {
	c := stateOf[ContextReader](state)
	return c.failures.guard(func() error {
		data, err := c.function(goText(name))
		if err != nil || len(data) == 0 {
			return err
		}
		var block unsafe.Pointer
		if err := check(C.OrtAllocatorAlloc(allocator, C.size_t(len(data)), &block)); err != nil {
			return fmt.Errorf("context %q: %w", goText(name), err)
		}
		copy(unsafe.Slice((*byte)(block), len(data)), data)
		*buffer, *size = block, C.size_t(len(data))
		return nil
	})
}
