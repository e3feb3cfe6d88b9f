// SPDX-License-Identifier: MIT

// Generate prints tokens of a language model, the likeliest after each:
// generate MODEL.onnx COUNT TOKEN...
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"

	ortc "github.com/ortc/ortc/bindings/go"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 4 {
		log.Fatal("usage: generate MODEL.onnx COUNT TOKEN...")
	}
	var ids []int64
	for _, text := range os.Args[2:] {
		ids = append(ids, must(strconv.ParseInt(text, 10, 64)))
	}
	tokens := generate(context.Background(), os.Args[1], ids[0], ids[1:])
	fmt.Println(strings.Trim(fmt.Sprint(tokens), "[]"))
}

// docs: begin
func generate(ctx context.Context, model string, count int64, ids []int64) (tokens []int64) {
	env := must(ortc.NewEnv("generate"))
	defer env.Close()
	options := must(ortc.NewSessionOptions())
	defer options.Close()
	check(options.AddProvider("AOT", nil))
	session := must(ortc.NewSession(ctx, env, model, options))
	defer session.Close()
	binding := must(session.NewIoBinding())
	defer binding.Close()

	// One buffer for past and present of each layer: a run appends to it in place.
	length := int64(len(ids)) + count
	for _, input := range session.Inputs() {
		if name := strings.TrimPrefix(input.Name, "past_key_values"); name != input.Name {
			shape := input.Type.Tensor.Shape
			cache := must(ortc.NewTensor[float32](1, shape[1], length, shape[3]))
			defer cache.Close()
			check(binding.BindInput(input.Name, cache))
			check(binding.BindOutput("present"+name, cache))
		}
	}
	vocabulary := session.Outputs()[0].Type.Tensor.Shape[2]
	for past := int64(0); past < length-1; { // first the prompt, then token by token
		now := int64(len(ids))
		logits := run(ctx, binding, ids, past+now, vocabulary)
		best := 0
		for i, logit := range logits {
			if logit > logits[best] {
				best = i
			}
		}
		past, ids = past+now, []int64{int64(best)}
		tokens = append(tokens, int64(best))
	}
	return tokens
}

// The logits of what follows the last of the tokens.
func run(ctx context.Context, binding *ortc.IoBinding, ids []int64, length,
	vocabulary int64) []float32 {
	now := int64(len(ids))
	tokens := must(ortc.NewTensorFrom(ids, 1, now))
	defer tokens.Close()
	mask := must(ortc.NewTensor[int64](1, length))
	defer mask.Close()
	for i := range mask.Data() {
		mask.Data()[i] = 1
	}
	logits := must(ortc.NewTensor[float32](1, now, vocabulary))
	defer logits.Close()
	check(binding.BindInput("input_ids", tokens))
	check(binding.BindInput("attention_mask", mask))
	check(binding.BindOutput("logits", logits))
	check(binding.Run(ctx, nil))
	return append([]float32(nil), logits.Data()[(now-1)*vocabulary:]...)
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
