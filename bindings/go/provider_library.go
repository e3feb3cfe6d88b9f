// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

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
