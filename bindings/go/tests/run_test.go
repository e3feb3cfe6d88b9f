// SPDX-License-Identifier: MIT

package tests

import (
	"context"
	"errors"
	"math/rand"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	ortc "github.com/ortc/ortc/bindings/go"
)

func collect() {
	runtime.GC()
	runtime.GC()
}

func slow(t testing.TB) *ortc.Session {
	t.Helper()
	return newSession(t, newEnv(t), model(t, "slow.onnx"), nil)
}

func TestContextStopsARun(t *testing.T) {
	session := slow(t)
	ctx, cancel := context.WithTimeout(background, 20*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := session.Run(ctx, steps(t, forever))
	fails(t, err, context.DeadlineExceeded, "")
	fails(t, err, ortc.ErrFail, "")
	isTrue(t, time.Since(start) < 10*time.Second, "it took long to stop")
	_, err = session.Run(ctx, steps(t, 1))
	fails(t, err, context.DeadlineExceeded, "deadline")
	outputs, err := session.Run(background, steps(t, 3))
	ok(t, err)
	equal(t, floatsIn(t, outputs["y"])[0], 3)
	ok(t, outputs.Close())
}

func TestContextStopsOneRunOfThoseThatShareOptions(t *testing.T) {
	session := slow(t)
	options, err := ortc.NewRunOptions()
	ok(t, err)
	closing(t, options)
	ok(t, options.SetTag("shared"))
	ctx, cancel := context.WithCancel(background)
	stopped := make(chan error, 1)
	endless, few := steps(t, forever), steps(t, 200_000)
	go func() {
		_, err := session.RunWith(ctx, options, endless)
		stopped <- err
	}()
	time.AfterFunc(5*time.Millisecond, cancel)
	outputs, err := session.RunWith(withCancel(t), options, few)
	ok(t, err)
	ok(t, outputs.Close())
	fails(t, <-stopped, context.Canceled, "")
}

func TestTerminateStopsRunsWithAndWithoutContext(t *testing.T) {
	session := slow(t)
	for _, ctx := range []context.Context{background, withCancel(t)} {
		options, err := ortc.NewRunOptions()
		ok(t, err)
		time.AfterFunc(10*time.Millisecond, func() { _ = options.Terminate() })
		_, err = session.RunWith(ctx, options, steps(t, forever))
		fails(t, err, ortc.ErrFail, "terminat")
		isTrue(t, !errors.Is(err, context.Canceled), "the context did not end")
		_, err = session.RunWith(ctx, options, steps(t, forever))
		fails(t, err, ortc.ErrFail, "terminat")
		ok(t, options.Unterminate())
		outputs, err := session.RunWith(ctx, options, steps(t, 2))
		ok(t, err)
		ok(t, outputs.Close())
		ok(t, options.Close())
		_, err = session.RunWith(ctx, options, steps(t, 2))
		fails(t, err, ortc.ErrClosed, "run options")
	}
}

func TestCloseDuringARunWaitsForItsEnd(t *testing.T) {
	session, err := ortc.NewSession(background, newEnv(t), model(t, "slow.onnx"), nil)
	ok(t, err)
	values := steps(t, 300_000)
	begun, result := make(chan struct{}), make(chan error, 1)
	go func() {
		close(begun)
		outputs, err := session.Run(background, values)
		_ = outputs.Close()
		result <- err
	}()
	<-begun
	time.Sleep(5 * time.Millisecond)
	ok(t, session.Close())
	if err := <-result; err != nil && !errors.Is(err, ortc.ErrClosed) {
		t.Fatal(err)
	}
	_, err = session.Run(background, values)
	fails(t, err, ortc.ErrClosed, "closed")
}

func TestRunOnAnotherThread(t *testing.T) {
	options := newOptions(t)
	ok(t, options.SetIntraOpNumThreads(2))
	session := newSession(t, newEnv(t), model(t, "trivial.onnx"), options)
	x := floats(t, []float32{1, 2, 3, 4}, 1, 4)
	pending, err := session.RunAsync(background, nil, ortc.Values{"x": x})
	ok(t, err)
	result := <-pending
	ok(t, result.Err)
	equalLists(t, floatsIn(t, result.Outputs["y"]), []float32{2, 3, 4, 5})
	ok(t, result.Outputs.Close())
	pending, err = session.RunAsync(background, nil, ortc.Values{
		"x": floats(t, make([]float32, 3), 1, 3)}, "y")
	ok(t, err)
	fails(t, (<-pending).Err, ortc.ErrInvalidArgument, "[1,3]")
	_, err = session.RunAsync(background, nil, ortc.Values{"z": x})
	fails(t, err, ortc.ErrInvalidArgument, "z")
	_, err = session.RunAsync(background, nil, ortc.Values{"x": x}, "z")
	fails(t, err, ortc.ErrInvalidArgument, "z")
	single := newOptions(t)
	ok(t, single.SetIntraOpNumThreads(1))
	lonely := newSession(t, newEnv(t), model(t, "trivial.onnx"), single)
	_, err = lonely.RunAsync(background, nil, ortc.Values{"x": x})
	fails(t, err, ortc.ErrInvalidArgument, "hread")
}

func TestContextStopsARunOnAnotherThread(t *testing.T) {
	options := newOptions(t)
	ok(t, options.SetIntraOpNumThreads(2))
	session := newSession(t, newEnv(t), model(t, "slow.onnx"), options)
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	pending, err := session.RunAsync(ctx, nil, steps(t, forever))
	ok(t, err)
	cancel()
	fails(t, (<-pending).Err, context.Canceled, "")
	over, end := context.WithTimeout(background, 0)
	defer end()
	_, err = session.RunAsync(over, nil, steps(t, 1))
	fails(t, err, context.DeadlineExceeded, "deadline")
}

// cancelled runs many times on some goroutines, and cancels at random.
func cancelled(t testing.TB, goroutines, runs int) (stopped int32) {
	session := slow(t)
	values := steps(t, 2000)
	var group sync.WaitGroup
	var count atomic.Int32
	for g := 0; g < goroutines; g++ {
		random := rand.New(rand.NewSource(int64(g)))
		group.Add(1)
		go func() {
			defer group.Done()
			for i := 0; i < runs; i++ {
				limit := time.Duration(random.Intn(1500)) * time.Microsecond
				ctx, cancel := context.WithTimeout(background, limit)
				outputs, err := session.Run(ctx, values)
				cancel()
				switch {
				case err == nil:
					if y := floatsIn(t, outputs["y"]); y[0] != 2000 {
						t.Errorf("the result is %v", y)
					}
					_ = outputs.Close()
				case errors.Is(err, context.DeadlineExceeded):
					count.Add(1)
				default:
					t.Error(err)
				}
			}
		}()
	}
	group.Wait()
	return count.Load()
}

func TestEightGoroutinesRunAndCancelAtRandom(t *testing.T) {
	before := runtime.NumGoroutine()
	stopped := cancelled(t, 8, 25)
	t.Logf("%d of 200 runs were stopped", stopped)
	isTrue(t, stopped > 0, "nothing was stopped")
	for i := 0; i < 100 && runtime.NumGoroutine() > before; i++ {
		time.Sleep(time.Millisecond)
	}
	isTrue(t, runtime.NumGoroutine() <= before, "goroutines are left over")
}
