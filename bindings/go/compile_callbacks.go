// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import "unsafe"

// ExternalInitializer says where the bytes of an initializer stand: a file below the model's
// folder, where they begin, and how many they are.
type ExternalInitializer struct {
	Path   string
	Offset int64
	Size   int
}

func goExternal(info *C.OrtExternalInitializerInfo) *ExternalInitializer {
	if info == nil {
		return nil
	}
	return &ExternalInitializer{
		Path:   goText(C.OrtExternalInitializerInfo_GetFilePath(info)),
		Offset: int64(C.OrtExternalInitializerInfo_GetFileOffset(info)),
		Size:   int(C.OrtExternalInitializerInfo_GetByteSize(info)),
	}
}

// takeExternal copies a description and gives it back; nil for NULL.
func takeExternal(info *C.OrtExternalInitializerInfo) *ExternalInitializer {
	defer C.OrtReleaseExternalInitializerInfo(info)
	return goExternal(info)
}

func (e *ExternalInitializer) newC(out **C.OrtExternalInitializerInfo) error {
	if e.Size < 0 {
		return invalid("the size %d is negative", e.Size)
	}
	return withMemory(func(m *memory) *C.OrtStatus {
		return C.OrtCreateExternalInitializerInfo(m.text(e.Path), C.int64_t(e.Offset),
			C.size_t(e.Size), out)
	})
}

// InitializerLocator says where an initializer of the compiled model stands. source is where the
// source model had it, nil when it stood in the model. nil keeps it in the model; else the place is
// written into the model, and the program sees to the bytes. The tensor is for this call only.
type InitializerLocator func(name string, tensor *Value, source *ExternalInitializer) (
	*ExternalInitializer, error)

// OnInitializer has a function say where each initializer stands that stays in the compiled model,
// in place of ExternalInitializers; the last call of both counts.
func (c *ModelCompiler) OnInitializer(locate InitializerLocator) *ModelCompiler {
	if locate == nil {
		c.err = firstError(c.err, invalid("the function is nil"))
		return c
	}
	c.initializersAreGone = false
	state := keptState(locate, c.failures)
	return c.setUsing("initializers", state, func(p *C.OrtModelCompilationOptions,
		_ *memory) *C.OrtStatus {
		return C.ortc_set_initializer_locator(p, state.state())
	})
}

//export ortcGoLocateInitializer
func ortcGoLocateInitializer(state C.uintptr_t, name *C.char, tensor *C.OrtValue,
	source *C.OrtExternalInitializerInfo, out **C.OrtExternalInitializerInfo) *C.OrtStatus {
	c := stateOf[InitializerLocator](state)
	return c.failures.guard(func() error {
		value := borrowedValue(tensor, nil)
		defer value.Close()
		place, err := c.function(goText(name), value, goExternal(source))
		if err != nil || place == nil {
			return err
		}
		return place.newC(out)
	})
}

// ContextWriter takes one context binary whole; data is for this call only.
type ContextWriter func(name string, data []byte) error

// OnContext gives context binaries to a function: none is written to a file then. It is called
// before the model is written; what it took must be dropped when the compile fails afterwards. It
// has no effect on contexts that are embedded. nil: they are files.
func (c *ModelCompiler) OnContext(write ContextWriter) *ModelCompiler {
	if write == nil {
		return c.set(func(p *C.OrtModelCompilationOptions, _ *memory) *C.OrtStatus {
			return C.ortc_set_context_writer(p, 0)
		})
	}
	state := keptState(write, c.failures)
	return c.setUsing("contexts", state, func(p *C.OrtModelCompilationOptions,
		_ *memory) *C.OrtStatus {
		return C.ortc_set_context_writer(p, state.state())
	})
}

//export ortcGoWriteContext
func ortcGoWriteContext(state C.uintptr_t, name *C.char, data unsafe.Pointer,
	size C.size_t) *C.OrtStatus {
	c := stateOf[ContextWriter](state)
	return c.failures.guard(func() error {
		return c.function(goText(name), unsafe.Slice((*byte)(data), int(size)))
	})
}
