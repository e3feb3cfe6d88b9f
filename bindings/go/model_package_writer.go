// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

// ModelPackageWriter makes a package of models that are there already, compiled or not: each
// becomes a variant of a component. Nothing is copied before Write, which writes everything or
// nothing. One goroutine at a time may use a writer.
type ModelPackageWriter struct {
	object[*C.OrtModelPackageWriter]
}

// ModelPackageInfo is for people and other programs; what is empty is left out.
type ModelPackageInfo struct {
	Name, Version, Description string
}

// VariantSettings say what a variant is for, and how its sessions are made. What is empty is left
// out.
type VariantSettings struct {
	Provider      string // its execution provider; without one, who compiled the model, or the CPU's
	Device        string // "cpu", "gpu" or "npu"
	Compatibility string // what the provider said when it compiled; see CompatibilityInfo
	// Options of sessions, as SessionOptions.Set, and of the provider, as AddProvider takes them.
	SessionOptions, ProviderOptions KeyValuePairs
}

// NewModelPackageWriter begins a package without variants.
func NewModelPackageWriter(info ModelPackageInfo) (*ModelPackageWriter, error) {
	list, err := NewPairList(withoutEmpty(KeyValuePairs{"package_name": info.Name,
		"package_version": info.Version, "description": info.Description}))
	if err != nil {
		return nil, err
	}
	defer list.Close()
	var pointer *C.OrtModelPackageWriter
	if err := check(C.OrtCreateModelPackageWriter(list.pointer, &pointer)); err != nil {
		return nil, err
	}
	w := &ModelPackageWriter{}
	w.own(pointer, func(p *C.OrtModelPackageWriter) { C.OrtReleaseModelPackageWriter(p) })
	return w, nil
}

// Close gives the writer back; what it wrote stays. Closing twice is fine, and so is a nil writer.
func (w *ModelPackageWriter) Close() error {
	if w == nil {
		return nil
	}
	return w.close()
}

func (w *ModelPackageWriter) ask(f func(*C.OrtModelPackageWriter, *memory) *C.OrtStatus) error {
	if w == nil {
		return invalid("the package writer is nil")
	}
	return w.call("package writer", f)
}

// pairs gives the settings by the keys of the library.
func (s *VariantSettings) pairs() KeyValuePairs {
	if s == nil {
		return nil
	}
	pairs := withoutEmpty(KeyValuePairs{"ep": s.Provider, "device": s.Device,
		"compatibility_string": s.Compatibility})
	for key, value := range s.SessionOptions {
		pairs["session_options."+key] = value
	}
	for key, value := range s.ProviderOptions {
		pairs["provider_options."+key] = value
	}
	return pairs
}

func withoutEmpty(pairs KeyValuePairs) KeyValuePairs {
	for key, value := range pairs {
		if value == "" {
			delete(pairs, key)
		}
	}
	return pairs
}

// AddVariant adds a model as a variant of a component; both keep the order in which they come. The
// files that the model names are found beside it. nil settings: what the model itself says.
func (w *ModelPackageWriter) AddVariant(component, variant, modelPath string,
	settings *VariantSettings) error {
	list, err := NewPairList(settings.pairs())
	if err != nil {
		return err
	}
	defer list.Close()
	return w.ask(func(p *C.OrtModelPackageWriter, m *memory) *C.OrtStatus {
		return C.OrtModelPackageWriter_AddVariant(p, m.text(component), m.text(variant),
			m.text(modelPath), list.pointer)
	})
}

// AddSharedAsset adds a folder that variants share, as a tokenizer's, and gives the text by which
// settings and programs refer to it: "sha256:...". See ModelPackage.Resolve.
func (w *ModelPackageWriter) AddSharedAsset(folder string) (reference string, err error) {
	err = w.ask(func(p *C.OrtModelPackageWriter, m *memory) *C.OrtStatus {
		var text *C.char
		status := C.OrtModelPackageWriter_AddSharedAsset(p, m.text(folder), defaultAllocator(),
			&text)
		reference = takeText(text)
		return status
	})
	return reference, err
}

// Write writes the package to a folder that is not there yet. The report has "files".
func (w *ModelPackageWriter) Write(root string, flags ModelPackageWriteFlags) (JSON, error) {
	if w == nil {
		return "", invalid("the package writer is nil")
	}
	native, err := w.begin("package writer")
	if err != nil {
		return "", err
	}
	defer w.end()
	return takeInspection(func(m *memory, out **C.OrtInspection) *C.OrtStatus {
		return C.OrtModelPackageWriter_Write(native, m.text(root), C.uint32_t(flags), out)
	})
}
