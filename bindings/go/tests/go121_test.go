// SPDX-License-Identifier: MIT

//go:build go1.21

package tests

import (
	"bytes"
	"log/slog"
	"testing"

	ortc "github.com/ortc/ortc/bindings/go"
)

func TestSliceOfGoIsWrappedWithoutACopy(t *testing.T) {
	slice := []float32{1, 2, 3, 4}
	x, err := ortc.WrapTensor(slice, 1, 4)
	ok(t, err)
	isTrue(t, &x.Data()[0] == &slice[0], "the slice was copied")
	session := newSession(t, newEnv(t), model(t, "trivial.onnx"), nil)
	outputs, err := session.Run(background, ortc.Values{"x": x})
	ok(t, err)
	equalLists(t, floatsIn(t, outputs["y"]), []float32{2, 3, 4, 5})
	ok(t, outputs.Close())
	ok(t, x.Close())
	_, err = ortc.WrapTensor(slice, 7)
	fails(t, err, ortc.ErrInvalidArgument, "7")
}

func TestLogLinesGoToSlog(t *testing.T) {
	var text bytes.Buffer
	handler := slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelDebug})
	env := newEnv(t, ortc.WithLogger(ortc.SlogLogger(slog.New(handler))),
		ortc.WithLoggingLevel(ortc.LoggingLevelVerbose))
	newSession(t, env, model(t, "trivial.onnx"), nil)
	isTrue(t, bytes.Contains(text.Bytes(), []byte("category=")), text.String())
}
