// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import "unsafe"

// LoraAdapter is a set of tensors in a file of their own that a run feeds to inputs of the model,
// in ONNX Runtime's format (".onnx_adapter"). See RunOptions.AddLoraAdapter.
type LoraAdapter struct {
	object[*C.OrtLoraAdapter]
}

// NewLoraAdapter reads an adapter from a file, which is mapped and stays open.
func NewLoraAdapter(path string) (*LoraAdapter, error) {
	return newLoraAdapter(func(m *memory, out **C.OrtLoraAdapter) *C.OrtStatus {
		return C.OrtCreateLoraAdapter(m.text(path), nil, out)
	})
}

// NewLoraAdapterFromBytes reads an adapter from bytes, which are copied.
func NewLoraAdapterFromBytes(data []byte) (*LoraAdapter, error) {
	return newLoraAdapter(func(_ *memory, out **C.OrtLoraAdapter) *C.OrtStatus {
		return C.OrtCreateLoraAdapterFromArray(unsafe.Pointer(first(data)), C.size_t(len(data)),
			nil, out)
	})
}

func newLoraAdapter(create func(*memory, **C.OrtLoraAdapter) *C.OrtStatus) (*LoraAdapter, error) {
	var pointer *C.OrtLoraAdapter
	err := withMemory(func(m *memory) *C.OrtStatus { return create(m, &pointer) })
	if err != nil {
		return nil, err
	}
	a := &LoraAdapter{}
	a.own(pointer, func(p *C.OrtLoraAdapter) { C.OrtReleaseLoraAdapter(p) })
	return a, nil
}

// Close gives the adapter back; run options keep what they need of it. Closing twice is fine.
func (a *LoraAdapter) Close() error {
	if a == nil {
		return nil
	}
	return a.close()
}
