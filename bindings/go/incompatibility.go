// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

// IncompatibilityReasons are bits: why an execution provider does not serve hardware.
type IncompatibilityReasons uint32

const (
	IncompatibilityReasonDriver     IncompatibilityReasons = 1 // too old, or another one
	IncompatibilityReasonDevice     IncompatibilityReasons = 2 // the hardware itself
	IncompatibilityReasonDependency IncompatibilityReasons = 4 // something it needs is not there
	IncompatibilityReasonUnknown    IncompatibilityReasons = 0x80000000
)

// Incompatibility says why an execution provider does not serve hardware.
type Incompatibility struct {
	Reasons   IncompatibilityReasons
	Notes     string // the provider's own words; empty when it has none
	ErrorCode int32  // the provider's own; 0 when it has none
}

// Incompatibility asks an execution provider, by its name or short form, why it does not serve
// hardware: one of HardwareDevices, or of a device of EpDevices. nil when it does. A library that
// cannot say is believed to serve it.
func (e *Env) Incompatibility(epName string, device *HardwareDevice) (*Incompatibility, error) {
	if device == nil || device.env == nil {
		return nil, invalid("the device is not one of Env.HardwareDevices()")
	}
	p, err := e.use()
	if err != nil {
		return nil, err
	}
	defer e.end()
	if device.env != e {
		return nil, invalid("the device belongs to another environment")
	}
	var found *Incompatibility
	err = withMemory(func(m *memory) *C.OrtStatus {
		var details *C.OrtDeviceEpIncompatibilityDetails
		status := C.OrtGetHardwareDeviceEpIncompatibilityDetails(p, m.text(epName), device.pointer,
			&details)
		if status != nil {
			return status
		}
		defer C.OrtReleaseDeviceEpIncompatibilityDetails(details)
		found, status = goIncompatibility(details)
		return status
	})
	return found, err
}

func goIncompatibility(details *C.OrtDeviceEpIncompatibilityDetails) (*Incompatibility,
	*C.OrtStatus) {
	var reasons C.uint32_t
	var notes *C.char
	var code C.int32_t
	status := C.OrtDeviceEpIncompatibilityDetails_GetReasonsBitmask(details, &reasons)
	if status != nil || reasons == 0 {
		return nil, status
	}
	if status = C.OrtDeviceEpIncompatibilityDetails_GetNotes(details, &notes); status != nil {
		return nil, status
	}
	status = C.OrtDeviceEpIncompatibilityDetails_GetErrorCode(details, &code)
	if status != nil {
		return nil, status
	}
	return &Incompatibility{IncompatibilityReasons(reasons), goText(notes), int32(code)}, nil
}
