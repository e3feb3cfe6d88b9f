// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

// ArenaConfig describes an arena for Env.CreateAndRegisterAllocator.
type ArenaConfig struct {
	object[*C.OrtArenaCfg]
}

func newArenaConfig(create func(*memory, **C.OrtArenaCfg) *C.OrtStatus) (*ArenaConfig, error) {
	c := &ArenaConfig{}
	var pointer *C.OrtArenaCfg
	err := withMemory(func(m *memory) *C.OrtStatus { return create(m, &pointer) })
	if err != nil {
		return nil, err
	}
	c.own(pointer, func(p *C.OrtArenaCfg) { C.OrtReleaseArenaCfg(p) })
	return c, nil
}

// NewArenaConfig describes an arena: the most it takes from the system in bytes (0: no limit),
// whether extensions are as large as needed (1) or double (0, and -1 for the default), the first
// extension in bytes, and by how much a block may be larger than asked for (-1: the defaults).
func NewArenaConfig(maxBytes, extendStrategy, initialChunkBytes,
	maxDeadBytesPerChunk int) (*ArenaConfig, error) {
	if maxBytes < 0 {
		return nil, invalid("the size %d is negative", maxBytes)
	}
	for _, number := range []int{extendStrategy, initialChunkBytes, maxDeadBytesPerChunk} {
		if err := fitsInt("number", number); err != nil {
			return nil, err
		}
	}
	return newArenaConfig(func(_ *memory, out **C.OrtArenaCfg) *C.OrtStatus {
		return C.OrtCreateArenaCfg(C.size_t(maxBytes), C.int(extendStrategy),
			C.int(initialChunkBytes), C.int(maxDeadBytesPerChunk), out)
	})
}

// NewArenaConfigOf describes an arena by keys: "max_mem", "arena_extend_strategy",
// "initial_chunk_size_bytes", "max_dead_bytes_per_chunk", "initial_growth_chunk_size_bytes",
// "max_power_of_two_extend_bytes".
func NewArenaConfigOf(settings map[string]uint64) (*ArenaConfig, error) {
	return newArenaConfig(func(m *memory, out **C.OrtArenaCfg) *C.OrtStatus {
		names, values := []string{}, []C.size_t{}
		for name, value := range settings {
			names, values = append(names, name), append(values, C.size_t(value))
		}
		return C.OrtCreateArenaCfgV2(m.texts(names), first(values), C.size_t(len(names)), out)
	})
}

// Close gives the description back; closing twice is fine.
func (c *ArenaConfig) Close() error {
	if c == nil {
		return nil
	}
	return c.close()
}

// CreateAndRegisterAllocator makes an allocator for memory of the CPU, and registers it in place of
// one that is there, for sessions with KeySessionOptionsConfigUseEnvAllocators = "1". With
// AllocatorTypeArena an arena is made; a nil config means its defaults. Sessions that exist keep
// what they have.
func (e *Env) CreateAndRegisterAllocator(info *MemoryInfo, config *ArenaConfig) error {
	return e.register(info, config, func(p *C.OrtEnv, info *C.OrtMemoryInfo, arena *C.OrtArenaCfg,
		_ *memory) *C.OrtStatus {
		return C.OrtCreateAndRegisterAllocator(p, info, arena)
	})
}

// CreateAndRegisterProviderAllocator does the same for an execution provider,
// "CPUExecutionProvider", with options of the provider.
func (e *Env) CreateAndRegisterProviderAllocator(provider string, info *MemoryInfo,
	config *ArenaConfig, options KeyValuePairs) error {
	return e.register(info, config, func(p *C.OrtEnv, info *C.OrtMemoryInfo, arena *C.OrtArenaCfg,
		m *memory) *C.OrtStatus {
		keys, values, count := m.pairs(options)
		return C.OrtCreateAndRegisterAllocatorV2(p, m.text(provider), info, arena, keys, values,
			count)
	})
}

func (e *Env) register(info *MemoryInfo, config *ArenaConfig, f func(*C.OrtEnv, *C.OrtMemoryInfo,
	*C.OrtArenaCfg, *memory) *C.OrtStatus) error {
	description, err := info.use()
	if err != nil {
		return err
	}
	defer info.end()
	var arena *C.OrtArenaCfg
	if config != nil {
		if arena, err = config.begin("arena config"); err != nil {
			return err
		}
		defer config.end()
	}
	return e.call("environment", func(p *C.OrtEnv, m *memory) *C.OrtStatus {
		return f(p, description, arena, m)
	})
}

// RegisterAllocator registers an allocator of the program, made with NewAllocator, in place of one
// that is there for the same memory. Environment, sessions and values keep it from then on.
func (e *Env) RegisterAllocator(allocator *Allocator) error {
	a, err := allocator.use()
	if err != nil {
		return err
	}
	defer allocator.end()
	if allocator.functions == nil {
		return invalid("only an allocator of NewAllocator can be registered")
	}
	err = e.call("environment", func(p *C.OrtEnv, _ *memory) *C.OrtStatus {
		return C.OrtRegisterAllocator(p, a)
	})
	if err == nil {
		e.keep(allocator.functions)
	}
	return err
}

// UnregisterAllocator takes the allocator of a memory away. Sessions that use it keep it.
func (e *Env) UnregisterAllocator(info *MemoryInfo) error {
	return e.register(info, nil, func(p *C.OrtEnv, info *C.OrtMemoryInfo, _ *C.OrtArenaCfg,
		_ *memory) *C.OrtStatus {
		return C.OrtUnregisterAllocator(p, info)
	})
}

// SharedAllocator looks for the allocator that is registered for a memory; nil when there is none.
// For plain memory of the CPU the default one stands in.
func (e *Env) SharedAllocator(info *MemoryInfo) (*Allocator, error) {
	var found *C.OrtAllocator
	err := e.register(info, nil, func(p *C.OrtEnv, info *C.OrtMemoryInfo, _ *C.OrtArenaCfg,
		_ *memory) *C.OrtStatus {
		return C.OrtGetSharedAllocator(p, info, &found)
	})
	if err != nil || found == nil {
		return nil, err
	}
	return e.borrowedAllocator(found)
}

// borrowedAllocator lives as long as the environment, which it holds open.
func (e *Env) borrowedAllocator(found *C.OrtAllocator) (*Allocator, error) {
	env, err := pin(&e.object, "environment")
	if err != nil {
		return nil, err
	}
	a := &Allocator{}
	a.pointer = found
	a.keep(env)
	return a, nil
}

// CreateSharedAllocator makes the allocator of a device with memory of its own and registers it;
// devices of the library itself have none. nil options are the defaults.
func (e *Env) CreateSharedAllocator(device *EpDevice, kind DeviceMemoryType, how AllocatorType,
	options *PairList) (*Allocator, error) {
	var made *C.OrtAllocator
	list, end, err := options.use()
	if err != nil {
		return nil, err
	}
	defer end()
	err = e.withDevice(device, func(p *C.OrtEnv, d *C.OrtEpDevice) *C.OrtStatus {
		return C.OrtCreateSharedAllocator(p, d, C.OrtDeviceMemoryType(kind),
			C.OrtAllocatorType(how), list, &made)
	})
	if err != nil || made == nil {
		return nil, err
	}
	return e.borrowedAllocator(made)
}

// ReleaseSharedAllocator takes the allocator of a device away.
func (e *Env) ReleaseSharedAllocator(device *EpDevice, kind DeviceMemoryType) error {
	return e.withDevice(device, func(p *C.OrtEnv, d *C.OrtEpDevice) *C.OrtStatus {
		return C.OrtReleaseSharedAllocator(p, d, C.OrtDeviceMemoryType(kind))
	})
}

func (e *Env) withDevice(device *EpDevice, f func(*C.OrtEnv, *C.OrtEpDevice) *C.OrtStatus) error {
	d, end, err := device.use()
	if err != nil {
		return err
	}
	defer end()
	return e.call("environment", func(p *C.OrtEnv, _ *memory) *C.OrtStatus { return f(p, d) })
}

// CopyTensors copies the elements of tensors into others of the same types and shapes. A nil stream
// is that of the processor: the copies are done when the call returns. After a failure some targets
// may be filled already.
func (e *Env) CopyTensors(from, to []AnyValue, stream *SyncStream) error {
	if len(from) != len(to) {
		return invalid("%d tensors cannot be copied into %d", len(from), len(to))
	}
	sources, endSources, err := useValues(from)
	if err != nil {
		return err
	}
	defer endSources()
	targets, endTargets, err := useValues(to)
	if err != nil {
		return err
	}
	defer endTargets()
	s, endStream := stream.use()
	defer endStream()
	return e.call("environment", func(p *C.OrtEnv, m *memory) *C.OrtStatus {
		return C.OrtCopyTensors(p, first(sources), first(targets), s, C.size_t(len(sources)))
	})
}
