// SPDX-License-Identifier: MIT

package tests

import (
	"os"
	"testing"

	ortc "github.com/ortc/ortc/bindings/go"
)

func TestProviderLibraryAddsDevicesAndTakesThemAway(t *testing.T) {
	env, err := ortc.NewEnv("libraries")
	ok(t, err)
	defer env.Close()
	fails(t, env.RegisterProviderLibrary("npu", "/nowhere/at/all.so"), ortc.ErrNoSuchFile, "nowhere")
	fails(t, env.UnregisterProviderLibrary("npu"), ortc.ErrFail, "npu")

	before, err := env.EpDevices()
	ok(t, err)
	ok(t, env.RegisterProviderLibrary("npu.virtual", os.Getenv("ORTC_PROVIDER_LIBRARY")))
	with, err := env.EpDevices()
	ok(t, err)
	equal(t, len(with), len(before)+1)
	npu := with[len(with)-1]
	isTrue(t, npu.Device.IsVirtual(), npu.EpName)
	ok(t, env.UnregisterProviderLibrary("npu.virtual"))
	after, err := env.EpDevices()
	ok(t, err)
	equal(t, len(after), len(before))

	options, err := ortc.NewSessionOptions()
	ok(t, err)
	defer options.Close()
	fails(t, options.AddDevices([]*ortc.EpDevice{npu}, nil),
		ortc.ErrInvalidArgument, "not a device")
}

func TestWhatLiesOnADeviceIsCopiedAndNotRead(t *testing.T) {
	env, err := ortc.NewEnv("device")
	ok(t, err)
	defer env.Close()
	ok(t, env.RegisterProviderLibrary("device.virtual", os.Getenv("ORTC_DEVICE_LIBRARY")))
	devices, err := env.EpDevices()
	ok(t, err)
	info, err := devices[len(devices)-1].MemoryInfo(ortc.DeviceMemoryTypeDefault)
	ok(t, err)
	allocator, err := env.SharedAllocator(info)
	ok(t, err)
	there, err := ortc.NewTensorIn(allocator, ortc.ElementTypeFloat, 2)
	ok(t, err)
	closing(t, there)
	here, back := floats(t, []float32{1, 2}, 2), floats(t, []float32{0, 0}, 2)
	ok(t, env.CopyTensors([]ortc.AnyValue{here}, []ortc.AnyValue{there}, nil))
	ok(t, env.CopyTensors([]ortc.AnyValue{there}, []ortc.AnyValue{back}, nil))
	equalLists(t, floatsIn(t, back), []float32{1, 2})
	_, err = there.Bytes()
	fails(t, err, ortc.ErrInvalidArgument, "device")
	_, err = ortc.TensorOf[float32](there)
	fails(t, err, ortc.ErrInvalidArgument, "device")
}

func TestOperatorLibraryIsLoaded(t *testing.T) {
	options, err := ortc.NewSessionOptions()
	ok(t, err)
	defer options.Close()
	ok(t, options.RegisterOperatorLibrary(os.Getenv("ORTC_OPERATOR_LIBRARY")))
	fails(t, options.RegisterOperatorLibrary("/nowhere/at/all.so"), ortc.ErrFail, "nowhere")
	fails(t, options.RegisterOperatorFunction("no_such_function"), ortc.ErrFail, "no_such_function")
	fails(t, options.EnableOrtCustomOps(), ortc.ErrFail, "")
}
