// SPDX-License-Identifier: MIT

// Classify reads digits with the network of the demo: classify MODEL.onnx CACHE IMAGES.npy
// LABELS.npy
//
// The first start compiles the model and keeps that in the folder CACHE; later ones find it there.
// Images are read in batches by several goroutines, all with one session.
package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"

	ortc "github.com/ortc/ortc/bindings/go"
)

const (
	batch   = 64
	pixels  = 8 * 8
	digits  = 10
	workers = 4
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 5 {
		log.Fatal("usage: classify MODEL.onnx CACHE IMAGES.npy LABELS.npy")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := classify(ctx, os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
		log.Fatal(err)
	}
}

func classify(ctx context.Context, model, cache, imageFile, labelFile string) error {
	var images []float32
	var labels []int64
	if err := readNpy(imageFile, &images); err != nil {
		return err
	}
	if err := readNpy(labelFile, &labels); err != nil {
		return err
	}
	if len(images) != len(labels)*pixels {
		return fmt.Errorf("%d pixels do not belong to %d labels", len(images), len(labels))
	}
	session, err := open(ctx, model, cache)
	if err != nil {
		return err
	}
	defer session.Close()
	right, err := count(ctx, session, images, labels)
	if err != nil {
		return err
	}
	fmt.Printf("%d of %d digits are right\n", right, len(labels))
	return nil
}

// open makes a session by way of the cache, and says what came of it.
func open(ctx context.Context, model, cache string) (*ortc.Session, error) {
	env, err := ortc.NewEnv("classify")
	if err != nil {
		return nil, err
	}
	defer env.Close() // the session keeps what it needs
	options, err := ortc.NewSessionOptions()
	if err != nil {
		return nil, err
	}
	defer options.Close()
	if err := options.AddProvider("AOT", nil); err != nil {
		return nil, err
	}
	session, err := ortc.NewSessionFromCache(ctx, env, model, cache, options)
	if err != nil {
		return nil, err
	}
	var report struct{ Cache struct{ Result string } }
	text, err := session.Report()
	if err == nil {
		err = text.Decode(&report)
	}
	fmt.Println("the compiled model was", map[string]string{"made": "made",
		"hit": "found in the cache", "waited": "made by another process"}[report.Cache.Result])
	return session, err
}

// count hands batches to goroutines and counts the digits that are right.
func count(ctx context.Context, session *ortc.Session, images []float32,
	labels []int64) (int64, error) {
	var right atomic.Int64
	var group sync.WaitGroup
	begins, failures := make(chan int), make(chan error, workers)
	for i := 0; i < workers; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for begin := range begins {
				end := begin + batch
				if end > len(labels) {
					end = len(labels)
				}
				found, err := read(ctx, session, images[begin*pixels:end*pixels], labels[begin:end])
				if err != nil {
					failures <- err
					return
				}
				right.Add(found)
			}
		}()
	}
	var err error
	for begin := 0; begin < len(labels) && err == nil; begin += batch {
		select {
		case begins <- begin:
		case err = <-failures:
		}
	}
	close(begins)
	group.Wait()
	if err == nil && len(failures) > 0 {
		err = <-failures
	}
	return right.Load(), err
}

// read counts the digits of one batch that are right.
func read(ctx context.Context, session *ortc.Session, images []float32,
	labels []int64) (int64, error) {
	x, err := ortc.NewTensorFrom(images, int64(len(labels)), 1, 8, 8)
	if err != nil {
		return 0, err
	}
	defer x.Close()
	outputs, err := session.RunWith(ctx, nil, ortc.Values{"images": x}, "logits")
	if err != nil {
		return 0, err
	}
	defer outputs.Close()
	logits, err := ortc.TensorOf[float32](outputs["logits"])
	if err != nil {
		return 0, err
	}
	var right int64
	for i, label := range labels {
		best, scores := 0, logits.Data()[i*digits:(i+1)*digits]
		for digit, score := range scores {
			if score > scores[best] {
				best = digit
			}
		}
		if int64(best) == label {
			right++
		}
	}
	return right, nil
}

// readNpy reads the elements of a little-endian .npy file of version 1, of the slice's type.
func readNpy[T float32 | int64](path string, into *[]T) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	const head = 10 // magic, version, and the length of the text that follows
	if len(data) < head || !bytes.HasPrefix(data, []byte("\x93NUMPY\x01")) {
		return fmt.Errorf("%s is not a .npy file of version 1", path)
	}
	begin := head + int(binary.LittleEndian.Uint16(data[head-2:]))
	kind := map[any]string{float32(0): "'<f4'", int64(0): "'<i8'"}[any(*new(T))]
	if begin > len(data) || !bytes.Contains(data[head:begin], []byte(kind)) {
		return fmt.Errorf("%s does not have elements %s", path, kind)
	}
	*into = make([]T, (len(data)-begin)/binary.Size(*new(T)))
	err = binary.Read(bytes.NewReader(data[begin:]), binary.LittleEndian, *into)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return err
}
