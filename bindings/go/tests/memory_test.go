// SPDX-License-Identifier: MIT

package tests

import (
	"runtime"
	"sync/atomic"
	"testing"
	"unsafe"

	ortc "github.com/ortc/ortc/bindings/go"
)

func cpu(t *testing.T, how ortc.AllocatorType) *ortc.MemoryInfo {
	t.Helper()
	info, err := ortc.NewCPUMemoryInfo(how, ortc.MemTypeDefault)
	ok(t, err)
	return closing(t, info)
}

func TestMemoryInfoTellsWhatItDescribes(t *testing.T) {
	info := cpu(t, ortc.AllocatorTypeArena)
	equal(t, info.Name(), "Cpu")
	equal(t, info.ID(), 0)
	equal(t, info.MemType(), ortc.MemTypeDefault)
	equal(t, info.Type(), ortc.AllocatorTypeArena)
	equal(t, info.DeviceType(), ortc.MemoryInfoDeviceTypeCPU)
	equal(t, info.DeviceMemoryType(), ortc.DeviceMemoryTypeDefault)
	equal(t, info.VendorID(), 0)
	same, err := ortc.NewMemoryInfo("Cpu", ortc.AllocatorTypeArena, 0, ortc.MemTypeDefault)
	ok(t, err)
	closing(t, same)
	isTrue(t, info.Equal(same), "equal descriptions differ")
	other, err := ortc.NewDeviceMemoryInfo(ortc.DeviceMemory{Name: "npu", VendorID: 7, DeviceID: 1,
		DeviceType: ortc.MemoryInfoDeviceTypeNPU, MemoryType: ortc.DeviceMemoryTypeHostAccessible,
		Alignment: 64})
	ok(t, err)
	closing(t, other)
	isTrue(t, !info.Equal(other), "different descriptions are equal")
	equal(t, other.VendorID(), 7)
	equal(t, other.DeviceMemoryType(), ortc.DeviceMemoryTypeHostAccessible)
	_, err = ortc.NewMemoryInfo("Moon", ortc.AllocatorTypeArena, 0, ortc.MemTypeDefault)
	fails(t, err, ortc.ErrInvalidArgument, "Moon")
	_, err = ortc.NewDeviceMemoryInfo(ortc.DeviceMemory{Alignment: -1})
	fails(t, err, ortc.ErrInvalidArgument, "-1")
}

func TestAllocatorGivesMemory(t *testing.T) {
	session := newSession(t, newEnv(t), model(t, "trivial.onnx"), nil)
	own, err := session.NewAllocator(cpu(t, ortc.AllocatorTypeArena))
	ok(t, err)
	closing(t, own)
	for _, allocator := range []*ortc.Allocator{ortc.DefaultAllocator(), own} {
		block, err := allocator.Alloc(100)
		ok(t, err)
		equal(t, uintptr(block)%64, 0)
		ok(t, allocator.Free(block))
		info, err := allocator.Info()
		ok(t, err)
		equal(t, info.Name(), "Cpu")
		_, err = allocator.Alloc(-1)
		fails(t, err, ortc.ErrInvalidArgument, "negative")
	}
	stats, err := own.Stats()
	ok(t, err)
	isTrue(t, stats["NumAllocs"] != "", "an arena does not count")
	tensor, err := ortc.NewTensorIn(own, ortc.ElementTypeFloat, 2, 2)
	ok(t, err)
	size, err := tensor.SizeInBytes()
	ok(t, err)
	equal(t, size, 16)
	ok(t, tensor.Close())
	_, err = session.NewAllocator(nil)
	fails(t, err, ortc.ErrInvalidArgument, "nil")
	_, err = ortc.NewTensorIn(nil, ortc.ElementTypeFloat, 1)
	fails(t, err, ortc.ErrInvalidArgument, "nil")
}

// counting is an allocator of the program over the library's own.
type counting struct {
	given, taken atomic.Int32
}

func (c *counting) functions() ortc.AllocatorFuncs {
	library := ortc.DefaultAllocator()
	return ortc.AllocatorFuncs{
		Alloc: func(size int) unsafe.Pointer {
			c.given.Add(1)
			block, err := library.Alloc(size)
			if err != nil {
				return nil
			}
			return block
		},
		Free: func(block unsafe.Pointer) {
			if block != nil {
				c.taken.Add(1)
			}
			_ = library.Free(block)
		},
		Stats: func() ortc.KeyValuePairs { return ortc.KeyValuePairs{"InUse": "some"} },
	}
}

// registered makes an environment with an allocator of the program, which nothing else keeps.
func registered(t *testing.T, c *counting) *ortc.Env {
	info := cpu(t, ortc.AllocatorTypeDevice)
	allocator, err := ortc.NewAllocator(info, c.functions())
	ok(t, err)
	env := newEnv(t)
	ok(t, env.RegisterAllocator(allocator))
	stats, err := allocator.Stats()
	ok(t, err)
	equal(t, stats["InUse"], "some")
	ok(t, allocator.Close())
	return env
}

func TestAllocatorOfTheProgramHoldsResults(t *testing.T) {
	var c counting
	env := registered(t, &c)
	options := newOptions(t)
	ok(t, options.Set(ortc.KeySessionOptionsConfigUseEnvAllocators, "1"))
	session, err := ortc.NewSession(background, env, model(t, "trivial.onnx"), options)
	ok(t, err)
	outputs, err := session.Run(background, ortc.Values{"x": floats(t, make([]float32, 4), 1, 4)})
	ok(t, err)
	isTrue(t, c.given.Load() > 0, "the allocator gave nothing")
	ok(t, session.Close())
	ok(t, env.Close())
	for i := 0; i < 3; i++ {
		runtime.GC()
	}
	equalLists(t, floatsIn(t, outputs["y"]), []float32{1, 1, 1, 1})
	ok(t, outputs.Close())
	equal(t, c.given.Load(), c.taken.Load())
}

func TestAllocatorIsFoundAndTakenAway(t *testing.T) {
	var c counting
	env := registered(t, &c)
	info := cpu(t, ortc.AllocatorTypeDevice)
	found, err := env.SharedAllocator(info)
	ok(t, err)
	block, err := found.Alloc(8)
	ok(t, err)
	ok(t, found.Free(block))
	equal(t, c.given.Load(), 1)
	ok(t, env.UnregisterAllocator(info))
	fails(t, env.UnregisterAllocator(info), ortc.ErrInvalidArgument, "registered")
	standard, err := env.SharedAllocator(info) // the library's own stands in
	ok(t, err)
	block, err = standard.Alloc(8)
	ok(t, err)
	ok(t, standard.Free(block))
	equal(t, c.given.Load(), 1)
	fails(t, env.RegisterAllocator(nil), ortc.ErrInvalidArgument, "nil")
	fails(t, env.RegisterAllocator(ortc.DefaultAllocator()), ortc.ErrInvalidArgument, "NewAllocator")
	_, err = ortc.NewAllocator(info, ortc.AllocatorFuncs{})
	fails(t, err, ortc.ErrInvalidArgument, "Alloc")
	_, err = ortc.NewAllocator(nil, c.functions())
	fails(t, err, ortc.ErrInvalidArgument, "nil")
}

func TestArenasAreRegistered(t *testing.T) {
	env := newEnv(t)
	info := cpu(t, ortc.AllocatorTypeArena)
	config, err := ortc.NewArenaConfig(1<<30, -1, -1, -1)
	ok(t, err)
	closing(t, config)
	ok(t, env.CreateAndRegisterAllocator(info, config))
	ok(t, env.CreateAndRegisterAllocator(info, nil))
	byKeys, err := ortc.NewArenaConfigOf(map[string]uint64{"max_mem": 1 << 30})
	ok(t, err)
	closing(t, byKeys)
	ok(t, env.CreateAndRegisterProviderAllocator("CPUExecutionProvider", info, byKeys, nil))
	fails(t, env.CreateAndRegisterProviderAllocator("Nobody", info, nil, nil),
		ortc.ErrInvalidArgument, "Nobody")
	fails(t, env.CreateAndRegisterAllocator(nil, nil), ortc.ErrInvalidArgument, "nil")
	_, err = ortc.NewArenaConfigOf(map[string]uint64{"colour": 1})
	fails(t, err, ortc.ErrInvalidArgument, "colour")
	_, err = ortc.NewArenaConfig(-1, 0, 0, 0)
	fails(t, err, ortc.ErrInvalidArgument, "negative")
}

func TestDevicesOfTheLibraryHaveNoMemoryOfTheirOwn(t *testing.T) {
	env := newEnv(t)
	devices, err := env.EpDevices()
	ok(t, err)
	options, err := ortc.NewPairList(nil)
	ok(t, err)
	closing(t, options)
	_, err = env.CreateSharedAllocator(devices[0], ortc.DeviceMemoryTypeDefault,
		ortc.AllocatorTypeDevice, options)
	fails(t, err, ortc.ErrInvalidArgument, "memory")
	fails(t, env.ReleaseSharedAllocator(devices[0], ortc.DeviceMemoryTypeDefault),
		ortc.ErrInvalidArgument, "memory")
}

func TestTensorsAreCopiedIntoOthers(t *testing.T) {
	env := newEnv(t)
	from, to := floats(t, []float32{1, 2, 3}), floats(t, make([]float32, 3))
	ok(t, env.CopyTensors([]ortc.AnyValue{from}, []ortc.AnyValue{to}, nil))
	equalLists(t, to.Data(), []float32{1, 2, 3})
	fails(t, env.CopyTensors([]ortc.AnyValue{from}, nil, nil), ortc.ErrInvalidArgument, "0")
	short := []ortc.AnyValue{floats(t, make([]float32, 2))}
	fails(t, env.CopyTensors([]ortc.AnyValue{from}, short, nil), ortc.ErrInvalidArgument, "[2]")
	fails(t, env.CopyTensors([]ortc.AnyValue{nil}, []ortc.AnyValue{to}, nil),
		ortc.ErrInvalidArgument, "nil")
}
