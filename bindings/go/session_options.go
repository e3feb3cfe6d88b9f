// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

// SessionOptions say what a session or a compiler is to do. They are copied where they are used:
// later changes mean nothing there. Where a function takes options, nil means the defaults. One
// goroutine at a time may change them.
type SessionOptions struct {
	object[*C.OrtSessionOptions]
	failures *failures
	progress ProgressFunc
	forLoads []any // what must stay while sessions are made; keeps has what they need later
}

// NewSessionOptions makes options with their defaults.
func NewSessionOptions() (*SessionOptions, error) {
	var pointer *C.OrtSessionOptions
	if err := check(C.OrtCreateSessionOptions(&pointer)); err != nil {
		return nil, err
	}
	return ownSessionOptions(pointer, &failures{}), nil
}

func ownSessionOptions(pointer *C.OrtSessionOptions, f *failures) *SessionOptions {
	o := &SessionOptions{failures: f}
	o.own(pointer, func(p *C.OrtSessionOptions) { C.OrtReleaseSessionOptions(p) })
	return o
}

// Clone makes a copy that is independent of the original, but for CancelLoads.
func (o *SessionOptions) Clone() (*SessionOptions, error) {
	var pointer *C.OrtSessionOptions
	err := o.change(func(p *C.OrtSessionOptions, _ *memory) *C.OrtStatus {
		return C.OrtCloneSessionOptions(p, &pointer)
	})
	if err != nil {
		return nil, err
	}
	clone := ownSessionOptions(pointer, o.failures)
	clone.progress = o.progress
	clone.keep(o.kept()...)
	clone.forLoads = append([]any(nil), o.forLoads...)
	return clone, nil
}

// Close gives the options back; closing twice is fine, and so are nil options.
func (o *SessionOptions) Close() error {
	if o == nil {
		return nil
	}
	return o.close()
}

func (o *SessionOptions) change(f func(*C.OrtSessionOptions, *memory) *C.OrtStatus) error {
	if o == nil {
		return invalid("the session options are nil")
	}
	return o.call("session options", f)
}

// use gives the C options to a call; NULL, the defaults, for nil.
func (o *SessionOptions) use() (*C.OrtSessionOptions, func(), error) {
	if o == nil {
		return nil, func() {}, nil
	}
	p, err := o.begin("session options")
	return p, o.end, err
}

// Execution providers. Those added first are asked first; the CPU provider is always there, last.

// AddProvider adds an execution provider by its name, as "AOT" or "AotExecutionProvider". Each
// option is kept as the entry "ep.<provider in lower case>.<option>".
func (o *SessionOptions) AddProvider(name string, options KeyValuePairs) error {
	return o.change(func(p *C.OrtSessionOptions, m *memory) *C.OrtStatus {
		keys, values, count := m.pairs(options)
		return C.OrtSessionOptionsAppendExecutionProvider(p, m.text(name), keys, values, count)
	})
}

// AddDevices adds an execution provider by devices of Env.EpDevices, all of the same provider.
// Options given here go before those that a device suggests.
func (o *SessionOptions) AddDevices(devices []*EpDevice, options KeyValuePairs) error {
	env, list, end, err := useDevices(devices)
	if err != nil {
		return err
	}
	defer end()
	return o.change(func(p *C.OrtSessionOptions, m *memory) *C.OrtStatus {
		keys, values, count := m.pairs(options)
		return C.OrtSessionOptionsAppendExecutionProvider_V2(p, env, first(list),
			C.size_t(len(list)), keys, values, count)
	})
}

// SetDevicePolicy lets the session choose execution providers from the devices that are there.
// Providers added by name or device switch the choice off.
func (o *SessionOptions) SetDevicePolicy(policy DevicePolicy) error {
	return o.change(func(p *C.OrtSessionOptions, _ *memory) *C.OrtStatus {
		return C.OrtSessionOptionsSetEpSelectionPolicy(p,
			C.OrtExecutionProviderDevicePolicy(policy))
	})
}

// Config entries: the keys of this package that begin with KeySessionOption.

// Set sets a config entry. An unknown key or a wrong value is an error, which names the nearest
// one.
func (o *SessionOptions) Set(key, value string) error {
	return o.change(func(p *C.OrtSessionOptions, m *memory) *C.OrtStatus {
		return C.OrtAddSessionConfigEntry(p, m.text(key), m.text(value))
	})
}

// Get looks a config entry up.
func (o *SessionOptions) Get(key string) (value string, isSet bool, err error) {
	err = o.change(func(p *C.OrtSessionOptions, m *memory) *C.OrtStatus {
		var answer C.int
		name := m.text(key)
		status := C.OrtHasSessionConfigEntry(p, name, &answer)
		if isSet = answer == 1; status != nil || !isSet {
			return status
		}
		var size C.size_t
		if status = C.OrtGetSessionConfigEntry(p, name, nil, &size); status != nil {
			return status
		}
		text := (*C.char)(m.block(uintptr(size)))
		status = C.OrtGetSessionConfigEntry(p, name, text, &size)
		value = goText(text)
		return status
	})
	return value, isSet, err
}

// Entries copies all config entries.
func (o *SessionOptions) Entries() (KeyValuePairs, error) {
	var list *C.OrtKeyValuePairs
	err := o.change(func(p *C.OrtSessionOptions, _ *memory) *C.OrtStatus {
		return C.OrtGetSessionOptionsConfigEntries(p, &list)
	})
	if err != nil {
		return nil, err
	}
	return takePairs(list), nil
}

// Graph and execution.

// SetGraphOptimizationLevel chooses how far the graph is rewritten; EnableAll is the default.
func (o *SessionOptions) SetGraphOptimizationLevel(level GraphOptimizationLevel) error {
	return o.change(func(p *C.OrtSessionOptions, _ *memory) *C.OrtStatus {
		return C.OrtSetSessionGraphOptimizationLevel(p, C.GraphOptimizationLevel(level))
	})
}

// SetIntraOpNumThreads fixes how many threads work on one operator; the calling one counts. 0, the
// default, means one per physical core. Results do not depend on it.
func (o *SessionOptions) SetIntraOpNumThreads(count int) error {
	if err := fitsInt("number of threads", count); err != nil {
		return err
	}
	return o.change(func(p *C.OrtSessionOptions, _ *memory) *C.OrtStatus {
		return C.OrtSetIntraOpNumThreads(p, C.int(count))
	})
}

// SetInterOpNumThreads fixes how many operators run at once under ExecutionModeParallel.
func (o *SessionOptions) SetInterOpNumThreads(count int) error {
	if err := fitsInt("number of threads", count); err != nil {
		return err
	}
	return o.change(func(p *C.OrtSessionOptions, _ *memory) *C.OrtStatus {
		return C.OrtSetInterOpNumThreads(p, C.int(count))
	})
}

// SetExecutionMode chooses whether independent operators may run at once.
func (o *SessionOptions) SetExecutionMode(mode ExecutionMode) error {
	return o.change(func(p *C.OrtSessionOptions, _ *memory) *C.OrtStatus {
		return C.OrtSetSessionExecutionMode(p, C.ExecutionMode(mode))
	})
}

// ExecutionMode tells the execution mode.
func (o *SessionOptions) ExecutionMode() (ExecutionMode, error) {
	var mode C.ExecutionMode
	err := o.change(func(p *C.OrtSessionOptions, _ *memory) *C.OrtStatus {
		return C.OrtGetSessionExecutionMode(p, &mode)
	})
	return ExecutionMode(mode), err
}

// SetMemPattern lets a run reuse the memory plan of an earlier run with the same shapes, the
// default, or makes each run plan again.
func (o *SessionOptions) SetMemPattern(enabled bool) error {
	return o.change(func(p *C.OrtSessionOptions, _ *memory) *C.OrtStatus {
		if enabled {
			return C.OrtEnableMemPattern(p)
		}
		return C.OrtDisableMemPattern(p)
	})
}

// MemPattern says whether the memory plan is reused.
func (o *SessionOptions) MemPattern() (bool, error) {
	var answer C.int
	err := o.change(func(p *C.OrtSessionOptions, _ *memory) *C.OrtStatus {
		return C.OrtGetMemPatternEnabled(p, &answer)
	})
	return answer == 1, err
}

// SetCPUMemArena keeps the memory of a run for the next one, the default, or gives it back to the
// system when the run ends.
func (o *SessionOptions) SetCPUMemArena(enabled bool) error {
	return o.change(func(p *C.OrtSessionOptions, _ *memory) *C.OrtStatus {
		if enabled {
			return C.OrtEnableCpuMemArena(p)
		}
		return C.OrtDisableCpuMemArena(p)
	})
}

// SetDeterministicCompute asks for results that do not change from run to run. They never do.
func (o *SessionOptions) SetDeterministicCompute(enabled bool) error {
	return o.change(func(p *C.OrtSessionOptions, _ *memory) *C.OrtStatus {
		return C.OrtSetDeterministicCompute(p, C.bool(enabled))
	})
}

// OverrideDimension gives a dimension a fixed size, found by its symbolic name, as "batch".
func (o *SessionOptions) OverrideDimension(name string, size int64) error {
	return o.change(func(p *C.OrtSessionOptions, m *memory) *C.OrtStatus {
		return C.OrtAddFreeDimensionOverrideByName(p, m.text(name), C.int64_t(size))
	})
}

// OverrideDenotation gives a dimension a fixed size, found by its denotation, as "DATA_BATCH".
func (o *SessionOptions) OverrideDenotation(denotation string, size int64) error {
	return o.change(func(p *C.OrtSessionOptions, m *memory) *C.OrtStatus {
		return C.OrtAddFreeDimensionOverride(p, m.text(denotation), C.int64_t(size))
	})
}
