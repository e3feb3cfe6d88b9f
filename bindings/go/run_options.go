// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import (
	"context"
	"fmt"
	"sync"
)

// RunOptions say what runs are to do. They may serve several runs, also at once, as long as no one
// changes them; Terminate may come at any time. Where a function takes options, nil means the
// defaults.
type RunOptions struct {
	object[*C.OrtRunOptions]
	mutex    sync.Mutex
	settings []runSetting // the last of each name
	copies   map[*RunOptions]struct{}
	stopped  bool

	stream    *SyncStream // what runs use, with what keeps it open
	streamPin *pinned
}

// runSetting is a setting by its name, to be made again in a copy.
type runSetting struct {
	name string
	set  func(*C.OrtRunOptions, *memory) *C.OrtStatus
}

// NewRunOptions makes options with their defaults.
func NewRunOptions() (*RunOptions, error) {
	var pointer *C.OrtRunOptions
	if err := check(C.OrtCreateRunOptions(&pointer)); err != nil {
		return nil, err
	}
	o := &RunOptions{}
	o.own(pointer, func(p *C.OrtRunOptions) { C.OrtReleaseRunOptions(p) })
	return o, nil
}

// Close gives the options back; closing twice is fine, and so are nil options.
func (o *RunOptions) Close() error {
	if o == nil {
		return nil
	}
	return o.close()
}

// change makes a setting, and remembers it for copies in place of an earlier one of its name.
func (o *RunOptions) change(name string, set func(*C.OrtRunOptions, *memory) *C.OrtStatus) error {
	if err := o.call("run options", set); err != nil {
		return err
	}
	o.mutex.Lock()
	defer o.mutex.Unlock()
	for i := range o.settings {
		if o.settings[i].name == name {
			o.settings[i].set = set
			return nil
		}
	}
	o.settings = append(o.settings, runSetting{name, set})
	return nil
}

// copyForRun makes options for one run that can be stopped alone, and with the originals.
func (o *RunOptions) copyForRun() (*RunOptions, error) {
	own, err := NewRunOptions()
	if err != nil || o == nil {
		return own, err
	}
	if _, err := o.begin("run options"); err != nil {
		return nil, err
	}
	defer o.end()
	o.mutex.Lock()
	defer o.mutex.Unlock()
	for _, setting := range o.settings {
		if err := own.call("run options", setting.set); err != nil {
			return nil, err
		}
	}
	own.keep(o.kept()...)
	own.stream, own.streamPin = o.stream, o.streamPin
	if o.copies == nil {
		o.copies = map[*RunOptions]struct{}{}
	}
	o.copies[own] = struct{}{}
	if o.stopped {
		err = own.setStopped(true)
	}
	return own, err
}

func (o *RunOptions) forget(copied *RunOptions) {
	if o != nil {
		o.mutex.Lock()
		delete(o.copies, copied)
		o.mutex.Unlock()
	}
	_ = copied.Close()
}

func (o *RunOptions) setStopped(stop bool) error {
	return o.call("run options", func(p *C.OrtRunOptions, _ *memory) *C.OrtStatus {
		if stop {
			return C.OrtRunOptionsSetTerminate(p)
		}
		return C.OrtRunOptionsUnsetTerminate(p)
	})
}

func (o *RunOptions) stopAll(stop bool) error {
	if o == nil {
		return isNil("run options")
	}
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.stopped = stop
	for one := range o.copies {
		if err := one.setStopped(stop); err != nil {
			return err
		}
	}
	return o.setStopped(stop)
}

// Terminate stops every run that uses these options, now and until Unterminate. Such a run fails
// soon, not at once. It may come from any goroutine. A context given to Run stops one run alone.
func (o *RunOptions) Terminate() error { return o.stopAll(true) }

// Unterminate lets the options serve again.
func (o *RunOptions) Unterminate() error { return o.stopAll(false) }

// SetTag sets a text that stands in the log lines of the run.
func (o *RunOptions) SetTag(tag string) error {
	return o.change("tag", func(p *C.OrtRunOptions, m *memory) *C.OrtStatus {
		return C.OrtRunOptionsSetRunTag(p, m.text(tag))
	})
}

// Tag tells the tag.
func (o *RunOptions) Tag() (tag string, err error) {
	err = o.call("run options", func(p *C.OrtRunOptions, _ *memory) *C.OrtStatus {
		var text *C.char
		status := C.OrtRunOptionsGetRunTag(p, &text)
		tag = goText(text)
		return status
	})
	return tag, err
}

// SetLogSeverity sets below which severity lines of the run are dropped.
func (o *RunOptions) SetLogSeverity(level LoggingLevel) error {
	return o.change("severity", func(p *C.OrtRunOptions, _ *memory) *C.OrtStatus {
		return C.OrtRunOptionsSetRunLogSeverityLevel(p, C.int(level))
	})
}

// LogSeverity tells the severity; -1 when it was not set and the session's applies.
func (o *RunOptions) LogSeverity() (LoggingLevel, error) {
	var level C.int
	err := o.call("run options", func(p *C.OrtRunOptions, _ *memory) *C.OrtStatus {
		return C.OrtRunOptionsGetRunLogSeverityLevel(p, &level)
	})
	return LoggingLevel(level), err
}

// SetLogVerbosity sets how much detail lines of severity Verbose have; 0 is the least.
func (o *RunOptions) SetLogVerbosity(verbosity int) error {
	if err := fitsInt("verbosity", verbosity); err != nil {
		return err
	}
	return o.change("verbosity", func(p *C.OrtRunOptions, _ *memory) *C.OrtStatus {
		return C.OrtRunOptionsSetRunLogVerbosityLevel(p, C.int(verbosity))
	})
}

// LogVerbosity tells the detail of lines of severity Verbose.
func (o *RunOptions) LogVerbosity() (int, error) {
	var verbosity C.int
	err := o.call("run options", func(p *C.OrtRunOptions, _ *memory) *C.OrtStatus {
		return C.OrtRunOptionsGetRunLogVerbosityLevel(p, &verbosity)
	})
	return int(verbosity), err
}

// Set sets a config entry of the run: the keys of this package that begin with KeyRunOptions.
func (o *RunOptions) Set(key, value string) error {
	return o.change("entry "+key, func(p *C.OrtRunOptions, m *memory) *C.OrtStatus {
		return C.OrtAddRunConfigEntry(p, m.text(key), m.text(value))
	})
}

// Get looks a config entry up.
func (o *RunOptions) Get(key string) (value string, isSet bool, err error) {
	err = o.call("run options", func(p *C.OrtRunOptions, m *memory) *C.OrtStatus {
		text := C.OrtGetRunConfigEntry(p, m.text(key))
		value, isSet = goText(text), text != nil
		return nil
	})
	return value, isSet, err
}

// EnableProfiling makes a profile of each run, in a file whose name begins with the prefix.
func (o *RunOptions) EnableProfiling(prefix string) error {
	return o.change("profiling", func(p *C.OrtRunOptions, m *memory) *C.OrtStatus {
		return C.OrtRunOptionsEnableProfiling(p, m.text(prefix))
	})
}

// DisableProfiling makes no profiles. That is the default.
func (o *RunOptions) DisableProfiling() error {
	return o.change("profiling", func(p *C.OrtRunOptions, _ *memory) *C.OrtStatus {
		return C.OrtRunOptionsDisableProfiling(p)
	})
}

// SetSyncStream has the work of runs on a device go to a stream, which stays open as long as the
// options have it; nil takes it away again. Processors have none.
func (o *RunOptions) SetSyncStream(stream *SyncStream) error {
	var hold *pinned
	var in *C.OrtSyncStream
	if stream != nil {
		var err error
		if hold, err = pin(&stream.object, "stream"); err != nil {
			return err
		}
		in = stream.pointer
	}
	err := o.change("stream", func(p *C.OrtRunOptions, _ *memory) *C.OrtStatus {
		C.OrtRunOptionsSetSyncStream(p, in)
		return nil
	})
	if err == nil {
		o.stream, o.streamPin = stream, hold
	}
	return err
}

// AddLoraAdapter makes every run with these options feed the adapter's parameters to the inputs of
// their names. Several adapters may be active at once.
func (o *RunOptions) AddLoraAdapter(adapter *LoraAdapter) error {
	if o == nil {
		return isNil("run options")
	}
	if adapter == nil {
		return isNil("adapter")
	}
	hold, err := pin(&adapter.object, "adapter")
	if err != nil {
		return err
	}
	o.keep(hold)
	return o.change(fmt.Sprintf("adapter %p", adapter), func(p *C.OrtRunOptions, _ *memory) *C.OrtStatus {
		return C.OrtRunOptionsAddActiveLoraAdapter(p, adapter.pointer)
	})
}

// withRunOptions makes a run that ends with its context.
func withRunOptions(ctx context.Context, options *RunOptions,
	run func(*C.OrtRunOptions) *C.OrtStatus) error {
	if ctx == nil || ctx.Done() == nil {
		if options == nil {
			return check(run(nil))
		}
		p, err := options.begin("run options")
		if err != nil {
			return err
		}
		defer options.end()
		return check(run(p))
	}
	p, finish, err := beginRunOptions(ctx, options)
	if err != nil {
		return err
	}
	return finish(check(run(p)))
}

// beginRunOptions makes options for one run; finish has to be called with what came of it.
func beginRunOptions(ctx context.Context, options *RunOptions) (p *C.OrtRunOptions,
	finish func(error) error, err error) {
	ctx = orBackground(ctx)
	if err := ended(ctx, ErrorCodeFail); err != nil {
		return nil, nil, err
	}
	own, err := options.copyForRun()
	if err != nil {
		return nil, nil, err
	}
	join := watch(ctx, func() { _ = own.setStopped(true) })
	return own.pointer, func(err error) error {
		if wasStopped := join(); wasStopped && err != nil {
			err = because(ctx, err)
		}
		options.forget(own)
		return err
	}, nil
}
