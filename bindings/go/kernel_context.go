// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import (
	"fmt"
	"runtime/cgo"
	"sync"
	"sync/atomic"
	"unsafe"
)

// KernelContext is one call of a kernel: its inputs, and room for its outputs. It and its values
// are closed when Compute returns; no goroutine that Compute starts may use them longer. Slices of
// their memory (Tensor.Data) must not be used afterwards.
type KernelContext struct {
	object[*C.OrtKernelContext]
	lender
}

func (c *KernelContext) ask(f func(*C.OrtKernelContext) *C.OrtStatus) error {
	if c == nil {
		return invalid("the kernel context is nil")
	}
	p, err := c.begin("kernel context")
	if err != nil {
		return err
	}
	defer c.end()
	return check(f(p))
}

// over ends the values with the call.
func (c *KernelContext) over() {
	c.takeBack()
	_ = c.close()
}

// lender has values of the library that end before the program may notice: they are closed then.
type lender struct {
	mutex sync.Mutex
	lent  []*Value
}

func (l *lender) lend(pointer *C.OrtValue, owner any) *Value {
	if pointer == nil {
		return nil
	}
	value := borrowedValue(pointer, owner)
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.lent = append(l.lent, value)
	return value
}

func (l *lender) takeBack() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, value := range l.lent {
		_ = value.close()
	}
}

// InputCount counts the inputs of the node, those that it leaves out included.
func (c *KernelContext) InputCount() (int, error) {
	var count C.size_t
	err := c.ask(func(p *C.OrtKernelContext) *C.OrtStatus {
		return C.OrtKernelContext_GetInputCount(p, &count)
	})
	return int(count), err
}

// OutputCount counts the outputs of the node, those that it leaves out included.
func (c *KernelContext) OutputCount() (int, error) {
	var count C.size_t
	err := c.ask(func(p *C.OrtKernelContext) *C.OrtStatus {
		return C.OrtKernelContext_GetOutputCount(p, &count)
	})
	return int(count), err
}

// Input gives an input, without a copy and not to be written. It fails when the node leaves it out.
func (c *KernelContext) Input(index int) (*Value, error) {
	value, err := c.OptionalInput(index)
	if err == nil && value == nil {
		return nil, invalid("the node leaves input %d out", index)
	}
	return value, err
}

// OptionalInput gives an input; nil when the node leaves it out.
func (c *KernelContext) OptionalInput(index int) (*Value, error) {
	count, err := c.InputCount()
	if err != nil || index >= count {
		return nil, err
	}
	var value *C.OrtValue
	err = c.ask(func(p *C.OrtKernelContext) *C.OrtStatus {
		return C.OrtKernelContext_GetInput(p, C.size_t(index), &value)
	})
	return c.lend(value, c), err
}

// InputOf gives an input as a tensor of elements of one type.
func InputOf[T Element](call *KernelContext, index int) (*Tensor[T], error) {
	value, err := call.Input(index)
	if err != nil {
		return nil, err
	}
	return TensorOf[T](value)
}

// Output makes an output, a tensor of the type that the model or the operator declares. Its
// elements are undefined until they are written. It fails when the node leaves it out.
func (c *KernelContext) Output(index int, shape ...int64) (*Value, error) {
	value, err := c.OptionalOutput(index, shape...)
	if err == nil && value == nil {
		return nil, invalid("the node leaves output %d out", index)
	}
	return value, err
}

// OptionalOutput makes an output; nil when the node leaves it out.
func (c *KernelContext) OptionalOutput(index int, shape ...int64) (*Value, error) {
	count, err := c.OutputCount()
	if err != nil || index >= count {
		return nil, err
	}
	var value *C.OrtValue
	err = c.ask(func(p *C.OrtKernelContext) *C.OrtStatus {
		return C.OrtKernelContext_GetOutput(p, C.size_t(index), cShape(shape),
			C.size_t(len(shape)), &value)
	})
	return c.lend(value, c), err
}

// OutputOf makes an output as a tensor of elements of one type.
func OutputOf[T Element](call *KernelContext, index int, shape ...int64) (*Tensor[T], error) {
	value, err := call.Output(index, shape...)
	if err != nil {
		return nil, err
	}
	return TensorOf[T](value)
}

// work is a divided loop.
type work struct {
	body   func(int) error
	failed atomic.Value // of workFailure, the first
}

type workFailure struct{ err error }

// ParallelFor calls a function for each number below total, on the threads of the session, and
// returns when all calls have. batches says into how many parts the numbers are divided; 0: the
// library chooses. After an error or a panic the rest is left out, and it is what comes back.
func (c *KernelContext) ParallelFor(total, batches int, body func(index int) error) error {
	if total < 0 || batches < 0 {
		return invalid("%d numbers in %d parts", total, batches)
	}
	if body == nil {
		return invalid("the function of a loop is nil")
	}
	w := &work{body: body}
	state := cgo.NewHandle(w)
	defer state.Delete()
	err := c.ask(func(p *C.OrtKernelContext) *C.OrtStatus {
		return C.ortc_parallel_for(p, C.size_t(total), C.size_t(batches), C.uintptr_t(state))
	})
	if failure, isThere := w.failed.Load().(workFailure); isThere {
		return failure.err
	}
	return err
}

//export ortcGoStep
func ortcGoStep(state C.uintptr_t, index C.size_t) {
	w := cgo.Handle(state).Value().(*work)
	if w.failed.Load() != nil {
		return
	}
	defer func() {
		if found := recover(); found != nil {
			err := &Error{Code: ErrorCodeFail, Message: fmt.Sprintf("a loop panicked: %v", found)}
			w.failed.CompareAndSwap(nil, workFailure{err})
		}
	}()
	if err := w.body(int(index)); err != nil {
		w.failed.CompareAndSwap(nil, workFailure{err})
	}
}

// Logger gives the log of the session, for the time of the call.
func (c *KernelContext) Logger() (ProviderLogger, error) {
	var logger *C.OrtLogger
	err := c.ask(func(p *C.OrtKernelContext) *C.OrtStatus {
		return C.OrtKernelContext_GetLogger(p, &logger)
	})
	return ProviderLogger{logger}, err
}

// NewAllocator gives an allocator of a memory. What it allocates may outlive the call. Close it.
func (c *KernelContext) NewAllocator(info *MemoryInfo) (*Allocator, error) {
	var pointer *C.OrtAllocator
	i, err := info.use()
	if err != nil {
		return nil, err
	}
	defer info.end()
	err = c.ask(func(p *C.OrtKernelContext) *C.OrtStatus {
		return C.OrtKernelContext_GetAllocator(p, i, &pointer)
	})
	if err != nil {
		return nil, err
	}
	return ownAllocatorOf(pointer), nil
}

// Scratch gives memory for the time of the call; each time other memory. It is not zeroed.
func (c *KernelContext) Scratch(info *MemoryInfo, size int) ([]byte, error) {
	if size < 0 {
		return nil, invalid("the size %d is negative", size)
	}
	i, err := info.use()
	if err != nil {
		return nil, err
	}
	defer info.end()
	var data unsafe.Pointer
	err = c.ask(func(p *C.OrtKernelContext) *C.OrtStatus {
		return C.OrtKernelContext_GetScratchBuffer(p, i, C.size_t(size), &data)
	})
	if err != nil || data == nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(data), size), nil
}

// ComputeStream gives the handle of the device's stream that the call works on; nil on the CPU.
func (c *KernelContext) ComputeStream() (stream unsafe.Pointer, err error) {
	err = c.ask(func(p *C.OrtKernelContext) *C.OrtStatus {
		return C.OrtKernelContext_GetGPUComputeStream(p, &stream)
	})
	return stream, err
}

// SyncStream gives the stream that the call works on, for the time of the call; nil on the CPU.
func (c *KernelContext) SyncStream() (*SyncStream, error) {
	var pointer *C.OrtSyncStream
	err := c.ask(func(p *C.OrtKernelContext) *C.OrtStatus {
		return C.OrtKernelContext_GetSyncStream(p, &pointer)
	})
	if err != nil || pointer == nil {
		return nil, err
	}
	stream := &SyncStream{}
	stream.pointer = pointer
	stream.keep(c)
	return stream, nil
}

// Resource gives a resource of the stream, as a handle of a vendor's library. It fails where there
// is none.
func (c *KernelContext) Resource(version, id int) (resource unsafe.Pointer, err error) {
	for noun, number := range map[string]int{"version": version, "id": id} {
		if err := fitsInt(noun, number); err != nil {
			return nil, err
		}
	}
	err = c.ask(func(p *C.OrtKernelContext) *C.OrtStatus {
		return C.OrtKernelContext_GetResource(p, C.int(version), C.int(id), &resource)
	})
	return resource, err
}
