// SPDX-License-Identifier: MIT

package tests

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	ortc "github.com/ortc/ortc/bindings/go"
)

// choosing makes options whose devices a function chooses.
func choosing(t *testing.T, choose ortc.DeviceChooser) *ortc.SessionOptions {
	t.Helper()
	options := newOptions(t)
	ok(t, options.SetDeviceChooser(choose))
	ok(t, options.Set(ortc.KeySessionOptionsRecordEpGraphAssignmentInfo, "1"))
	return options
}

func byName(devices []*ortc.EpDevice, name string) []*ortc.EpDevice {
	for _, device := range devices {
		if device.EpName == name {
			return []*ortc.EpDevice{device}
		}
	}
	return nil
}

// runsOn wants a session whose nodes are all of one provider.
func runsOn(t *testing.T, env *ortc.Env, options *ortc.SessionOptions, provider string) {
	t.Helper()
	session := newSession(t, env, model(t, "trivial.onnx"), options)
	parts, err := session.Assignment()
	ok(t, err)
	equal(t, parts[0].EpName, provider)
	runTrivial(t, session)
}

func TestDevicesAreChosenByAFunction(t *testing.T) {
	env := newEnv(t)
	var heard ortc.DeviceOffer
	name, calls := "AotExecutionProvider", 0
	options := choosing(t, func(offer ortc.DeviceOffer) ([]*ortc.EpDevice, error) {
		heard = offer
		calls++
		return byName(offer.Devices, name), nil
	})
	runsOn(t, env, options, name)
	equal(t, calls, 1)
	equal(t, heard.Most, 8)
	equal(t, len(heard.Runtime), 0)
	_, isThere := heard.Model["producer_name"]
	isTrue(t, isThere, "the model says nothing of itself")
	equal(t, heard.Devices[len(heard.Devices)-1].EpName, "CPUExecutionProvider")
	clone, err := options.Clone()
	ok(t, err)
	closing(t, clone)
	ok(t, options.Close())
	collect()
	name = "CPUExecutionProvider"
	runsOn(t, env, clone, name)
	equal(t, calls, 2)
	ok(t, clone.SetDeviceChooser(nil))
	runsOn(t, env, clone, name)
	equal(t, calls, 2)
}

func TestDevicesOfTheEnvironmentMayBeChosen(t *testing.T) {
	env := newEnv(t)
	devices, err := env.EpDevices()
	ok(t, err)
	own := byName(devices, "AotExecutionProvider")
	options := choosing(t, func(ortc.DeviceOffer) ([]*ortc.EpDevice, error) { return own, nil })
	runsOn(t, env, options, "AotExecutionProvider")
	_, err = ortc.NewSession(background, newEnv(t), model(t, "trivial.onnx"), options)
	fails(t, err, ortc.ErrFail, "that it was not given, at place 0")
}

func TestDevicesAreChosenForACompile(t *testing.T) {
	env, calls := newEnv(t), 0
	options := choosing(t, func(offer ortc.DeviceOffer) ([]*ortc.EpDevice, error) {
		calls++
		return byName(offer.Devices, "AotExecutionProvider"), nil
	})
	compiler, err := ortc.NewModelCompiler(env, options)
	ok(t, err)
	closing(t, compiler)
	ok(t, options.Close())
	collect()
	path := filepath.Join(t.TempDir(), "trivial_ctx.onnx")
	ok(t, compiler.InputFile(model(t, "trivial.onnx")).CompileToFile(background, path))
	equal(t, calls, 1)
	isTrue(t, exists(path), "nothing was compiled")
}

func TestDeviceOutlivesItsOfferAndOnlyTells(t *testing.T) {
	env, err := ortc.NewEnv("short")
	ok(t, err)
	var kept *ortc.EpDevice
	options := choosing(t, func(offer ortc.DeviceOffer) ([]*ortc.EpDevice, error) {
		kept = offer.Devices[0]
		return offer.Devices[:1], nil
	})
	session, err := ortc.NewSession(background, env, model(t, "trivial.onnx"), options)
	ok(t, err)
	ok(t, session.Close())
	ok(t, env.Close())
	collect()
	isTrue(t, kept.EpName != "" && kept.Metadata[ortc.KeyEpDeviceEpMetadataKeyVersion] != "", "empty")
	_, err = kept.MemoryInfo(ortc.DeviceMemoryTypeDefault)
	fails(t, err, ortc.ErrInvalidArgument, "EpDevices")
	fails(t, options.AddDevices([]*ortc.EpDevice{kept}, nil), ortc.ErrInvalidArgument, "EpDevices")
	_, err = newEnv(t).Incompatibility("CPU", &kept.Device)
	fails(t, err, ortc.ErrInvalidArgument, "HardwareDevices")
}

func TestChoiceOfDevicesThatFailsRefusesTheSession(t *testing.T) {
	env := newEnv(t)
	lost := errors.New("no device is good enough")
	coded := &ortc.Error{Code: ortc.ErrorCodeNotImplemented, Message: "not for such models"}
	for _, fault := range []struct {
		kind   error
		text   string
		choose ortc.DeviceChooser
	}{
		{lost, "no device is good enough", func(ortc.DeviceOffer) ([]*ortc.EpDevice, error) {
			return nil, lost
		}},
		{ortc.ErrNotImplemented, "not for such models",
			func(ortc.DeviceOffer) ([]*ortc.EpDevice, error) { return nil, coded }},
		{ortc.ErrFail, "did not select anything",
			func(ortc.DeviceOffer) ([]*ortc.EpDevice, error) { return nil, nil }},
		{ortc.ErrFail, "a chosen device is nil",
			func(ortc.DeviceOffer) ([]*ortc.EpDevice, error) { return []*ortc.EpDevice{nil}, nil }},
		{ortc.ErrFail, "that it was not given, at place 0",
			func(ortc.DeviceOffer) ([]*ortc.EpDevice, error) { return []*ortc.EpDevice{{}}, nil }},
		{ortc.ErrFail, "twice, the second time at place 1",
			func(offer ortc.DeviceOffer) ([]*ortc.EpDevice, error) {
				return []*ortc.EpDevice{offer.Devices[0], offer.Devices[0]}, nil
			}},
		{ortc.ErrFail, "9 devices were chosen, at most 8 may be",
			func(ortc.DeviceOffer) ([]*ortc.EpDevice, error) { return make([]*ortc.EpDevice, 9), nil }},
	} {
		_, err := ortc.NewSession(background, env, model(t, "trivial.onnx"), choosing(t, fault.choose))
		fails(t, err, fault.kind, fault.text)
		fails(t, err, ortc.ErrFail, "EP selection delegate")
	}
	var none *ortc.SessionOptions
	fails(t, none.SetDeviceChooser(nil), ortc.ErrInvalidArgument, "nil")
	fails(t, none.SetDeviceChooser(func(ortc.DeviceOffer) ([]*ortc.EpDevice, error) {
		return nil, nil
	}), ortc.ErrInvalidArgument, "nil")
}

func TestChoiceOfDevicesThatPanicsGoesOn(t *testing.T) {
	env := newEnv(t)
	options := choosing(t, func(ortc.DeviceOffer) ([]*ortc.EpDevice, error) { panic("over devices") })
	defer func() {
		found := recover()
		same(t, found, "over devices")
	}()
	_, err := ortc.NewSession(background, env, model(t, "trivial.onnx"), options)
	t.Fatalf("the panic ended in %v", err)
}

func TestProviderSaysWhyItDoesNotServeHardware(t *testing.T) {
	env := newEnv(t)
	ok(t, env.RegisterProviderLibrary("npu.virtual", os.Getenv("ORTC_PROVIDER_LIBRARY")))
	hardware, err := env.HardwareDevices()
	ok(t, err)
	devices, err := env.EpDevices()
	ok(t, err)
	npu := devices[len(devices)-1]
	virtual := &npu.Device
	found, err := env.Incompatibility("CPUExecutionProvider", &hardware[0])
	ok(t, err)
	isTrue(t, found == nil, "the processor is not served")
	found, err = env.Incompatibility(npu.EpName, virtual)
	ok(t, err)
	isTrue(t, found == nil, "the library does not serve its own device")
	found, err = env.Incompatibility("CPU", virtual)
	ok(t, err)
	equal(t, *found, ortc.Incompatibility{Reasons: ortc.IncompatibilityReasonDevice,
		Notes: "CPUExecutionProvider serves no such hardware"})
	_, err = env.Incompatibility("Nobody", virtual)
	fails(t, err, ortc.ErrInvalidArgument, "Nobody")
	_, err = env.Incompatibility("", virtual)
	fails(t, err, ortc.ErrInvalidArgument, "empty")
	_, err = env.Incompatibility("CPU\x00", virtual)
	fails(t, err, ortc.ErrInvalidArgument, "zero byte")
	_, err = env.Incompatibility("CPU", nil)
	fails(t, err, ortc.ErrInvalidArgument, "HardwareDevices")
	_, err = env.Incompatibility("CPU", &ortc.HardwareDevice{})
	fails(t, err, ortc.ErrInvalidArgument, "HardwareDevices")
	_, err = newEnv(t).Incompatibility("CPU", virtual)
	fails(t, err, ortc.ErrInvalidArgument, "another environment")
	var none *ortc.Env
	_, err = none.Incompatibility("CPU", virtual)
	fails(t, err, ortc.ErrInvalidArgument, "nil")
	closed, err := ortc.NewEnv("closed")
	ok(t, err)
	own, err := closed.HardwareDevices()
	ok(t, err)
	ok(t, closed.Close())
	_, err = closed.Incompatibility("CPU", &own[0])
	fails(t, err, ortc.ErrClosed, "closed")
}

func TestGraphThatNobodyCapturedIsReleased(t *testing.T) {
	session := newSession(t, newEnv(t), model(t, "trivial.onnx"), nil)
	ok(t, session.ReleaseCapturedGraph(0))
	ok(t, session.ReleaseCapturedGraph(7))
	runTrivial(t, session)
	ok(t, session.Close())
	fails(t, session.ReleaseCapturedGraph(0), ortc.ErrClosed, "closed")
	var none *ortc.Session
	fails(t, none.ReleaseCapturedGraph(0), ortc.ErrInvalidArgument, "nil")
}
