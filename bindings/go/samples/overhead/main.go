// SPDX-License-Identifier: MIT

// Overhead measures a run: overhead MODEL.onnx ITERATIONS. The model takes x and gives y, both of
// four floats. It prints the median over batches of 1000 runs of the mean time of a run.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"sort"
	"strconv"
	"time"

	ortc "github.com/ortc/ortc/bindings/go"
)

const batch = 1000

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: overhead MODEL.onnx ITERATIONS")
	}
	iterations, err := strconv.Atoi(os.Args[2])
	if err != nil || iterations < batch {
		log.Fatalf("ITERATIONS must be a number, %d or more", batch)
	}
	median, err := measure(os.Args[1], iterations)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("median_ns", median)
}

func measure(model string, iterations int) (int64, error) {
	ctx := context.Background()
	env, err := ortc.NewEnv("overhead")
	if err != nil {
		return 0, err
	}
	defer env.Close()
	session, err := ortc.NewSession(ctx, env, model, nil)
	if err != nil {
		return 0, err
	}
	defer session.Close()
	x, err := ortc.NewTensor[float32](1, 4)
	if err != nil {
		return 0, err
	}
	defer x.Close()
	inputs := ortc.Values{"x": x}
	var means []int64
	for done := 0; done < iterations; done += batch {
		start := time.Now()
		for i := 0; i < batch; i++ {
			outputs, err := session.Run(ctx, inputs)
			if err != nil {
				return 0, err
			}
			outputs.Close()
		}
		means = append(means, time.Since(start).Nanoseconds()/batch)
	}
	sort.Slice(means, func(i, j int) bool { return means[i] < means[j] })
	return means[len(means)/2], nil
}
