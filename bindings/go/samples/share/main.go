// SPDX-License-Identifier: MIT

// Share compiles two models that share weights, loads both, runs them, and cancels a run:
// share FIRST.onnx SECOND.onnx FOLDER
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	ortc "github.com/ortc/ortc/bindings/go"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 4 {
		log.Fatal("usage: share FIRST.onnx SECOND.onnx FOLDER")
	}
	share(context.Background(), os.Args[1:3], os.Args[3])
}

// docs: begin
func share(ctx context.Context, models []string, folder string) {
	env := must(ortc.NewEnv("share"))
	defer env.Close()
	options := must(ortc.NewSessionOptions())
	defer options.Close()
	check(options.AddProvider("AOT", nil))

	group := must(ortc.NewSharingGroup(env))
	defer group.Close()
	names, outputs := []string{"first", "second"}, []string{}
	for i, name := range names {
		outputs = append(outputs, filepath.Join(folder, name+"_ctx.onnx"))
		compiler := must(ortc.NewModelCompiler(env, options))
		defer compiler.Close()
		check(group.Add(compiler.InputFile(models[i]).OutputFile(outputs[i])))
	}
	check(group.Commit()) // two models and one binary appear here, or nothing
	var report struct{ Files []any }
	check(must(group.Report()).Decode(&report))
	fmt.Println("compiled", len(report.Files), "files")

	x := must(ortc.NewTensor[float32](1, 256)) // in C's memory, shown as a slice
	defer x.Close()
	for i := range x.Data() {
		x.Data()[i] = 1
	}
	var session *ortc.Session
	for i, name := range names {
		session = must(ortc.NewSession(ctx, env, outputs[i], options))
		defer session.Close() // any number of goroutines may run it
		results := must(session.Run(ctx, ortc.Values{"x": x}))
		defer results.Close()
		y := must(ortc.TensorOf[float32](results["y"])).Data() // no copy
		fmt.Printf("%s: %.4f %.4f %.4f %.4f\n", name, y[0], y[1], y[2], y[3])
	}

	stopped, cancel := context.WithCancel(ctx)
	cancel() // may come at any time, also in the middle of a run
	_, err := session.Run(stopped, ortc.Values{"x": x})
	if errors.Is(err, context.Canceled) {
		fmt.Println("cancelled")
	}
}

// docs: end

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
