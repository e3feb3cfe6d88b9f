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
