// SPDX-License-Identifier: MIT

package tests

import (
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	ortc "github.com/ortc/ortc/bindings/go"
)

// countedKernel counts how many of them are open.
type countedKernel struct {
	ortc.KernelFunc
	open *atomic.Int64
}

func (k countedKernel) Close() error {
	k.open.Add(-1)
	return nil
}

func countedOp(name string, open *atomic.Int64) ortc.Operator {
	return making(name, func(*ortc.KernelInfo) (ortc.Kernel, error) {
		open.Add(1)
		return countedKernel{giveSame, open}, nil
	})
}

func TestOperatorsLiveAsLongAsTheLastSession(t *testing.T) {
	var open atomic.Int64
	options := need(ortc.NewSessionOptions())
	ok(t, options.AddOperators("mine", countedOp("Same", &open)))
	clone := need(options.Clone())
	ok(t, options.Close())
	env, m := newEnv(t), sandwich(t, "Same")
	one := need(ortc.NewSessionFromModel(background, env, m, clone))
	two := need(ortc.NewSessionFromModel(background, env, m, clone))
	ok(t, clone.Close())
	options, clone = nil, nil
	collect()
	equal(t, open.Load(), 2)
	ok(t, one.Close())
	equal(t, open.Load(), 1)
	collect()
	give(t, two, three(t))
	ok(t, two.Close())
	equal(t, open.Load(), 0)
}

func TestOperatorsAreCollectedAfterTheLastSession(t *testing.T) {
	collected := make(chan bool, 1)
	env := newEnv(t)
	func() {
		state := &[1 << 10]byte{}
		runtime.SetFinalizer(state, func(*[1 << 10]byte) { collected <- true })
		op := making("Same", func(*ortc.KernelInfo) (ortc.Kernel, error) {
			_ = state[0]
			return ortc.KernelFunc(giveSame), nil
		})
		options := need(ortc.NewSessionOptions())
		ok(t, options.AddOperators("mine", op))
		session := need(ortc.NewSessionFromModel(background, env, sandwich(t, "Same"), options))
		ok(t, options.Close())
		ok(t, session.Close())
	}()
	for i := 0; i < 100; i++ {
		collect()
		select {
		case <-collected:
			return
		default:
		}
	}
	t.Fatal("the operator is still there")
}

func TestMembersOfGroupsKeepTheirOperators(t *testing.T) {
	folder, env := t.TempDir(), newEnv(t)
	source := filepath.Join(folder, "sandwich.onnx")
	write := knowing(t, computing("Same", giveSame))
	ok(t, write.SetGraphOptimizationLevel(ortc.GraphOptimizationLevelDisableAll))
	ok(t, write.SetOptimizedModelPath(source))
	load(t, sandwich(t, "Same"), write)
	group := closing(t, need(ortc.NewSharingGroup(env)))
	options := newOptions(t, "AOT")
	ok(t, options.AddOperators("mine", computing("Same", giveSame)))
	compiler := need(ortc.NewModelCompiler(env, options))
	output := filepath.Join(folder, "sandwich_ctx.onnx")
	ok(t, group.Add(compiler.InputFile(source).OutputFile(output)))
	ok(t, compiler.Close())
	collect()
	ok(t, group.Commit())
	give(t, newSession(t, env, output, options), three(t))
}

func TestAnyNumberOfGoroutinesRunOneKernel(t *testing.T) {
	session := load(t, sandwich(t, "Same"), knowing(t, computing("Same", giveSame)))
	var group sync.WaitGroup
	problems := make(chan error, 16)
	for i := 0; i < 16; i++ {
		group.Add(1)
		go func(number float32) {
			defer group.Done()
			for round := 0; round < often(50, 500); round++ {
				if err := runOnce(session, number); err != nil {
					problems <- err
					return
				}
			}
		}(float32(i))
	}
	group.Wait()
	close(problems)
	for err := range problems {
		t.Error(err)
	}
}

// runOnce wants -|x|.
func runOnce(session *ortc.Session, number float32) error {
	x, err := ortc.NewTensorFrom([]float32{number, -number})
	if err != nil {
		return err
	}
	defer x.Close()
	outputs, err := session.Run(background, ortc.Values{"x": x})
	if err != nil {
		return err
	}
	defer outputs.Close()
	y, err := ortc.TensorOf[float32](outputs["y"])
	if err == nil && (y.Data()[0] != -number || y.Data()[1] != -number) {
		err = fmt.Errorf("found %v", y.Data())
	}
	return err
}

func TestRunsInTheBackgroundCallKernels(t *testing.T) {
	var open atomic.Int64
	options := knowing(t, countedOp("Same", &open))
	ok(t, options.SetIntraOpNumThreads(3))
	session := need(ortc.NewSessionFromModel(background, newEnv(t), sandwich(t, "Same"), options))
	var results []<-chan ortc.Result
	for i := 0; i < 16; i++ {
		x := floats(t, []float32{float32(i)})
		results = append(results, need(session.RunAsync(background, nil, ortc.Values{"x": x})))
	}
	ok(t, session.Close()) // runs that are under way go on
	for i, result := range results {
		outcome := <-result
		ok(t, outcome.Err)
		equalLists(t, floatsIn(t, outcome.Outputs["y"]), []float32{-float32(i)})
		ok(t, outcome.Outputs.Close())
	}
	equal(t, open.Load(), 0)
}

func TestKernelRunsAnotherSession(t *testing.T) {
	inner := load(t, sandwich(t, "Same"), knowing(t, computing("Same", giveSame)))
	nested := computing("Nested", func(call *ortc.KernelContext) error {
		x, err := call.Input(0)
		if err != nil {
			return err
		}
		outputs, err := inner.Run(background, ortc.Values{"x": x})
		if err != nil {
			return err
		}
		defer outputs.Close()
		y, err := ortc.TensorOf[float32](outputs["y"])
		if err != nil {
			return err
		}
		return giveFloats(call, y.Data()...)
	})
	session := load(t, sandwich(t, "Nested"), knowing(t, nested))
	equalLists(t, floatsIn(t, give(t, session, three(t))), []float32{1, 2, 3})
}

// goHeap counts bytes of living Go objects.
func goHeap() int {
	collect()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int(stats.HeapAlloc)
}

func TestMemoryStaysFlatOverSessionsWithOperators(t *testing.T) {
	env, m := newEnv(t), sandwich(t, "Same")
	round := func() {
		state := make([]byte, 1<<12)
		options := need(ortc.NewSessionOptions())
		defer options.Close()
		ok(t, options.AddOperators("mine", making("Same",
			func(*ortc.KernelInfo) (ortc.Kernel, error) {
				state[0]++
				return ortc.KernelFunc(giveSame), nil
			})))
		session := need(ortc.NewSessionFromModel(background, env, m, options))
		defer session.Close()
		ok(t, runOnce(session, 1))
	}
	for i := 0; i < often(200, 200); i++ {
		round()
	}
	before, heapBefore := resident(t), goHeap()
	rounds := often(1000, 5000)
	for i := 0; i < rounds; i++ {
		round()
	}
	// What Go keeps is counted exactly, what C keeps by the pages of the process.
	if grown := goHeap() - heapBefore; grown > rounds<<11 {
		t.Fatalf("%d rounds left %d bytes of Go objects", rounds, grown)
	}
	// The race detector remembers objects that are gone, in pages of its own.
	if after := resident(t); !detectsRaces && after > before+8192 {
		t.Fatalf("%d kB grew to %d kB", before, after)
	}
}
