// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import (
	"sync"
	"unsafe"
)

// ExternalResourceImporter imports memory and semaphores that somebody else made, as a graphics
// interface, for a device, whose work then needs no copy. One goroutine at a time may use it. What
// it made stays after its Close.
//
// Handles of the system's are numbers: file descriptors (File.Fd), or addresses. Who owns a handle
// after the import is the provider's to say; on Linux it usually makes a descriptor of its own.
type ExternalResourceImporter struct {
	object[*C.OrtExternalResourceImporter]
}

// NewExternalResourceImporter fails with ErrNotImplemented when the device's provider imports
// nothing.
func NewExternalResourceImporter(device *EpDevice) (*ExternalResourceImporter, error) {
	p, end, err := device.use()
	if err != nil {
		return nil, err
	}
	defer end()
	var pointer *C.OrtExternalResourceImporter
	err = check(C.OrtCreateExternalResourceImporterForDevice(p, &pointer))
	if err != nil {
		return nil, err
	}
	i := &ExternalResourceImporter{}
	i.own(pointer, func(p *C.OrtExternalResourceImporter) {
		C.OrtReleaseExternalResourceImporter(p)
	})
	return i, nil
}

// Close gives the importer back; closing twice is fine, and so is a nil importer.
func (i *ExternalResourceImporter) Close() error {
	if i == nil {
		return nil
	}
	return i.close()
}

func (i *ExternalResourceImporter) use() (*C.OrtExternalResourceImporter, error) {
	if i == nil {
		return nil, invalid("the importer is nil")
	}
	return i.begin("importer")
}

// ExternalMemory is imported memory. Tensors in it keep what they need of it.
type ExternalMemory struct {
	object[*C.OrtExternalMemoryHandle]
	Type ExternalMemoryType // what it was imported from
	Size int                // the bytes that were imported
}

// Close gives the memory back; closing twice is fine, and so is nil.
func (m *ExternalMemory) Close() error {
	if m == nil {
		return nil
	}
	return m.close()
}

// CanImportMemory tells whether handles of memory of a type can be imported.
func (i *ExternalResourceImporter) CanImportMemory(kind ExternalMemoryType) (bool, error) {
	p, err := i.use()
	if err != nil {
		return false, err
	}
	defer i.end()
	var can C.bool
	err = check(C.OrtCanImportMemory(p, C.OrtExternalMemoryHandleType(kind), &can))
	return bool(can), err
}

// ImportMemory imports memory of size bytes, from offset on.
func (i *ExternalResourceImporter) ImportMemory(kind ExternalMemoryType, handle uintptr,
	size, offset int) (*ExternalMemory, error) {
	if size < 0 || offset < 0 {
		return nil, invalid("size %d and offset %d: neither may be below 0", size, offset)
	}
	p, err := i.use()
	if err != nil {
		return nil, err
	}
	defer i.end()
	var pointer *C.OrtExternalMemoryHandle
	err = check(C.ortc_import_memory(p, C.OrtExternalMemoryHandleType(kind), C.uintptr_t(handle),
		C.size_t(size), C.size_t(offset), &pointer))
	if err != nil {
		return nil, err
	}
	m := &ExternalMemory{Type: kind, Size: size - offset}
	m.own(pointer, func(p *C.OrtExternalMemoryHandle) { C.OrtReleaseExternalMemoryHandle(p) })
	return m, nil
}

// NewTensor makes a tensor in imported memory, offset bytes from where the import begins. Who reads
// and writes it when is the program's to order: with semaphores.
func (i *ExternalResourceImporter) NewTensor(memory *ExternalMemory, element ElementType,
	offset int, shape ...int64) (*Value, error) {
	if memory == nil {
		return nil, invalid("the memory is nil")
	}
	if offset < 0 {
		return nil, invalid("the offset %d is below 0", offset)
	}
	p, err := i.use()
	if err != nil {
		return nil, err
	}
	defer i.end()
	m, err := memory.begin("memory")
	if err != nil {
		return nil, err
	}
	defer memory.end()
	var pointer *C.OrtValue
	err = check(C.ortc_tensor_in_memory(p, m, C.ONNXTensorElementDataType(element), cShape(shape),
		C.size_t(len(shape)), C.size_t(offset), &pointer))
	if err != nil {
		return nil, err
	}
	return newValue(pointer), nil
}

// ExternalSemaphore is an imported semaphore. Streams that wait for it, or set it, keep it, also
// after its Close.
type ExternalSemaphore struct {
	object[*C.OrtExternalSemaphoreHandle]
	Type ExternalSemaphoreType // what it was imported from
}

// Close gives the semaphore back; closing twice is fine, and so is nil.
func (s *ExternalSemaphore) Close() error {
	if s == nil {
		return nil
	}
	return s.close()
}

// CanImportSemaphore tells whether handles of semaphores of a type can be imported.
func (i *ExternalResourceImporter) CanImportSemaphore(kind ExternalSemaphoreType) (bool, error) {
	p, err := i.use()
	if err != nil {
		return false, err
	}
	defer i.end()
	var can C.bool
	err = check(C.OrtCanImportSemaphore(p, C.OrtExternalSemaphoreType(kind), &can))
	return bool(can), err
}

// ImportSemaphore imports a semaphore.
func (i *ExternalResourceImporter) ImportSemaphore(kind ExternalSemaphoreType,
	handle uintptr) (*ExternalSemaphore, error) {
	p, err := i.use()
	if err != nil {
		return nil, err
	}
	defer i.end()
	var pointer *C.OrtExternalSemaphoreHandle
	err = check(C.ortc_import_semaphore(p, C.OrtExternalSemaphoreType(kind), C.uintptr_t(handle),
		&pointer))
	if err != nil {
		return nil, err
	}
	s := &ExternalSemaphore{Type: kind}
	s.own(pointer, func(p *C.OrtExternalSemaphoreHandle) { C.OrtReleaseExternalSemaphoreHandle(p) })
	return s, nil
}

// Wait lets what is added to a stream afterwards wait until a semaphore has a value, or a greater
// one.
func (i *ExternalResourceImporter) Wait(semaphore *ExternalSemaphore, stream *SyncStream,
	value uint64) error {
	return i.order(semaphore, stream, func(p *C.OrtExternalResourceImporter,
		s *C.OrtExternalSemaphoreHandle, in *C.OrtSyncStream) *C.OrtStatus {
		return C.OrtWaitSemaphore(p, s, in, C.uint64_t(value))
	})
}

// Signal lets a stream set a semaphore to a value when it has done what was added to it before.
func (i *ExternalResourceImporter) Signal(semaphore *ExternalSemaphore, stream *SyncStream,
	value uint64) error {
	return i.order(semaphore, stream, func(p *C.OrtExternalResourceImporter,
		s *C.OrtExternalSemaphoreHandle, in *C.OrtSyncStream) *C.OrtStatus {
		return C.OrtSignalSemaphore(p, s, in, C.uint64_t(value))
	})
}

func (i *ExternalResourceImporter) order(semaphore *ExternalSemaphore, stream *SyncStream,
	call func(*C.OrtExternalResourceImporter, *C.OrtExternalSemaphoreHandle,
		*C.OrtSyncStream) *C.OrtStatus) error {
	if semaphore == nil {
		return invalid("the semaphore is nil")
	}
	p, err := i.use()
	if err != nil {
		return err
	}
	defer i.end()
	s, err := semaphore.begin("semaphore")
	if err != nil {
		return err
	}
	defer semaphore.end()
	in, end := stream.use()
	defer end()
	if stream != nil {
		if err := stream.waits.add(semaphore); err != nil {
			return err
		}
	}
	return check(call(p, s, in))
}

// semaphores are what work in a stream looks at until it is done. The stream owns them, and its
// end ends them; they never lead back to the stream.
type semaphores struct {
	mutex sync.Mutex
	list  map[*ExternalSemaphore]struct{}
}

// add keeps a semaphore open, once.
func (s *semaphores) add(semaphore *ExternalSemaphore) error {
	if s == nil {
		return invalid("the stream of a kernel's call ends with the call")
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if _, isThere := s.list[semaphore]; isThere {
		return nil
	}
	if _, err := semaphore.begin("semaphore"); err != nil {
		return err
	}
	if s.list == nil {
		s.list = map[*ExternalSemaphore]struct{}{}
	}
	s.list[semaphore] = struct{}{}
	return nil
}

func (s *semaphores) end() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for semaphore := range s.list {
		semaphore.end()
	}
	s.list = nil
}

// InitGraphicsInterop tells the provider which graphics interface its streams for the device share
// from now on. The command queue is of that interface, or nil; nil options are none. It fails with
// ErrNotImplemented when the provider shares none.
func (d *EpDevice) InitGraphicsInterop(api GraphicsAPI, commandQueue unsafe.Pointer,
	options *PairList) error {
	p, end, err := d.use()
	if err != nil {
		return err
	}
	defer end()
	list, endList, err := options.use()
	if err != nil {
		return err
	}
	defer endList()
	return check(C.ortc_init_graphics(p, C.OrtGraphicsApi(api), commandQueue, list))
}

// DeinitGraphicsInterop ends what InitGraphicsInterop began.
func (d *EpDevice) DeinitGraphicsInterop() error {
	p, end, err := d.use()
	if err != nil {
		return err
	}
	defer end()
	return check(C.OrtDeinitGraphicsInteropForEpDevice(p))
}
