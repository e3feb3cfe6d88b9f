// SPDX-License-Identifier: MIT

package tests

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	ortc "github.com/ortc/ortc/bindings/go"
)

// lines collects log lines.
type lines struct {
	mutex sync.Mutex
	list  []ortc.Record
}

func (l *lines) log(record ortc.Record) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.list = append(l.list, record)
}

func (l *lines) count() int {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return len(l.list)
}

func TestLibraryTellsItsReleaseAndBuild(t *testing.T) {
	isTrue(t, strings.HasPrefix(ortc.LibraryVersion(), "1."), ortc.LibraryVersion())
	isTrue(t, strings.Contains(ortc.BuildInfo(), ortc.LibraryVersion()), ortc.BuildInfo())
	providers, err := ortc.AvailableProviders()
	ok(t, err)
	equal(t, providers[len(providers)-1], "CPUExecutionProvider")
	table, release := ortc.APITable(24)
	isTrue(t, table != nil && release != "", "there is no table of version 24")
	table, _ = ortc.APITable(9999)
	isTrue(t, table == nil, "there is a table of version 9999")
}

func TestEnvironmentIsOfManyKinds(t *testing.T) {
	threads, err := ortc.NewThreadingOptions()
	ok(t, err)
	closing(t, threads)
	ok(t, threads.SetIntraOpNumThreads(2))
	ok(t, threads.SetInterOpNumThreads(1))
	ok(t, threads.SetSpinControl(false))
	ok(t, threads.SetDenormalAsZero())
	ok(t, threads.SetIntraOpThreadAffinity("1"))
	fails(t, threads.SetThreadStarter(nil), ortc.ErrInvalidArgument, "nil")
	fails(t, threads.SetIntraOpNumThreads(-1), ortc.ErrInvalidArgument, "-1")
	var heard lines
	logger := ortc.WithLogger(heard.log)
	entries := ortc.WithEnvEntries(ortc.KeyValuePairs{ortc.KeyEnvAllowVirtualDevices: "1"})
	for _, options := range [][]ortc.EnvOption{
		nil, {logger}, {ortc.WithThreads(threads)}, {logger, ortc.WithThreads(threads)}, {entries},
		{entries, logger, ortc.WithThreads(threads)},
	} {
		env := newEnv(t, append(options, ortc.WithLoggingLevel(ortc.LoggingLevelVerbose))...)
		ok(t, env.SetLoggingLevel(ortc.LoggingLevelError))
		runTrivial(t, newSession(t, env, model(t, "trivial.onnx"), nil))
	}
	ok(t, threads.SetIntraOpThreadAffinity("1;1"))
	_, err = ortc.NewEnv("x", ortc.WithThreads(threads)) // two groups for one thread
	fails(t, err, ortc.ErrInvalidArgument, "")
	_, err = ortc.NewEnv("x", ortc.WithEnvEntries(ortc.KeyValuePairs{"nobody": "1"}))
	fails(t, err, ortc.ErrInvalidArgument, "nobody")
	_, err = ortc.NewEnv("x", ortc.WithEnvEntries(ortc.KeyValuePairs{"": "1"}))
	fails(t, err, ortc.ErrInvalidArgument, "empty")
	_, err = ortc.NewEnv("a\x00b")
	fails(t, err, ortc.ErrInvalidArgument, "zero byte")
}

func TestEnvironmentTakesNoteOfWhatChangesNothing(t *testing.T) {
	env := newEnv(t)
	ok(t, env.SetTelemetry(true))
	ok(t, env.SetTelemetry(false))
	ok(t, env.SetLanguageProjection(ortc.LanguageProjectionC))
	fails(t, env.SetLanguageProjection(99), ortc.ErrInvalidArgument, "99")
	fails(t, env.SetLoggingLevel(99), ortc.ErrInvalidArgument, "99")
}

func TestLoggerHearsTheLibrary(t *testing.T) {
	var heard lines
	env := newEnv(t, ortc.WithLogger(heard.log), ortc.WithLoggingLevel(ortc.LoggingLevelVerbose))
	options := newOptions(t, "AOT")
	ok(t, options.SetLogID("ein Gerät"))
	ok(t, options.SetLogVerbosity(1))
	ok(t, options.SetLogSeverity(ortc.LoggingLevelVerbose))
	newSession(t, env, model(t, "trivial.onnx"), options)
	isTrue(t, heard.count() > 0, "nothing was logged")
	found := false
	for _, line := range heard.list {
		found = found || strings.Contains(line.ID, "ein Gerät")
		isTrue(t, line.Message != "" && line.Location != "", "a line lacks its text or place")
	}
	isTrue(t, found, "no line has the id of the session")
}

func TestLoggerOfASessionHearsItsLines(t *testing.T) {
	var heard lines
	options := newOptions(t, "AOT")
	ok(t, options.SetLogger(heard.log))
	ok(t, options.SetLogSeverity(ortc.LoggingLevelVerbose))
	fails(t, options.SetLogger(nil), ortc.ErrInvalidArgument, "nil")
	newSession(t, newEnv(t), model(t, "trivial.onnx"), options)
	isTrue(t, heard.count() > 0, "nothing was logged")
}

func TestLoggerThatPanicsDoesNotStopTheLibrary(t *testing.T) {
	env := newEnv(t, ortc.WithLogger(func(ortc.Record) { panic("a logger of a test") }),
		ortc.WithLoggingLevel(ortc.LoggingLevelVerbose))
	runTrivial(t, newSession(t, env, model(t, "trivial.onnx"), nil))
}

func TestProviderLoggerNeedsALogger(t *testing.T) {
	logger := ortc.ProviderLoggerAt(nil)
	fails(t, logger.Log(ortc.LoggingLevelError, "m", "a.c", 1, "f"), ortc.ErrInvalidArgument, "NULL")
	_, err := logger.Severity()
	fails(t, err, ortc.ErrInvalidArgument, "NULL")
}

// counted starts goroutines and counts them.
type counted struct {
	started, joined atomic.Int32
	most            int32
}

func (c *counted) start(work func()) func() {
	if c.started.Add(1) > c.most {
		c.started.Add(-1)
		return nil
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		work()
	}()
	return func() {
		<-done
		c.joined.Add(1)
	}
}

func TestThreadsMayBeGoroutines(t *testing.T) {
	threads := &counted{most: 100}
	options := newOptions(t)
	ok(t, options.SetThreadStarter(threads.start))
	ok(t, options.SetIntraOpNumThreads(3))
	fails(t, options.SetThreadStarter(nil), ortc.ErrInvalidArgument, "nil")
	session, err := ortc.NewSession(background, newEnv(t), model(t, "trivial.onnx"), options)
	ok(t, err)
	runTrivial(t, session)
	ok(t, session.Close())
	equal(t, threads.started.Load(), 2)
	equal(t, threads.joined.Load(), 2)
}

func TestThreadsThatAreNotToBeHadAreAnError(t *testing.T) {
	for _, start := range []ortc.ThreadStarter{
		(&counted{}).start,
		func(func()) func() { panic("no thread from a test") },
	} {
		options := newOptions(t)
		ok(t, options.SetThreadStarter(start))
		ok(t, options.SetIntraOpNumThreads(3))
		_, err := ortc.NewSession(background, newEnv(t), model(t, "trivial.onnx"), options)
		fails(t, err, ortc.ErrFail, "thread")
	}
}

func TestWorkThatComesAfterItsSessionDoesNothing(t *testing.T) {
	var kept []func()
	options := newOptions(t)
	ok(t, options.SetThreadStarter(func(work func()) func() {
		kept = append(kept, work)
		return func() {}
	}))
	ok(t, options.SetIntraOpNumThreads(3))
	ok(t, newSession(t, newEnv(t), model(t, "trivial.onnx"), options).Close())
	equal(t, len(kept), 2)
	for _, work := range append(kept, kept...) {
		work()
	}
}

func TestThreadsThatAreAtWorkAreThreads(t *testing.T) {
	options := newOptions(t)
	var working sync.WaitGroup
	ok(t, options.SetThreadStarter(func(work func()) func() {
		working.Add(1)
		go func() { defer working.Done(); work() }()
		time.Sleep(20 * time.Millisecond) // it has mostly begun
		panic("the join was lost")
	}))
	ok(t, options.SetIntraOpNumThreads(3))
	env, isMade := newEnv(t), false
	for i := 0; i < 50 && !isMade; i++ {
		session, err := ortc.NewSession(background, env, model(t, "trivial.onnx"), options)
		isMade = err == nil
		ok(t, session.Close())
	}
	isTrue(t, isMade, "threads that are at work are none")
	working.Wait()
}

func TestFunctionsHearOfTheWorkOfThreads(t *testing.T) {
	var enqueued, started, stopped, abandoned atomic.Int64
	hear := func(count *atomic.Int64) func(any) {
		return func(work any) {
			if work.(string) == "share" {
				count.Add(1)
			}
			panic("from a test")
		}
	}
	env := newEnv(t)
	ok(t, env.SetThreadPoolCallbacks(ortc.ThreadPoolCallbacks{
		OnEnqueue:   func() any { enqueued.Add(1); return "share" },
		OnStartWork: hear(&started),
		OnStopWork:  hear(&stopped),
		OnAbandon:   hear(&abandoned),
	}))
	options := newOptions(t)
	ok(t, options.SetIntraOpNumThreads(3))
	session := newSession(t, env, data("layers.onnx"), options)
	ok(t, env.SetThreadPoolCallbacks(ortc.ThreadPoolCallbacks{}))
	ok(t, env.Close())
	fails(t, env.SetThreadPoolCallbacks(ortc.ThreadPoolCallbacks{}), ortc.ErrClosed, "closed")
	outputs, err := session.Run(background,
		ortc.Values{"x": floats(t, make([]float32, 256*64), 256, 64)})
	ok(t, err)
	ok(t, outputs.Close())
	ok(t, session.Close())
	isTrue(t, enqueued.Load() > 0, "nothing was heard of")
	equal(t, started.Load(), stopped.Load())
	equal(t, started.Load()+abandoned.Load(), enqueued.Load())
}

func TestThreadsOfTheEnvironmentAreShared(t *testing.T) {
	shared := &counted{most: 100}
	threads, err := ortc.NewThreadingOptions()
	ok(t, err)
	ok(t, threads.SetThreadStarter(shared.start))
	ok(t, threads.SetIntraOpNumThreads(3))
	env, err := ortc.NewEnv("tests", ortc.WithThreads(threads))
	ok(t, err)
	ok(t, threads.Close())
	options := newOptions(t)
	ok(t, options.DisablePerSessionThreads())
	first := newSession(t, env, model(t, "trivial.onnx"), options)
	second := newSession(t, env, model(t, "trivial.onnx"), options)
	runTrivial(t, first)
	runTrivial(t, second)
	equal(t, shared.started.Load(), 2)
	ok(t, env.Close())
	runTrivial(t, first)
}

func TestDevicesTellWhatTheyAre(t *testing.T) {
	env := newEnv(t)
	devices, err := env.EpDevices()
	ok(t, err)
	names := map[string]bool{}
	for _, device := range devices {
		names[device.EpName] = true
		isTrue(t, device.EpVendor != "", "a provider has no vendor")
		isTrue(t, device.Metadata[ortc.KeyEpDeviceEpMetadataKeyVersion] != "", "no version")
		isTrue(t, device.Options != nil, "the options are nil")
		isTrue(t, !device.Device.IsVirtual(), "the device is virtual")
		info, err := device.MemoryInfo(ortc.DeviceMemoryTypeDefault)
		ok(t, err)
		isTrue(t, info == nil, "a processor has memory of its own")
		_, err = ortc.NewSyncStream(device, nil)
		fails(t, err, ortc.ErrInvalidArgument, "stream")
	}
	isTrue(t, names["AotExecutionProvider"] && names["CPUExecutionProvider"], "a provider is missing")
	hardware, err := env.HardwareDevices()
	ok(t, err)
	equal(t, hardware[0].Type, ortc.HardwareDeviceTypeCPU)
	equal(t, hardware[0].Metadata[ortc.KeyHardwareDeviceMetadataKeyIsVirtual], "0")
	var none *ortc.SyncStream
	isTrue(t, none.Handle() == nil, "a nil stream has a handle")
	ok(t, none.Close())
}

func TestDevicesOfAClosedEnvironmentAreRefused(t *testing.T) {
	env, err := ortc.NewEnv("x")
	ok(t, err)
	devices, err := env.EpDevices()
	ok(t, err)
	ok(t, env.Close())
	options := newOptions(t)
	fails(t, options.AddDevices(devices[:1], nil), ortc.ErrClosed, "environment is closed")
	fails(t, options.AddDevices(nil, nil), ortc.ErrInvalidArgument, "no device")
	fails(t, options.AddDevices([]*ortc.EpDevice{nil}, nil), ortc.ErrInvalidArgument, "EpDevices")
	fails(t, options.AddDevices([]*ortc.EpDevice{{}}, nil), ortc.ErrInvalidArgument, "EpDevices")
	_, err = env.EpDevices()
	fails(t, err, ortc.ErrClosed, "closed")
}

func TestPairListKeepsItsOrder(t *testing.T) {
	list, err := ortc.NewPairList(ortc.KeyValuePairs{"b": "2", "a": "1"})
	ok(t, err)
	closing(t, list)
	ok(t, list.Set("ü", "drei"))
	ok(t, list.Set("a", "one"))
	fails(t, list.Set("", "x"), ortc.ErrInvalidArgument, "empty")
	value, isThere := list.Get("ü")
	isTrue(t, isThere && value == "drei", value)
	list.Delete("b")
	_, isThere = list.Get("b")
	isTrue(t, !isThere, "what was deleted is there")
	equalLists(t, list.Pairs().Keys(), []string{"a", "ü"})
	_, err = ortc.NewPairList(ortc.KeyValuePairs{"a": "b\x00c"})
	fails(t, err, ortc.ErrInvalidArgument, "zero byte")
}
