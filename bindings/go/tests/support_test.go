// SPDX-License-Identifier: MIT

// Package tests has the tests of package ortc: what programs see, and nothing else.
package tests

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	ortc "github.com/ortc/ortc/bindings/go"
	"github.com/ortc/ortc/bindings/go/tests/leave"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if os.Getenv("ORTC_CALLS_FILE") != "" {
		leave.Exit(code)
	}
	os.Exit(code)
}

var background = context.Background()

// data is a model of the repository's own tests.
func data(name string) string { return filepath.Join("..", "..", "..", "tests", "data", name) }

// model is one that the tests of all bindings share.
func model(t testing.TB, name string) string {
	folder := os.Getenv("ORTC_MODELS")
	if folder == "" {
		t.Fatal("ORTC_MODELS must name the folder of the test models: see tests/bindings/run.sh")
	}
	return filepath.Join(folder, name)
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// got hands a result on when there is no error: got(t)(ortc.NewEnv("")) is a habit of these tests.
func got[T any](t testing.TB, value T, err error) T {
	t.Helper()
	ok(t, err)
	return value
}

// fails wants an error of a kind whose text has a part.
func fails(t testing.TB, err, kind error, part string) {
	t.Helper()
	if err == nil {
		t.Fatalf("expected an error about %q", part)
	}
	if !errors.Is(err, kind) {
		t.Fatalf("expected %v, found %v", kind, err)
	}
	if !strings.Contains(err.Error(), part) {
		t.Fatalf("expected %q in %q", part, err)
	}
}

func equal[T comparable](t testing.TB, found, expected T) {
	t.Helper()
	if found != expected {
		t.Fatalf("expected %v, found %v", expected, found)
	}
}

func equalLists[T comparable](t testing.TB, found, expected []T) {
	t.Helper()
	if len(found) != len(expected) {
		t.Fatalf("expected %v, found %v", expected, found)
	}
	for i := range found {
		if found[i] != expected[i] {
			t.Fatalf("expected %v, found %v", expected, found)
		}
	}
}

func isTrue(t testing.TB, holds bool, what string) {
	t.Helper()
	if !holds {
		t.Fatal(what)
	}
}

type closer interface{ Close() error }

// closing closes something when the test ends.
func closing[T closer](t testing.TB, thing T) T {
	t.Cleanup(func() { ok(t, thing.Close()) })
	return thing
}

func newEnv(t testing.TB, options ...ortc.EnvOption) *ortc.Env {
	t.Helper()
	env, err := ortc.NewEnv("tests", options...)
	ok(t, err)
	return closing(t, env)
}

// newOptions makes session options with the providers that are named.
func newOptions(t testing.TB, providers ...string) *ortc.SessionOptions {
	t.Helper()
	options, err := ortc.NewSessionOptions()
	ok(t, err)
	for _, provider := range providers {
		ok(t, options.AddProvider(provider, nil))
	}
	return closing(t, options)
}

func newSession(t testing.TB, env *ortc.Env, path string,
	options *ortc.SessionOptions) *ortc.Session {
	t.Helper()
	session, err := ortc.NewSession(background, env, path, options)
	ok(t, err)
	return closing(t, session)
}

func floats(t testing.TB, data []float32, shape ...int64) *ortc.Tensor[float32] {
	t.Helper()
	tensor, err := ortc.NewTensorFrom(data, shape...)
	ok(t, err)
	return closing(t, tensor)
}

// floatsIn copies the elements of a result.
func floatsIn(t testing.TB, value ortc.AnyValue) []float32 {
	t.Helper()
	tensor, err := ortc.TensorOf[float32](value)
	ok(t, err)
	return append([]float32(nil), tensor.Data()...)
}

// runTrivial runs the model that adds 1.
func runTrivial(t testing.TB, session *ortc.Session) {
	t.Helper()
	x := floats(t, []float32{1, 2, 3, 4}, 1, 4)
	outputs, err := session.Run(background, ortc.Values{"x": x})
	ok(t, err)
	defer outputs.Close()
	equalLists(t, floatsIn(t, outputs["y"]), []float32{2, 3, 4, 5})
}

// steps is the input of the slow model.
func steps(t testing.TB, count int64) ortc.Values {
	t.Helper()
	scalar, err := ortc.NewScalar(count)
	ok(t, err)
	return ortc.Values{"steps": closing(t, scalar)}
}

const forever = 100_000_000

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func compiled(t testing.TB, env *ortc.Env, input, output string) *ortc.ModelCompiler {
	t.Helper()
	compiler, err := ortc.NewModelCompiler(env, newOptions(t, "AOT"))
	ok(t, err)
	closing(t, compiler)
	ok(t, compiler.InputFile(input).CompileToFile(background, output))
	return compiler
}

// same is equal for values whose types are known at run time only.
func same(t testing.TB, found, expected any) {
	t.Helper()
	if found != expected {
		t.Fatalf("expected %v, found %v", expected, found)
	}
}
