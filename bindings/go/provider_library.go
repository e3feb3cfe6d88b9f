// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

// Libraries of others: execution providers for an environment, operators for session options.

// RegisterProviderLibrary loads a shared library of execution providers, under a name that no other
// library of the environment has, and adds its devices to EpDevices. A name that ends in ".virtual"
// allows it to offer virtual devices. When anything fails, nothing was added.
func (e *Env) RegisterProviderLibrary(name, path string) error {
	return e.call("environment", func(p *C.OrtEnv, m *memory) *C.OrtStatus {
		return C.OrtRegisterExecutionProviderLibrary(p, m.text(name), m.text(path))
	})
}

// UnregisterProviderLibrary takes the devices of a library away again. The library is unloaded when
// the last session that uses it was closed; its devices tell what they were, and can be used no more.
func (e *Env) UnregisterProviderLibrary(name string) error {
	return e.call("environment", func(p *C.OrtEnv, m *memory) *C.OrtStatus {
		return C.OrtUnregisterExecutionProviderLibrary(p, m.text(name))
	})
}

// RegisterOperatorLibrary adds the operators of a shared library that exports RegisterCustomOps. It
// stays as long as these options and the sessions that are made with them.
func (o *SessionOptions) RegisterOperatorLibrary(path string) error {
	return o.change(func(p *C.OrtSessionOptions, m *memory) *C.OrtStatus {
		return C.OrtRegisterCustomOpsLibrary_V2(p, m.text(path))
	})
}

// RegisterOperatorFunction does the same with a C function of the program, found by its name.
func (o *SessionOptions) RegisterOperatorFunction(name string) error {
	return o.change(func(p *C.OrtSessionOptions, m *memory) *C.OrtStatus {
		return C.OrtRegisterCustomOpsUsingFunction(p, m.text(name))
	})
}

// EnableOrtCustomOps fails: no operators come with the library beside those that it has anyway.
func (o *SessionOptions) EnableOrtCustomOps() error {
	return o.change(func(p *C.OrtSessionOptions, _ *memory) *C.OrtStatus {
		return C.OrtEnableOrtCustomOps(p)
	})
}
