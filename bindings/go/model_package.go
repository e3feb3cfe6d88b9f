// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import (
	"context"
	"sync"
	"unsafe"
)

// ModelPackage is a folder with models in several variants, each for an execution provider and what
// it was compiled for. No model is opened before there is a session. ModelPackageWriter makes
// packages. All methods may be called by any number of goroutines.
type ModelPackage struct {
	object[*C.OrtModelPackageContext]
	resolving sync.Mutex // the library keeps the last resolved path only
}

// OpenModelPackage reads the manifest of a package, its components and their variants.
func OpenModelPackage(root string) (*ModelPackage, error) {
	var pointer *C.OrtModelPackageContext
	err := withMemory(func(m *memory) *C.OrtStatus {
		return C.OrtCreateModelPackageContext(m.text(root), &pointer)
	})
	if err != nil {
		return nil, err
	}
	p := &ModelPackage{}
	p.own(pointer, func(p *C.OrtModelPackageContext) { C.OrtReleaseModelPackageContext(p) })
	return p, nil
}

// Close gives the package back; components that were selected and their sessions stay. Closing
// twice is fine, and so is a nil package.
func (p *ModelPackage) Close() error {
	if p == nil {
		return nil
	}
	return p.close()
}

func (p *ModelPackage) ask(f func(*C.OrtModelPackageContext, *memory) *C.OrtStatus) error {
	if p == nil {
		return invalid("the package is nil")
	}
	return p.call("package", f)
}

// SchemaVersion tells the major version of the package's format.
func (p *ModelPackage) SchemaVersion() int {
	var version C.int64_t
	must(p.ask(func(p *C.OrtModelPackageContext, _ *memory) *C.OrtStatus {
		return C.OrtModelPackage_GetSchemaVersion(p, &version)
	}))
	return int(version)
}

// ComponentCount counts the components.
func (p *ModelPackage) ComponentCount() int {
	var count C.size_t
	must(p.ask(func(p *C.OrtModelPackageContext, _ *memory) *C.OrtStatus {
		return C.OrtModelPackage_GetComponentCount(p, &count)
	}))
	return int(count)
}

// Components lists the names of the components, in the order of the manifest.
func (p *ModelPackage) Components() (names []string) {
	must(p.ask(func(p *C.OrtModelPackageContext, _ *memory) *C.OrtStatus {
		var list **C.char
		var count C.size_t
		status := C.OrtModelPackage_GetComponentNames(p, &list, &count)
		names = goTexts(list, count)
		return status
	}))
	return names
}

// VariantCount counts the variants of a component.
func (p *ModelPackage) VariantCount(component string) (int, error) {
	var count C.size_t
	err := p.ask(func(p *C.OrtModelPackageContext, m *memory) *C.OrtStatus {
		return C.OrtModelPackage_GetVariantCount(p, m.text(component), &count)
	})
	return int(count), err
}

// Variants lists the names of a component's variants, in the order of the manifest.
func (p *ModelPackage) Variants(component string) (names []string, err error) {
	err = p.ask(func(p *C.OrtModelPackageContext, m *memory) *C.OrtStatus {
		var list **C.char
		var count C.size_t
		status := C.OrtModelPackage_GetVariantNames(p, m.text(component), &list, &count)
		names = goTexts(list, count)
		return status
	})
	return names, err
}

// Provider tells which execution provider a variant is for; empty when it names none.
func (p *ModelPackage) Provider(component, variant string) (name string, err error) {
	err = p.ask(func(p *C.OrtModelPackageContext, m *memory) *C.OrtStatus {
		var text *C.char
		status := C.OrtModelPackage_GetVariantEpName(p, m.text(component), m.text(variant), &text)
		name = goText(text)
		return status
	})
	return name, err
}

// Resolve finds the path that a text in the package means: a shared asset ("sha256:..."), something
// in one ("sha256:.../name"), or a path seen from a folder, which is that of the package when base
// is empty. With mustExist it is an error when nothing is there.
func (p *ModelPackage) Resolve(reference, base string, mustExist bool) (path string, err error) {
	err = p.ask(func(native *C.OrtModelPackageContext, m *memory) *C.OrtStatus {
		input, folder := m.text(reference), m.text(base)
		p.resolving.Lock()
		defer p.resolving.Unlock()
		var text *C.char
		status := C.OrtModelPackage_ResolveStringRef(native, folder, input, flag(mustExist), &text)
		path = goText(text)
		return status
	})
	return path, err
}

// Select takes the variant of a component that is best for the providers of the options, nil for
// the defaults, which are asked in their order. An error says of each variant why it is not taken.
func (p *ModelPackage) Select(env *Env, component string,
	options *SessionOptions) (*ModelPackageComponent, error) {
	var pointer *C.OrtModelPackageComponentContext
	err := withWanted(env, options, func(wanted *C.OrtModelPackageOptions) error {
		return p.ask(func(p *C.OrtModelPackageContext, m *memory) *C.OrtStatus {
			return C.OrtModelPackage_SelectComponent(p, m.text(component), wanted, &pointer)
		})
	})
	if err != nil {
		return nil, err
	}
	c := &ModelPackageComponent{}
	c.own(pointer, func(p *C.OrtModelPackageComponentContext) {
		C.OrtReleaseModelPackageComponentContext(p)
	})
	c.keep(env.kept()...)
	return c, nil
}

// NewSession makes a session of the variant that is best for the providers of the options, with the
// options that the package has for it: Select, and NewSession of what it gives.
func (p *ModelPackage) NewSession(ctx context.Context, env *Env, component string,
	options *SessionOptions) (*Session, error) {
	selected, err := p.Select(env, component, options)
	if err != nil {
		return nil, err
	}
	defer selected.Close()
	return selected.NewSession(ctx, env, nil)
}

// Describe tells the components, their variants and the shared assets. With an environment it also
// tells what the providers of the options say of each variant, and which one is selected.
func (p *ModelPackage) Describe(env *Env, options *SessionOptions) (report JSON, err error) {
	describe := func(wanted *C.OrtModelPackageOptions) error {
		var err error
		report, err = p.report(func(p *C.OrtModelPackageContext,
			out **C.OrtInspection) *C.OrtStatus {
			return C.OrtModelPackage_Describe(p, wanted, out)
		})
		return err
	}
	if env == nil && options == nil {
		err = describe(nil)
	} else {
		err = withWanted(env, options, describe)
	}
	return report, err
}

// Verify compares everything in the package that has a hash with it. "verdict" is "sound" or
// "broken"; what is broken is no error.
func (p *ModelPackage) Verify() (JSON, error) {
	return p.report(func(p *C.OrtModelPackageContext, out **C.OrtInspection) *C.OrtStatus {
		return C.OrtModelPackage_Verify(p, out)
	})
}

func (p *ModelPackage) report(
	f func(*C.OrtModelPackageContext, **C.OrtInspection) *C.OrtStatus) (JSON, error) {
	if p == nil {
		return "", invalid("the package is nil")
	}
	native, err := p.begin("package")
	if err != nil {
		return "", err
	}
	defer p.end()
	return takeInspection(func(_ *memory, out **C.OrtInspection) *C.OrtStatus {
		return f(native, out)
	})
}

// withWanted notes for one call what options choose; nil options are the defaults.
func withWanted(env *Env, options *SessionOptions,
	call func(*C.OrtModelPackageOptions) error) error {
	e, err := env.use()
	if err != nil {
		return err
	}
	defer env.end()
	if options == nil {
		if options, err = NewSessionOptions(); err != nil {
			return err
		}
		defer options.Close()
	}
	o, end, err := options.use()
	if err != nil {
		return err
	}
	defer end()
	var wanted *C.OrtModelPackageOptions
	err = check(C.OrtCreateModelPackageOptionsFromSessionOptions(e, o, &wanted))
	if err != nil {
		return err
	}
	defer C.OrtReleaseModelPackageOptions(wanted)
	return call(wanted)
}

// goTexts copies a borrowed array of texts.
func goTexts(list **C.char, count C.size_t) []string {
	texts := make([]string, 0, int(count))
	for _, text := range unsafe.Slice(list, int(count)) {
		texts = append(texts, C.GoString(text))
	}
	return texts
}
