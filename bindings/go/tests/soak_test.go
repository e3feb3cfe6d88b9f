// SPDX-License-Identifier: MIT

package tests

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	ortc "github.com/ortc/ortc/bindings/go"
)

// Long runs. They are short unless ORTC_SOAK=1: see test.sh check.

func often(short, long int) int {
	switch os.Getenv("ORTC_SOAK") {
	case "1":
		return long
	case "little": // where every use of an object collects garbage
		return short / 10
	}
	return short
}

// kilobytes reads a line of a file in /proc, as "VmRSS: 1234 kB".
func kilobytes(t *testing.T, file, key string) int {
	t.Helper()
	content, err := os.ReadFile(file)
	ok(t, err)
	for _, line := range strings.Split(string(content), "\n") {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == key+":" {
			size, err := strconv.Atoi(fields[1])
			ok(t, err)
			return size
		}
	}
	t.Fatalf("there is no %s in %s", key, file)
	return 0
}

func resident(t *testing.T) int {
	t.Helper()
	collect()
	debug.FreeOSMemory()
	return kilobytes(t, "/proc/self/status", "VmRSS")
}

// once makes everything, uses it, and ends it; or forgets it, and the collector does.
func once(t *testing.T, round int) {
	env, err := ortc.NewEnv("soak", ortc.WithLogger(func(ortc.Record) {}))
	ok(t, err)
	options, err := ortc.NewSessionOptions()
	ok(t, err)
	ok(t, options.AddProvider("AOT", nil))
	ok(t, options.SetLoadProgress(func(ortc.Progress) error { return nil }))
	ctx, cancel := context.WithTimeout(background, time.Minute)
	defer cancel()
	session, err := ortc.NewSession(ctx, env, model(t, "digits_ctx.onnx"), options)
	ok(t, err)
	x, err := ortc.NewTensor[float32](1, 1, 8, 8)
	ok(t, err)
	outputs, err := session.Run(ctx, ortc.Values{"images": x})
	ok(t, err)
	_, err = session.Run(background, ortc.Values{"nobody": x})
	fails(t, err, ortc.ErrInvalidArgument, "nobody")
	run, err := ortc.NewRunOptions()
	ok(t, err)
	binding, err := session.NewIoBinding()
	ok(t, err)
	for i := 0; i < 10; i++ {
		ok(t, run.SetTag("again"))
		ok(t, binding.BindInput("images", x))
		ok(t, binding.BindOutput("logits", outputs["logits"]))
	}
	ok(t, binding.Run(ctx, run))
	if round%10 == 9 {
		return // forgotten
	}
	for _, thing := range []closer{outputs, x, binding, run, session, options, env} {
		ok(t, thing.Close())
	}
}

func TestMemoryStaysFlat(t *testing.T) {
	rounds := often(500, 10_000)
	work := func(count int) {
		for i := 0; i < count; i++ {
			once(t, i)
			if i%50 == 49 {
				collect() // the collector sees C's memory as nothing: it would not come by itself
			}
		}
	}
	work(often(400, 400))
	before := resident(t)
	work(rounds)
	after := resident(t)
	t.Logf("%d rounds: %d kB before, %d kB after", rounds, before, after)
	isTrue(t, after < before+8*1024, fmt.Sprintf("%d kB became %d kB", before, after))
}

func TestManyRunsAtOnceAreCancelledAtRandom(t *testing.T) {
	session := slow(t)
	count := often(100, 1000)
	values := steps(t, 20_000)
	var group sync.WaitGroup
	results := make(chan error, count)
	for i := 0; i < count; i++ {
		limit := time.Duration(rand.New(rand.NewSource(int64(i))).Intn(200)) * time.Millisecond
		group.Add(1)
		go func() {
			defer group.Done()
			ctx, cancel := context.WithTimeout(background, limit)
			defer cancel()
			outputs, err := session.Run(ctx, values)
			_ = outputs.Close()
			results <- err
		}()
	}
	group.Wait()
	close(results)
	finished, stopped := 0, 0
	for err := range results {
		switch {
		case err == nil:
			finished++
		case errors.Is(err, context.DeadlineExceeded):
			stopped++
		default:
			t.Fatal(err)
		}
	}
	t.Logf("%d finished, %d stopped", finished, stopped)
	equal(t, finished+stopped, count)
	isTrue(t, stopped > 0, "nothing was stopped")
	outputs, err := session.Run(background, steps(t, 2))
	ok(t, err)
	ok(t, outputs.Close())
}

// TestProcessThatExits is what the processes of the next test do.
func TestProcessThatExits(t *testing.T) {
	if os.Getenv("ORTC_EXITS") == "" {
		t.Skip("it is for TestProcessesExitInTheMiddleOfRuns")
	}
	session := slow(t)
	values := steps(t, forever)
	for i := 0; i < 4; i++ {
		go func() { _, _ = session.Run(context.Background(), values) }()
	}
	time.Sleep(20 * time.Millisecond)
	fmt.Println("running")
	os.Exit(7)
}

func TestProcessesExitInTheMiddleOfRuns(t *testing.T) {
	for i := 0; i < often(5, 100); i++ {
		command := exec.Command(os.Args[0], "-test.run", "^TestProcessThatExits$")
		command.Env = append(os.Environ(), "ORTC_EXITS=1")
		output, err := command.StdoutPipe()
		ok(t, err)
		ok(t, command.Start())
		line, err := bufio.NewReader(output).ReadString('\n')
		ok(t, err)
		equal(t, line, "running\n")
		timer := time.AfterFunc(20*time.Second, func() { _ = command.Process.Kill() })
		var code *exec.ExitError
		isTrue(t, errors.As(command.Wait(), &code), "the process ended well")
		timer.Stop()
		equal(t, code.ExitCode(), 7)
	}
}

func TestTensorOfThreeGigabytes(t *testing.T) {
	if often(0, 1) == 0 {
		t.Skip("it is for the long runs")
	}
	if free := kilobytes(t, "/proc/meminfo", "MemAvailable"); free < 8<<20 {
		t.Skipf("LEFT OUT: a tensor of 3 GB wants 8 GB of memory, and %d MB are available", free>>10)
	}
	const count = 3 << 30 / 4
	m, err := ortc.NewModel(map[string]int{"": 17})
	ok(t, err)
	closing(t, m)
	large := ortc.TensorType(ortc.ElementTypeFloat, -1)
	ok(t, m.SetInputs(ortc.ValueInfo{Name: "x", Type: large}))
	ok(t, m.SetOutputs(ortc.ValueInfo{Name: "y", Type: large}))
	ok(t, m.AddNode(ortc.NodeSpec{Operator: "Neg", Inputs: []string{"x"}, Outputs: []string{"y"}}))
	session, err := ortc.NewSessionFromModel(background, newEnv(t), m, nil)
	ok(t, err)
	closing(t, session)
	x, err := ortc.NewTensor[float32](count)
	ok(t, err)
	closing(t, x)
	equal(t, len(x.Data()), count)
	x.Data()[count-1] = 5
	outputs, err := session.Run(background, ortc.Values{"x": x})
	ok(t, err)
	closing(t, outputs)
	y, err := ortc.TensorOf[float32](outputs["y"])
	ok(t, err)
	equal(t, len(y.Data()), count)
	equal(t, y.Data()[count-1], -5)
}

func TestCollectorRunsWhileEverythingIsInUse(t *testing.T) {
	stop := make(chan struct{})
	var group sync.WaitGroup
	group.Add(1)
	go func() {
		defer group.Done()
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	for i := 0; i < often(50, 1000); i++ {
		once(t, i)
	}
	close(stop)
	group.Wait()
}
