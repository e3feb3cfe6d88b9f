// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import (
	"context"
	"unsafe"
)

// Compiled models seen from outside. Nothing here makes a session or runs anything.

// takeInspection copies the JSON of a result and gives it back.
func takeInspection(f func(m *memory, out **C.OrtInspection) *C.OrtStatus) (JSON, error) {
	var inspection *C.OrtInspection
	err := withMemory(func(m *memory) *C.OrtStatus { return f(m, &inspection) })
	if err != nil {
		return "", err
	}
	defer C.OrtReleaseInspection(inspection)
	var text *C.char
	err = check(C.OrtInspection_GetJson(inspection, &text))
	return JSON(goText(text)), err
}

// InspectFile describes a file without running or changing anything: an ONNX model, compiled or
// not, or a context binary. Faults of files that a model refers to stand in the result.
func InspectFile(path string, flags InspectFlags) (JSON, error) {
	return takeInspection(func(m *memory, out **C.OrtInspection) *C.OrtStatus {
		return C.OrtInspectFile(m.text(path), C.uint32_t(flags), out)
	})
}

// DiffFiles says what is different in two models, compiled or not, or in two context binaries. The
// object has "equal".
func DiffFiles(firstPath, secondPath string) (JSON, error) {
	return takeInspection(func(m *memory, out **C.OrtInspection) *C.OrtStatus {
		return C.OrtDiffFiles(m.text(firstPath), m.text(secondPath), out)
	})
}

// ExposeModelValues makes a model that also gives every tensor of its main graph, so that two
// models can be compared step by step. What is in other files stays there.
func ExposeModelValues(path string) ([]byte, error) {
	var data unsafe.Pointer
	var size C.size_t
	err := withMemory(func(m *memory) *C.OrtStatus {
		return C.OrtExposeModelValues(m.text(path), defaultAllocator(), &data, &size)
	})
	return takeBytes(data, size), err
}

// CompatibilityInfo reads from a model file what it was compiled for; empty when it has nothing for
// that execution provider, as "AotExecutionProvider".
func CompatibilityInfo(path, provider string) (string, error) {
	var text *C.char
	err := withMemory(func(m *memory) *C.OrtStatus {
		return C.OrtGetCompatibilityInfoFromModel(m.text(path), m.text(provider),
			defaultAllocator(), &text)
	})
	return takeText(text), err
}

// CompatibilityInfoFromBytes reads the same from the bytes of a model.
func CompatibilityInfoFromBytes(model []byte, provider string) (string, error) {
	var text *C.char
	err := withMemory(func(m *memory) *C.OrtStatus {
		return C.OrtGetCompatibilityInfoFromModelBytes(unsafe.Pointer(first(model)),
			C.size_t(len(model)), m.text(provider), defaultAllocator(), &text)
	})
	return takeText(text), err
}

// ModelCompatibility says how well a compiled model fits devices, all of one execution provider, by
// what CompatibilityInfo gave.
func ModelCompatibility(devices []*EpDevice, info string) (Compatibility, error) {
	_, list, end, err := useDevices(devices)
	if err != nil {
		return 0, err
	}
	defer end()
	var answer C.OrtCompiledModelCompatibility
	err = withMemory(func(m *memory) *C.OrtStatus {
		return C.OrtGetModelCompatibilityForEpDevices(first(list), C.size_t(len(list)),
			m.text(info), &answer)
	})
	return Compatibility(answer), err
}

// Changes of compiled models. None makes a session or compiles. Output is all or nothing; the
// models that are read are never replaced. Reports have "files" and "renamed".

// EditOptions go with the changes. nil means none of them.
type EditOptions struct {
	Flags    EditFlags
	Progress ProgressFunc // hears how far it is, and may stop it with an error
}

// edit makes a change that its context can stop.
func edit(ctx context.Context, options *EditOptions, f func(m *memory, flags C.uint32_t,
	state C.uintptr_t, out **C.OrtInspection) *C.OrtStatus) (JSON, error) {
	ctx = orBackground(ctx)
	if err := ended(ctx, ErrorCodeModelLoadCanceled); err != nil {
		return "", err
	}
	if options == nil {
		options = &EditOptions{}
	}
	var failed failures
	hear := ProgressFunc(func(p Progress) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if options.Progress == nil {
			return nil
		}
		return options.Progress(p)
	})
	state := newState(hear, &failed)
	defer state.Delete()
	report, err := takeInspection(func(m *memory, out **C.OrtInspection) *C.OrtStatus {
		return f(m, C.uint32_t(options.Flags), C.uintptr_t(state), out)
	})
	return report, failed.resolve(err)
}

// PackModel puts everything that a compiled model needs into it: contexts and initializers that are
// in files beside it. With EditFlagsExternal the other way: its contexts go to files beside the
// output.
func PackModel(ctx context.Context, model, output string, options *EditOptions) (JSON, error) {
	return edit(ctx, options, func(m *memory, flags C.uint32_t, state C.uintptr_t,
		out **C.OrtInspection) *C.OrtStatus {
		return C.ortc_pack_model(m.text(model), m.text(output), flags, state, out)
	})
}

// MergeModels makes one model of two or more, side by side or one feeding the other: each
// connection "enc.y=dec.x" says that output y of the model "enc_ctx.onnx" is input x of
// "dec_ctx.onnx".
func MergeModels(ctx context.Context, models, connections []string, output string,
	options *EditOptions) (JSON, error) {
	return edit(ctx, options, func(m *memory, flags C.uint32_t, state C.uintptr_t,
		out **C.OrtInspection) *C.OrtStatus {
		return C.ortc_merge_models(m.texts(models), C.size_t(len(models)), m.texts(connections),
			C.size_t(len(connections)), m.text(output), flags, state, out)
	})
}

// ExtractContext makes a model of one EPContext node.
func ExtractContext(ctx context.Context, model, node, output string,
	options *EditOptions) (JSON, error) {
	return edit(ctx, options, func(m *memory, flags C.uint32_t, state C.uintptr_t,
		out **C.OrtInspection) *C.OrtStatus {
		return C.ortc_extract_context(m.text(model), m.text(node), m.text(output), flags, state, out)
	})
}

// PrefixModel puts a prefix in front of the names of EPContext nodes and of their graphs.
func PrefixModel(ctx context.Context, model, prefix, output string,
	options *EditOptions) (JSON, error) {
	return edit(ctx, options, func(m *memory, flags C.uint32_t, state C.uintptr_t,
		out **C.OrtInspection) *C.OrtStatus {
		return C.ortc_prefix_model(m.text(model), m.text(prefix), m.text(output), flags, state, out)
	})
}

// The cache of compiled models that NewSessionFromCache fills.

// ListContextCache lists what is in a cache, the entry that was unused for the longest time first.
func ListContextCache(folder string) (JSON, error) {
	return takeInspection(func(m *memory, out **C.OrtInspection) *C.OrtStatus {
		return C.OrtListContextCache(m.text(folder), out)
	})
}

// PruneContextCache removes entries, the one that was unused for the longest time first, until the
// others take no more than so many bytes; 0 removes all.
func PruneContextCache(folder string, maxBytes uint64) (JSON, error) {
	return takeInspection(func(m *memory, out **C.OrtInspection) *C.OrtStatus {
		return C.OrtPruneContextCache(m.text(folder), C.uint64_t(maxBytes), out)
	})
}

// VerifyContextCache compares every byte of a cache with its hash; the object has "sound".
func VerifyContextCache(folder string) (JSON, error) {
	return takeInspection(func(m *memory, out **C.OrtInspection) *C.OrtStatus {
		return C.OrtVerifyContextCache(m.text(folder), out)
	})
}

// ExplainContextCache says whether a cache has what a session would compile, and what that follows
// from.
func ExplainContextCache(env *Env, model, folder string, options *SessionOptions) (JSON, error) {
	e, err := env.use()
	if err != nil {
		return "", err
	}
	defer env.end()
	o, end, err := options.use()
	if err != nil {
		return "", err
	}
	defer end()
	return takeInspection(func(m *memory, out **C.OrtInspection) *C.OrtStatus {
		return C.OrtExplainContextCache(e, m.text(model), m.text(folder), o, out)
	})
}
