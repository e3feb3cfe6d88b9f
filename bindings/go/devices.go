// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import "unsafe"

// HardwareDevice is a piece of hardware that can run models. It keeps its environment reachable.
type HardwareDevice struct {
	Type     HardwareDeviceType
	Vendor   string // empty when it is not known
	VendorID uint32 // as on the PCI bus; 0 when there is none
	DeviceID uint32 // of the device model; 0 when there is none
	Metadata KeyValuePairs

	pointer *C.OrtHardwareDevice
	env     *Env // nil when it is not known: the device only tells what it is
}

// IsVirtual says whether the device can only be compiled for: it never runs anything.
func (d *HardwareDevice) IsVirtual() bool {
	return d.Metadata[KeyHardwareDeviceMetadataKeyIsVirtual] == "1"
}

func goHardware(env *Env, device *C.OrtHardwareDevice) HardwareDevice {
	return HardwareDevice{
		Type:     HardwareDeviceType(C.OrtHardwareDevice_Type(device)),
		Vendor:   goText(C.OrtHardwareDevice_Vendor(device)),
		VendorID: uint32(C.OrtHardwareDevice_VendorId(device)),
		DeviceID: uint32(C.OrtHardwareDevice_DeviceId(device)),
		Metadata: goPairs(C.OrtHardwareDevice_Metadata(device)),
		pointer:  device,
		env:      env,
	}
}

// EpDevice is an execution provider paired with a device that it serves. It keeps its environment
// reachable, and is of no use once that is closed.
type EpDevice struct {
	EpName   string        // as "AotExecutionProvider"
	EpVendor string        // who made the provider
	Metadata KeyValuePairs // what the provider says about itself; "version" is always there
	Options  KeyValuePairs // provider options that suit the device
	Device   HardwareDevice

	pointer *C.OrtEpDevice
	env     *Env
}

func goEpDevice(env *Env, device *C.OrtEpDevice) *EpDevice {
	return &EpDevice{
		EpName:   goText(C.OrtEpDevice_EpName(device)),
		EpVendor: goText(C.OrtEpDevice_EpVendor(device)),
		Metadata: goPairs(C.OrtEpDevice_EpMetadata(device)),
		Options:  goPairs(C.OrtEpDevice_EpOptions(device)),
		Device:   goHardware(env, C.OrtEpDevice_Device(device)),
		pointer:  device,
		env:      env,
	}
}

// EpDevices lists every pair of an execution provider and a device that the environment knows.
func (e *Env) EpDevices() ([]*EpDevice, error) {
	var devices []*EpDevice
	err := e.call("environment", func(p *C.OrtEnv, _ *memory) *C.OrtStatus {
		var list **C.OrtEpDevice
		var count C.size_t
		status := C.OrtGetEpDevices(p, &list, &count)
		if status == nil && count != 0 {
			for _, device := range unsafe.Slice(list, int(count)) {
				devices = append(devices, goEpDevice(e, device))
			}
		}
		return status
	})
	return devices, err
}

// HardwareDevices lists the hardware that the environment knows.
func (e *Env) HardwareDevices() ([]HardwareDevice, error) {
	p, err := e.use()
	if err != nil {
		return nil, err
	}
	defer e.end()
	list, err := listOf(
		func(count *C.size_t) *C.OrtStatus { return C.OrtGetNumHardwareDevices(p, count) },
		func(list **C.OrtHardwareDevice, count C.size_t) *C.OrtStatus {
			return C.OrtGetHardwareDevices(p, list, count)
		})
	devices := make([]HardwareDevice, 0, len(list))
	for _, device := range list {
		devices = append(devices, goHardware(e, device))
	}
	return devices, err
}

// use gives the C device to a call that ends before its environment does.
func (d *EpDevice) use() (*C.OrtEpDevice, func(), error) {
	if d == nil || d.env == nil {
		return nil, nil, invalid("the device is not one of Env.EpDevices()")
	}
	_, err := d.env.use()
	return d.pointer, d.env.end, err
}

// MemoryInfo describes a memory of the device; nil when it is that of the processor.
func (d *EpDevice) MemoryInfo(kind DeviceMemoryType) (*MemoryInfo, error) {
	p, end, err := d.use()
	if err != nil {
		return nil, err
	}
	defer end()
	info := C.OrtEpDevice_MemoryInfo(p, C.OrtDeviceMemoryType(kind))
	if info == nil {
		return nil, nil
	}
	return borrowedMemoryInfo(info, d.env), nil
}

// useDevices gives C devices to a call, all of one environment.
func useDevices(devices []*EpDevice) (env *C.OrtEnv, list []*C.OrtEpDevice, end func(), err error) {
	if len(devices) == 0 {
		return nil, nil, nil, invalid("no device was given")
	}
	for _, device := range devices {
		if device == nil || device.env == nil {
			return nil, nil, nil, invalid("a device is not one of Env.EpDevices()")
		}
		if device.env != devices[0].env {
			return nil, nil, nil, invalid("the devices are of different environments")
		}
		list = append(list, device.pointer)
	}
	owner := devices[0].env
	env, err = owner.use()
	return env, list, owner.end, err
}

// SyncStream is a stream of a device, on which copies and runs may go on. The devices of the
// library itself are processors and have none; nil stands for that.
type SyncStream struct {
	object[*C.OrtSyncStream]
	waits *semaphores // nil for a stream that is borrowed
}

// NewSyncStream makes a stream of a device that has memory of its own. nil options are the
// defaults.
func NewSyncStream(device *EpDevice, options *PairList) (*SyncStream, error) {
	p, end, err := device.use()
	if err != nil {
		return nil, err
	}
	defer end()
	list, endList, err := options.use()
	if err != nil {
		return nil, err
	}
	defer endList()
	waits := &semaphores{}
	s := &SyncStream{waits: waits}
	var pointer *C.OrtSyncStream
	if err := check(C.OrtCreateSyncStreamForEpDevice(p, list, &pointer)); err != nil {
		return nil, err
	}
	s.own(pointer, func(p *C.OrtSyncStream) {
		releaseSyncStream(p)
		waits.end()
	})
	s.keep(device)
	return s, nil
}

func releaseSyncStream(p *C.OrtSyncStream) { C.OrtReleaseSyncStream(p) }

// Handle gives the device's own handle of the stream; nil for a nil stream.
func (s *SyncStream) Handle() unsafe.Pointer {
	p, end := s.use()
	defer end()
	return C.OrtSyncStream_GetHandle(p)
}

// Close gives the stream back; closing twice is fine, and so is a nil stream.
func (s *SyncStream) Close() error {
	if s == nil {
		releaseSyncStream(nil)
		return nil
	}
	return s.close()
}

// use gives the C stream to a call; NULL for a nil stream and a closed one.
func (s *SyncStream) use() (*C.OrtSyncStream, func()) {
	if s == nil {
		return nil, func() {}
	}
	p, err := s.begin("stream")
	if err != nil {
		return nil, func() {}
	}
	return p, s.end
}
