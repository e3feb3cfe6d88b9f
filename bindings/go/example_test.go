// SPDX-License-Identifier: MIT

package ortc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"time"

	ortc "github.com/ortc/ortc/bindings/go"
)

var (
	ctx        = context.Background()
	modelPath  = filepath.Join(os.Getenv("ORTC_MODELS"), "trivial.onnx") // y = x + 1
	digitsPath = filepath.Join(os.Getenv("ORTC_MODELS"), "digits.onnx")
	slowPath   = filepath.Join(os.Getenv("ORTC_MODELS"), "slow.onnx")
)

// A program that loads a model and runs it.
func Example() {
	env, err := ortc.NewEnv("first program")
	if err != nil {
		log.Fatal(err)
	}
	defer env.Close()
	session, err := ortc.NewSession(ctx, env, modelPath, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()

	x, err := ortc.NewTensorFrom([]float32{1, 2, 3, 4}, 1, 4)
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	outputs, err := session.Run(ctx, ortc.Values{"x": x})
	if err != nil {
		log.Fatal(err)
	}
	defer outputs.Close()
	y, err := ortc.TensorOf[float32](outputs["y"])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(y.Data())
	// Output: [2 3 4 5]
}

// aot makes an environment and options with the compiling provider.
func aot() (*ortc.Env, *ortc.SessionOptions) {
	env, err := ortc.NewEnv("examples")
	if err != nil {
		log.Fatal(err)
	}
	options, err := ortc.NewSessionOptions()
	if err != nil {
		log.Fatal(err)
	}
	if err := options.AddProvider("AOT", nil); err != nil {
		log.Fatal(err)
	}
	return env, options
}

func folder() string {
	folder, err := os.MkdirTemp("", "ortc")
	if err != nil {
		log.Fatal(err)
	}
	return folder
}

func compileOnce(output string) error {
	env, options := aot()
	defer env.Close()
	defer options.Close()
	compiler, err := ortc.NewModelCompiler(env, options)
	if err != nil {
		return err
	}
	defer compiler.Close()
	compiler.InputFile(digitsPath).ErrorIfNothingCompiled()
	if err := compiler.CompileToFile(ctx, output); err != nil { // the first error of the chain
		return err
	}
	session, err := ortc.NewSession(ctx, env, output, options) // maps what was compiled
	if err != nil {
		return err
	}
	defer session.Close()
	fmt.Println(session.Inputs()[0].Name, session.Inputs()[0].Type.Tensor.ElementType)
	return nil
}

func ExampleModelCompiler() {
	work := folder()
	defer os.RemoveAll(work)
	if err := compileOnce(filepath.Join(work, "digits_ctx.onnx")); err != nil {
		log.Fatal(err)
	}
	// Output: images ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT
}

func ExampleModelCompiler_CompileToWriter() {
	env, options := aot()
	defer env.Close()
	defer options.Close()
	compiler, err := ortc.NewModelCompiler(env, options)
	if err != nil {
		log.Fatal(err)
	}
	defer compiler.Close()
	var model bytes.Buffer
	err = compiler.InputFile(digitsPath).EmbedContext(true).CompileToWriter(ctx, &model)
	if err != nil {
		log.Fatal(err)
	}
	session, err := ortc.NewSessionFromReader(ctx, env, &model, options)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	fmt.Println(len(session.Outputs()), "outputs")
	// Output: 2 outputs
}

func ExampleNewSessionFromCache() {
	env, options := aot()
	defer env.Close()
	defer options.Close()
	cache := folder()
	defer os.RemoveAll(cache)
	for i := 0; i < 2; i++ {
		session, err := ortc.NewSessionFromCache(ctx, env, digitsPath, cache, options)
		if err != nil {
			log.Fatal(err)
		}
		report, err := session.Report()
		if err != nil {
			log.Fatal(err)
		}
		var found struct{ Cache struct{ Result string } }
		if err := report.Decode(&found); err != nil {
			log.Fatal(err)
		}
		fmt.Println(found.Cache.Result)
		session.Close()
	}
	// Output:
	// made
	// hit
}

func writePackage(root, compiled string) error {
	writer, err := ortc.NewModelPackageWriter(ortc.ModelPackageInfo{Name: "digits"})
	if err != nil {
		return err
	}
	defer writer.Close()
	if err := writer.AddVariant("net", "here", compiled, nil); err != nil {
		return err
	}
	if err := writer.AddVariant("net", "any", digitsPath, nil); err != nil {
		return err
	}
	_, err = writer.Write(root, ortc.ModelPackageWriteFlagsNone) // everything at once, or nothing
	return err
}

func ExampleModelPackage() {
	env, options := aot()
	defer env.Close()
	defer options.Close()
	work := folder()
	defer os.RemoveAll(work)
	compiled, root := filepath.Join(work, "digits_ctx.onnx"), filepath.Join(work, "digits")
	if err := ortc.CompileModel(env, options, digitsPath, compiled); err != nil {
		log.Fatal(err)
	}
	if err := writePackage(root, compiled); err != nil {
		log.Fatal(err)
	}

	digits, err := ortc.OpenModelPackage(root)
	if err != nil {
		log.Fatal(err)
	}
	defer digits.Close()
	net, err := digits.Select(env, "net", options) // the best variant for the providers of the options
	if err != nil {
		log.Fatal(err)
	}
	defer net.Close()
	session, err := net.NewSession(ctx, env, nil) // with the options that the package has for it
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	fmt.Println(net.Variant(), len(session.Outputs()), "outputs")
	// Output: here 2 outputs
}

func ExampleSession_Run_cancel() {
	env, err := ortc.NewEnv("cancel")
	if err != nil {
		log.Fatal(err)
	}
	defer env.Close()
	session, err := ortc.NewSession(ctx, env, slowPath, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	steps, err := ortc.NewScalar[int64](100_000_000)
	if err != nil {
		log.Fatal(err)
	}
	defer steps.Close()

	limited, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancel()
	_, err = session.Run(limited, ortc.Values{"steps": steps})
	fmt.Println(errors.Is(err, context.DeadlineExceeded))
	// Output: true
}

func ExampleModelCompiler_OnProgress() {
	env, options := aot()
	defer env.Close()
	defer options.Close()
	compiler, err := ortc.NewModelCompiler(env, options)
	if err != nil {
		log.Fatal(err)
	}
	defer compiler.Close()
	enough := errors.New("that is enough")
	compiler.InputFile(digitsPath).EmbedContext(true).OnProgress(func(p ortc.Progress) error {
		if p.Stage == "write" {
			return enough // stops the compile; nothing is left behind
		}
		return nil
	})
	_, err = compiler.CompileToBytes(ctx)
	fmt.Println(errors.Is(err, enough))
	// Output: true
}

func ExampleError() {
	env, err := ortc.NewEnv("errors")
	if err != nil {
		log.Fatal(err)
	}
	defer env.Close()
	_, err = ortc.NewSession(ctx, env, "absent.onnx", nil)
	var failure *ortc.Error
	if errors.As(err, &failure) {
		fmt.Println(failure.Code)
	}
	fmt.Println(errors.Is(err, ortc.ErrNoSuchFile), errors.Is(err, fs.ErrNotExist))
	// Output:
	// ORT_NO_SUCHFILE
	// true true
}

func ExampleTensor() {
	x, err := ortc.NewTensor[float32](2, 3) // zeros, in C's memory
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	x.Data()[4] = 7 // a slice over that memory
	element, err := x.At(1, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(*element, x.Shape())
	// Output: 7 [2 3]
}

func ExampleFloat16() {
	half := ortc.NewFloat16(1.0 / 3)
	fmt.Printf("%#04x %.6f\n", uint16(half), half.Float32())
	// Output: 0x3555 0.333252
}

func ExampleModel() {
	row := ortc.TensorType(ortc.ElementTypeFloat, -1)
	model, err := ortc.NewModel(map[string]int{"": 17})
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	if err := model.SetInputs(ortc.ValueInfo{Name: "x", Type: row}); err != nil {
		log.Fatal(err)
	}
	if err := model.SetOutputs(ortc.ValueInfo{Name: "y", Type: row}); err != nil {
		log.Fatal(err)
	}
	err = model.AddNode(ortc.NodeSpec{Operator: "LeakyRelu", Inputs: []string{"x"},
		Outputs: []string{"y"}, Attributes: map[string]any{"alpha": float32(0.5)}})
	if err != nil {
		log.Fatal(err)
	}
	env, err := ortc.NewEnv("model")
	if err != nil {
		log.Fatal(err)
	}
	defer env.Close()
	session, err := ortc.NewSessionFromModel(ctx, env, model, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	x, err := ortc.NewTensorFrom([]float32{-2, 3})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	outputs, err := session.Run(ctx, ortc.Values{"x": x})
	if err != nil {
		log.Fatal(err)
	}
	defer outputs.Close()
	y, err := ortc.TensorOf[float32](outputs["y"])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(y.Data())
	// Output: [-1 3]
}
