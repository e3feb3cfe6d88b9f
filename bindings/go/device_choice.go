// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import (
	"fmt"
	"unsafe"
)

// DeviceOffer is what a function that chooses devices may choose from.
type DeviceOffer struct {
	// Devices are all of the environment: NPUs, GPUs, processors; that of the CPU provider is the
	// last. They tell what they are; whatever else is done with a device needs those of
	// Env.EpDevices, which may be chosen as well.
	Devices []*EpDevice
	Model   KeyValuePairs // what the model says of itself, as "producer_name"; and its metadata
	Runtime KeyValuePairs // nothing so far
	Most    int           // how many devices may be chosen
}

// DeviceChooser chooses devices for a session that is being made, one or more: those that are asked
// first in front. An error refuses the session, which then fails with that error behind its own.
type DeviceChooser func(DeviceOffer) ([]*EpDevice, error)

// SetDeviceChooser has a function choose execution providers from the devices that are there, for
// each session and each compile, in the goroutine that makes it. It takes the place of a policy;
// providers added by name or device switch the choice off. nil: no function and no policy.
func (o *SessionOptions) SetDeviceChooser(choose DeviceChooser) error {
	if choose == nil {
		return o.change(func(p *C.OrtSessionOptions, _ *memory) *C.OrtStatus {
			return C.ortc_set_device_chooser(p, 0)
		})
	}
	if o == nil {
		return invalid("the session options are nil")
	}
	state := keptState(choose, o.failures)
	return o.changeForLoads(state, func(p *C.OrtSessionOptions, _ *memory) *C.OrtStatus {
		return C.ortc_set_device_chooser(p, state.state())
	})
}

//export ortcGoChooseDevices
func ortcGoChooseDevices(state C.uintptr_t, devices **C.OrtEpDevice, deviceCount C.size_t,
	model, runtime *C.OrtKeyValuePairs, selected **C.OrtEpDevice, room C.size_t,
	count *C.size_t) *C.OrtStatus {
	c := stateOf[DeviceChooser](state)
	return c.failures.guard(func() error {
		offer := DeviceOffer{Model: goPairs(model), Runtime: goPairs(runtime), Most: int(room)}
		for _, device := range unsafe.Slice(devices, int(deviceCount)) {
			offer.Devices = append(offer.Devices, goEpDevice(nil, device))
		}
		chosen, err := c.function(offer)
		if err != nil {
			// The library says FAIL whatever the code was: the failure is found by code and text.
			_, text := describe(err)
			return &Error{Code: ErrorCodeFail, Message: text, cause: err}
		}
		return takeChoice(chosen, unsafe.Slice(selected, int(room)), count)
	})
}

func takeChoice(chosen []*EpDevice, selected []*C.OrtEpDevice, count *C.size_t) error {
	if len(chosen) > len(selected) {
		text := fmt.Sprintf("%d devices were chosen, at most %d may be", len(chosen), len(selected))
		return &Error{Code: ErrorCodeFail, Message: text}
	}
	for i, device := range chosen {
		if device == nil {
			return &Error{Code: ErrorCodeFail, Message: "a chosen device is nil"}
		}
		selected[i] = device.pointer
	}
	*count = C.size_t(len(chosen))
	return nil
}
