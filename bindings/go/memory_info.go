// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

// MemoryInfo describes a kind of memory. It does not change; any number of goroutines may use one.
type MemoryInfo struct {
	object[*C.OrtMemoryInfo]
}

func borrowedMemoryInfo(pointer *C.OrtMemoryInfo, owner any) *MemoryInfo {
	i := &MemoryInfo{}
	i.pointer = pointer
	i.keep(owner)
	return i
}

func newMemoryInfo(create func(*memory, **C.OrtMemoryInfo) *C.OrtStatus) (*MemoryInfo, error) {
	i := &MemoryInfo{}
	var pointer *C.OrtMemoryInfo
	err := withMemory(func(m *memory) *C.OrtStatus { return create(m, &pointer) })
	if err != nil {
		return nil, err
	}
	i.own(pointer, func(p *C.OrtMemoryInfo) { C.OrtReleaseMemoryInfo(p) })
	return i, nil
}

// NewCPUMemoryInfo describes memory of the CPU.
func NewCPUMemoryInfo(how AllocatorType, use MemType) (*MemoryInfo, error) {
	return newMemoryInfo(func(_ *memory, out **C.OrtMemoryInfo) *C.OrtStatus {
		return C.OrtCreateCpuMemoryInfo(C.enum_OrtAllocatorType(how), C.enum_OrtMemType(use), out)
	})
}

// NewMemoryInfo describes memory of a device known by its name: "Cpu", or one that ONNX Runtime
// gives to the memory of its providers.
func NewMemoryInfo(name string, how AllocatorType, id int, use MemType) (*MemoryInfo, error) {
	if err := fitsInt("id", id); err != nil {
		return nil, err
	}
	return newMemoryInfo(func(m *memory, out **C.OrtMemoryInfo) *C.OrtStatus {
		return C.OrtCreateMemoryInfo(m.text(name), C.enum_OrtAllocatorType(how), C.int(id),
			C.enum_OrtMemType(use), out)
	})
}

// DeviceMemory describes memory of a device known by its numbers; see NewDeviceMemoryInfo.
type DeviceMemory struct {
	Name       string // free to choose
	DeviceType MemoryInfoDeviceType
	VendorID   uint32 // 0 for none
	DeviceID   int32  // which of several devices
	MemoryType DeviceMemoryType
	Alignment  int // in bytes, a power of two; 0 for the default
	Type       AllocatorType
}

// NewDeviceMemoryInfo describes memory of a device known by its numbers.
func NewDeviceMemoryInfo(d DeviceMemory) (*MemoryInfo, error) {
	if d.Alignment < 0 {
		return nil, invalid("the alignment %d is negative", d.Alignment)
	}
	return newMemoryInfo(func(m *memory, out **C.OrtMemoryInfo) *C.OrtStatus {
		return C.OrtCreateMemoryInfo_V2(m.text(d.Name), C.enum_OrtMemoryInfoDeviceType(d.DeviceType),
			C.uint32_t(d.VendorID), C.int32_t(d.DeviceID), C.enum_OrtDeviceMemoryType(d.MemoryType),
			C.size_t(d.Alignment), C.enum_OrtAllocatorType(d.Type), out)
	})
}

// Close gives the description back; closing twice is fine. One that was borrowed stays.
func (i *MemoryInfo) Close() error {
	if i == nil {
		return nil
	}
	return i.close()
}

func (i *MemoryInfo) use() (*C.OrtMemoryInfo, error) {
	if i == nil {
		return nil, invalid("the memory info is nil")
	}
	return i.begin("memory info")
}

func (i *MemoryInfo) with(f func(*C.OrtMemoryInfo) *C.OrtStatus) error {
	p, err := i.use()
	if err != nil {
		return err
	}
	defer i.end()
	return check(f(p))
}

// ask is for getters, which cannot fail while the description is open.
func (i *MemoryInfo) ask(f func(*C.OrtMemoryInfo) *C.OrtStatus) { must(i.with(f)) }

// Name tells the name, as "Cpu".
func (i *MemoryInfo) Name() (name string) {
	i.ask(func(p *C.OrtMemoryInfo) *C.OrtStatus {
		var text *C.char
		status := C.OrtMemoryInfoGetName(p, &text)
		name = goText(text)
		return status
	})
	return name
}

// ID tells the number of the device.
func (i *MemoryInfo) ID() int {
	var id C.int
	i.ask(func(p *C.OrtMemoryInfo) *C.OrtStatus { return C.OrtMemoryInfoGetId(p, &id) })
	return int(id)
}

// MemType tells what the memory is for.
func (i *MemoryInfo) MemType() MemType {
	var kind C.OrtMemType
	i.ask(func(p *C.OrtMemoryInfo) *C.OrtStatus { return C.OrtMemoryInfoGetMemType(p, &kind) })
	return MemType(kind)
}

// Type tells how the memory is got.
func (i *MemoryInfo) Type() AllocatorType {
	var kind C.OrtAllocatorType
	i.ask(func(p *C.OrtMemoryInfo) *C.OrtStatus { return C.OrtMemoryInfoGetType(p, &kind) })
	return AllocatorType(kind)
}

// DeviceType tells the kind of device.
func (i *MemoryInfo) DeviceType() MemoryInfoDeviceType {
	var kind C.OrtMemoryInfoDeviceType
	i.ask(func(p *C.OrtMemoryInfo) *C.OrtStatus {
		C.OrtMemoryInfoGetDeviceType(p, &kind)
		return nil
	})
	return MemoryInfoDeviceType(kind)
}

// DeviceMemoryType tells where on the device the memory lies.
func (i *MemoryInfo) DeviceMemoryType() (kind DeviceMemoryType) {
	i.ask(func(p *C.OrtMemoryInfo) *C.OrtStatus {
		kind = DeviceMemoryType(C.OrtMemoryInfoGetDeviceMemType(p))
		return nil
	})
	return kind
}

// VendorID tells the vendor's number; 0 for none.
func (i *MemoryInfo) VendorID() (id uint32) {
	i.ask(func(p *C.OrtMemoryInfo) *C.OrtStatus {
		id = uint32(C.OrtMemoryInfoGetVendorId(p))
		return nil
	})
	return id
}

// Equal says whether two descriptions mean the same memory.
func (i *MemoryInfo) Equal(other *MemoryInfo) bool {
	var differ C.int
	i.ask(func(p *C.OrtMemoryInfo) (status *C.OrtStatus) {
		other.ask(func(q *C.OrtMemoryInfo) *C.OrtStatus {
			status = C.OrtCompareMemoryInfo(p, q, &differ)
			return nil
		})
		return status
	})
	return differ == 0
}
