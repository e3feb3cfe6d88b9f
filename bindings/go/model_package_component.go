// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import "context"

// ModelPackageComponent is a component of a package with the variant that was selected of it. It
// does not need the package. Any number of goroutines may use it.
type ModelPackageComponent struct {
	object[*C.OrtModelPackageComponentContext]
}

// Close gives the component back; its sessions stay. Closing twice is fine, and so is a nil
// component.
func (c *ModelPackageComponent) Close() error {
	if c == nil {
		return nil
	}
	return c.close()
}

func (c *ModelPackageComponent) text(
	get func(*C.OrtModelPackageComponentContext, **C.char) *C.OrtStatus) (text string) {
	if c == nil {
		panic(invalid("the component is nil"))
	}
	must(c.call("component", func(p *C.OrtModelPackageComponentContext, _ *memory) *C.OrtStatus {
		var borrowed *C.char
		status := get(p, &borrowed)
		text = goText(borrowed)
		return status
	}))
	return text
}

// Variant tells the name of the variant.
func (c *ModelPackageComponent) Variant() string {
	return c.text(func(p *C.OrtModelPackageComponentContext, out **C.char) *C.OrtStatus {
		return C.OrtModelPackageComponent_GetSelectedVariantName(p, out)
	})
}

// Folder tells the variant's folder; empty when it has none.
func (c *ModelPackageComponent) Folder() string {
	return c.text(func(p *C.OrtModelPackageComponentContext, out **C.char) *C.OrtStatus {
		return C.OrtModelPackageComponent_GetSelectedVariantFolderPath(p, out)
	})
}

// NewSession makes a session of the variant's model, with the provider that it was selected for.
//
// With nil options the session has those of the package, and the context counts before the work
// begins only. Others take the place of the package's, but for paths in the package that they do
// not have, and the end of the context stops the work.
func (c *ModelPackageComponent) NewSession(ctx context.Context, env *Env,
	options *SessionOptions) (*Session, error) {
	if c == nil {
		return nil, invalid("the component is nil")
	}
	native, err := c.begin("component")
	if err != nil {
		return nil, err
	}
	defer c.end()
	ctx = orBackground(ctx)
	if options == nil {
		if err := ended(ctx, ErrorCodeModelLoadCanceled); err != nil {
			return nil, err
		}
		// To be stopped, a load needs options, and the package's would not count then.
		ctx = context.Background()
	}
	session, err := newSession(ctx, env, options, func(l *loading) *C.OrtStatus {
		return C.OrtModelPackage_CreateSession(l.env, native, l.options, &l.session)
	})
	if err != nil {
		return nil, err
	}
	session.keep(c.kept()...)
	return session, nil
}
