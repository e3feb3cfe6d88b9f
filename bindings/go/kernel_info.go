// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import (
	"unsafe"
)

// KernelInfo tells of the node that a kernel is made for. It is closed when NewKernel returns; Copy
// makes one that may be kept.
type KernelInfo struct {
	object[*C.OrtKernelInfo]
	lender
}

// Copy makes a copy that lives until Close.
func (i *KernelInfo) Copy() (*KernelInfo, error) {
	var pointer *C.OrtKernelInfo
	err := i.ask(func(p *C.OrtKernelInfo, _ *memory) *C.OrtStatus {
		return C.OrtCopyKernelInfo(p, &pointer)
	})
	if err != nil {
		return nil, err
	}
	copied := &KernelInfo{}
	copied.own(pointer, func(p *C.OrtKernelInfo) { C.OrtReleaseKernelInfo(p) })
	return copied, nil
}

// Close gives a copy back; closing twice is fine.
func (i *KernelInfo) Close() error {
	if i == nil {
		return nil
	}
	i.takeBack()
	return i.close()
}

func (i *KernelInfo) ask(f func(*C.OrtKernelInfo, *memory) *C.OrtStatus) error {
	if i == nil {
		return invalid("the kernel info is nil")
	}
	return i.call("kernel info", f)
}

// copyText copies a text of the node into as much room as there is, and tells how much it takes.
type copyText = func(p *C.OrtKernelInfo, out *C.char, size *C.size_t) *C.OrtStatus

func (i *KernelInfo) text(copyText copyText) (text string, err error) {
	err = i.ask(func(p *C.OrtKernelInfo, m *memory) *C.OrtStatus {
		var size C.size_t
		if status := copyText(p, nil, &size); status != nil {
			return status
		}
		room := (*C.char)(m.block(uintptr(size)))
		status := copyText(p, room, &size)
		if status == nil && size > 0 {
			text = string(unsafe.Slice((*byte)(unsafe.Pointer(room)), int(size)-1))
		}
		return status
	})
	return text, err
}

func (i *KernelInfo) count(get func(*C.OrtKernelInfo, *C.size_t) *C.OrtStatus) (int, error) {
	var count C.size_t
	err := i.ask(func(p *C.OrtKernelInfo, _ *memory) *C.OrtStatus { return get(p, &count) })
	return int(count), err
}

// NodeName tells the name of the node, which may be empty.
func (i *KernelInfo) NodeName() (string, error) {
	return i.text(func(p *C.OrtKernelInfo, out *C.char, size *C.size_t) *C.OrtStatus {
		return C.OrtKernelInfo_GetNodeName(p, out, size)
	})
}

// OperatorType tells the name of the operator.
func (i *KernelInfo) OperatorType() (string, error) {
	return i.text(func(p *C.OrtKernelInfo, out *C.char, size *C.size_t) *C.OrtStatus {
		return C.OrtKernelInfo_GetOperatorType(p, out, size)
	})
}

// Domain tells the domain of the operator.
func (i *KernelInfo) Domain() (string, error) {
	return i.text(func(p *C.OrtKernelInfo, out *C.char, size *C.size_t) *C.OrtStatus {
		return C.OrtKernelInfo_GetOperatorDomain(p, out, size)
	})
}

// SinceVersion tells the opset version from which the operator is as it is.
func (i *KernelInfo) SinceVersion() (int, error) {
	var version C.int
	err := i.ask(func(p *C.OrtKernelInfo, _ *memory) *C.OrtStatus {
		return C.OrtKernelInfo_GetOperatorSinceVersion(p, &version)
	})
	return int(version), err
}

// InputCount counts the inputs of the node, those that it leaves out included.
func (i *KernelInfo) InputCount() (int, error) {
	return i.count(func(p *C.OrtKernelInfo, out *C.size_t) *C.OrtStatus {
		return C.OrtKernelInfo_GetInputCount(p, out)
	})
}

// OutputCount counts the outputs of the node, those that it leaves out included.
func (i *KernelInfo) OutputCount() (int, error) {
	return i.count(func(p *C.OrtKernelInfo, out *C.size_t) *C.OrtStatus {
		return C.OrtKernelInfo_GetOutputCount(p, out)
	})
}

// InputName tells the name of an input; empty for one that is left out.
func (i *KernelInfo) InputName(index int) (string, error) {
	return i.text(func(p *C.OrtKernelInfo, out *C.char, size *C.size_t) *C.OrtStatus {
		return C.OrtKernelInfo_GetInputName(p, C.size_t(index), out, size)
	})
}

// OutputName tells the name of an output; empty for one that is left out.
func (i *KernelInfo) OutputName(index int) (string, error) {
	return i.text(func(p *C.OrtKernelInfo, out *C.char, size *C.size_t) *C.OrtStatus {
		return C.OrtKernelInfo_GetOutputName(p, C.size_t(index), out, size)
	})
}

// InputType tells the type of an input as far as the model does. It fails with ErrInvalidGraph when
// the input is left out or its type unknown.
func (i *KernelInfo) InputType(index int) (*TypeInfo, error) {
	var info *C.OrtTypeInfo
	err := i.ask(func(p *C.OrtKernelInfo, _ *memory) *C.OrtStatus {
		return C.OrtKernelInfo_GetInputTypeInfo(p, C.size_t(index), &info)
	})
	if err != nil {
		return nil, err
	}
	return takeType(info)
}

// OutputType tells the type of an output as far as the model does, and fails like InputType.
func (i *KernelInfo) OutputType(index int) (*TypeInfo, error) {
	var info *C.OrtTypeInfo
	err := i.ask(func(p *C.OrtKernelInfo, _ *memory) *C.OrtStatus {
		return C.OrtKernelInfo_GetOutputTypeInfo(p, C.size_t(index), &info)
	})
	if err != nil {
		return nil, err
	}
	return takeType(info)
}

// ConstantInput gives an input that is the same at every run, not to be written; nil when it is
// not. It is closed with the info.
func (i *KernelInfo) ConstantInput(index int) (*Value, error) {
	var isConstant C.int
	var value *C.OrtValue
	err := i.ask(func(p *C.OrtKernelInfo, _ *memory) *C.OrtStatus {
		return C.OrtKernelInfoGetConstantInput_tensor(p, C.size_t(index), &isConstant, &value)
	})
	if err != nil {
		return nil, err
	}
	return i.lend(value, i), nil
}

// Logger gives the log of the session. It lives as long as the info.
func (i *KernelInfo) Logger() (ProviderLogger, error) {
	var logger *C.OrtLogger
	err := i.ask(func(p *C.OrtKernelInfo, _ *memory) *C.OrtStatus {
		return C.OrtKernelInfo_GetLogger(p, &logger)
	})
	return ProviderLogger{logger}, err
}

// NewAllocator gives an allocator of the memory that the kernel works in. Close it.
func (i *KernelInfo) NewAllocator(memType MemType) (*Allocator, error) {
	var pointer *C.OrtAllocator
	err := i.ask(func(p *C.OrtKernelInfo, _ *memory) *C.OrtStatus {
		return C.OrtKernelInfoGetAllocator(p, C.OrtMemType(memType), &pointer)
	})
	if err != nil {
		return nil, err
	}
	return ownAllocatorOf(pointer), nil
}

func ownAllocatorOf(pointer *C.OrtAllocator) *Allocator {
	a := &Allocator{}
	a.own(pointer, func(p *C.OrtAllocator) { C.OrtReleaseAllocator(p) })
	return a
}

// ConfigEntries lists the config entries of the session.
func (i *KernelInfo) ConfigEntries() (KeyValuePairs, error) {
	var list *C.OrtKeyValuePairs
	err := i.ask(func(p *C.OrtKernelInfo, _ *memory) *C.OrtStatus {
		return C.OrtKernelInfo_GetConfigEntries(p, &list)
	})
	if err != nil {
		return nil, err
	}
	return takePairs(list), nil
}
