// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import (
	"runtime/cgo"
	"sync"
	"unsafe"
)

// ThreadingOptions are settings of threads that all sessions of an environment share; see
// WithThreads. By default: a thread per core, which spins for a short while after work. One
// goroutine at a time may change them.
type ThreadingOptions struct {
	object[*C.OrtThreadingOptions]
}

// NewThreadingOptions makes settings with their defaults.
func NewThreadingOptions() (*ThreadingOptions, error) {
	o := &ThreadingOptions{}
	var pointer *C.OrtThreadingOptions
	if err := check(C.OrtCreateThreadingOptions(&pointer)); err != nil {
		return nil, err
	}
	o.own(pointer, func(p *C.OrtThreadingOptions) { C.OrtReleaseThreadingOptions(p) })
	return o, nil
}

// Close gives the settings back; closing twice is fine.
func (o *ThreadingOptions) Close() error {
	if o == nil {
		return nil
	}
	return o.close()
}

func (o *ThreadingOptions) change(f func(*C.OrtThreadingOptions, *memory) *C.OrtStatus) error {
	return o.call("threading options", f)
}

// SetIntraOpNumThreads fixes how many threads work on one operator; the one that calls Run counts.
// 0, the default, means one per core.
func (o *ThreadingOptions) SetIntraOpNumThreads(count int) error {
	if err := fitsInt("number of threads", count); err != nil {
		return err
	}
	return o.change(func(p *C.OrtThreadingOptions, _ *memory) *C.OrtStatus {
		return C.OrtSetGlobalIntraOpNumThreads(p, C.int(count))
	})
}

// SetInterOpNumThreads fixes how many operators run at once. Accepted; operators run one after the
// other.
func (o *ThreadingOptions) SetInterOpNumThreads(count int) error {
	if err := fitsInt("number of threads", count); err != nil {
		return err
	}
	return o.change(func(p *C.OrtThreadingOptions, _ *memory) *C.OrtStatus {
		return C.OrtSetGlobalInterOpNumThreads(p, C.int(count))
	})
}

// SetSpinControl says whether idle threads wait awake for a short while, or sleep at once.
func (o *ThreadingOptions) SetSpinControl(allowSpinning bool) error {
	return o.change(func(p *C.OrtThreadingOptions, _ *memory) *C.OrtStatus {
		return C.OrtSetGlobalSpinControl(p, flag(allowSpinning))
	})
}

// SetDenormalAsZero asks for denormal numbers to count as zero, operands and results: in runs of
// the sessions that use these threads, on the thread that calls Run too, whose own mode is back
// when the run has ended.
func (o *ThreadingOptions) SetDenormalAsZero() error {
	return o.change(func(p *C.OrtThreadingOptions, _ *memory) *C.OrtStatus {
		return C.OrtSetGlobalDenormalAsZero(p)
	})
}

// SetIntraOpThreadAffinity asks for threads to stay on processors: a group for each thread but the
// caller's, of processors counted from 1, as "1,2;3-6" for two. NewEnv fails when the number of
// groups is not that of these threads. Where the system refuses, the threads run as it places them,
// and that is logged.
func (o *ThreadingOptions) SetIntraOpThreadAffinity(affinity string) error {
	return o.change(func(p *C.OrtThreadingOptions, m *memory) *C.OrtStatus {
		return C.OrtSetGlobalIntraOpThreadAffinity(p, m.text(affinity))
	})
}

// ThreadStarter starts a thread in place of the system: it has to call work on a goroutine of its
// own, and gives a function that waits until work has returned. It gives nil when there is no
// thread to be had. work does nothing when it is called again, or when the thread was joined.
//
//	func(work func()) (join func()) {
//		done := make(chan struct{})
//		go func() { defer close(done); work() }()
//		return func() { <-done }
//	}
type ThreadStarter func(work func()) (join func())

// SetThreadStarter lets a function of the program make the threads.
func (o *ThreadingOptions) SetThreadStarter(start ThreadStarter) error {
	if start == nil {
		return invalid("the thread starter is nil")
	}
	starter := keptState(start, nil)
	o.keep(starter)
	return o.change(func(p *C.OrtThreadingOptions, _ *memory) *C.OrtStatus {
		return C.ortc_set_global_threads(p, starter.state())
	})
}

// threadWork is what a thread is to do, once, until the library has joined it: the mutex is locked
// meanwhile, and a call that comes later does nothing.
type threadWork struct {
	mutex sync.Mutex
	work  func()
	join  func() // nil when the program gave none, but the work had begun
}

func (t *threadWork) run() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if work := t.work; work != nil {
		t.work = nil
		work()
	}
}

// endUnbegun sees to it that no work begins; false when it has begun.
func (t *threadWork) endUnbegun() bool {
	if !t.mutex.TryLock() {
		return false
	}
	defer t.mutex.Unlock()
	isUnbegun := t.work != nil
	t.work = nil
	return isUnbegun
}

func (t *threadWork) start(start ThreadStarter) {
	// A starter that panics made no thread; the library says so to whoever needs it.
	defer func() { _ = recover() }()
	t.join = start(t.run)
}

func (t *threadWork) wait() {
	defer func() {
		_ = recover()
		t.mutex.Lock() // waits for work that the program's join did not wait for
		defer t.mutex.Unlock()
		t.work = nil
	}()
	if t.join != nil {
		t.join()
	}
}

//export ortcGoStartThread
func ortcGoStartThread(state C.uintptr_t, work, parameter unsafe.Pointer) C.uintptr_t {
	thread := &threadWork{work: func() { C.ortc_work(C.OrtThreadWorkerFn(work), parameter) }}
	thread.start(stateOf[ThreadStarter](state).function)
	if thread.join == nil && thread.endUnbegun() {
		return 0
	}
	return C.uintptr_t(cgo.NewHandle(thread))
}

//export ortcGoJoinThread
func ortcGoJoinThread(thread C.uintptr_t) {
	handle := cgo.Handle(thread)
	work := handle.Value().(*threadWork)
	handle.Delete()
	work.wait()
}
