// SPDX-License-Identifier: MIT

package tests

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	ortc "github.com/ortc/ortc/bindings/go"
)

func newPackageWriter(t testing.TB) *ortc.ModelPackageWriter {
	t.Helper()
	writer, err := ortc.NewModelPackageWriter(ortc.ModelPackageInfo{Name: "pair", Version: "2"})
	ok(t, err)
	return closing(t, writer)
}

// writePackage makes a package whose component "net" has first.onnx as "any" and compiled.
func writePackage(t testing.TB, env *ortc.Env) (root, asset string) {
	t.Helper()
	folder := t.TempDir()
	root = filepath.Join(folder, "Paket ü")
	compiled(t, env, model(t, "first.onnx"), filepath.Join(folder, "first_ctx.onnx"))
	tokens := filepath.Join(folder, "tokens")
	ok(t, os.Mkdir(tokens, 0o700))
	ok(t, os.WriteFile(filepath.Join(tokens, "t.txt"), []byte("a"), 0o600))
	writer := newPackageWriter(t)
	ok(t, writer.AddVariant("net", "any", model(t, "first.onnx"), &ortc.VariantSettings{
		SessionOptions: ortc.KeyValuePairs{"session.intra_op_num_threads": "1"}}))
	ok(t, writer.AddVariant("net", "compiled", filepath.Join(folder, "first_ctx.onnx"), nil))
	asset, err := writer.AddSharedAsset(tokens)
	ok(t, err)
	report, err := writer.Write(root, ortc.ModelPackageWriteFlagsNone)
	ok(t, err)
	isTrue(t, strings.Contains(string(report), "any/first.onnx"), string(report))
	return root, asset
}

func openPackage(t testing.TB, root string) *ortc.ModelPackage {
	t.Helper()
	pack, err := ortc.OpenModelPackage(root)
	ok(t, err)
	return closing(t, pack)
}

// runFirst gives what first.onnx, or a variant of it, makes of ones.
func runFirst(t testing.TB, session *ortc.Session) []float32 {
	t.Helper()
	ones := make([]float32, 256)
	for i := range ones {
		ones[i] = 1
	}
	outputs, err := session.Run(background, ortc.Values{"x": floats(t, ones, 1, 256)})
	ok(t, err)
	defer outputs.Close()
	return floatsIn(t, outputs["y"])
}

func runsAsFirst(t testing.TB, env *ortc.Env, session *ortc.Session) {
	t.Helper()
	expected := runFirst(t, newSession(t, env, model(t, "first.onnx"), nil))
	for i, found := range runFirst(t, session) {
		if d := found - expected[i]; d > 1e-4 || d < -1e-4 {
			t.Fatalf("expected %v at %d, found %v", expected[i], i, found)
		}
	}
}

func TestPackageTellsWhatItHas(t *testing.T) {
	env := newEnv(t)
	root, asset := writePackage(t, env)
	pack := openPackage(t, root)
	equal(t, pack.SchemaVersion(), 1)
	equal(t, pack.ComponentCount(), 1)
	equalLists(t, pack.Components(), []string{"net"})
	count, err := pack.VariantCount("net")
	ok(t, err)
	equal(t, count, 2)
	variants, err := pack.Variants("net")
	ok(t, err)
	equalLists(t, variants, []string{"any", "compiled"})
	provider, err := pack.Provider("net", "compiled")
	ok(t, err)
	equal(t, provider, "AotExecutionProvider")
	path, err := pack.Resolve(asset+"/t.txt", "", true)
	ok(t, err)
	isTrue(t, exists(path) && filepath.Base(path) == "t.txt", path)
	path, err = pack.Resolve("later.bin", filepath.Join(root, "net"), false)
	ok(t, err)
	equal(t, filepath.Base(filepath.Dir(path)), "net")
}

func TestPackageRunsTheVariantOfTheProvider(t *testing.T) {
	env := newEnv(t)
	root, _ := writePackage(t, env)
	pack := openPackage(t, root)
	plain, err := pack.Select(env, "net", nil)
	ok(t, err)
	equal(t, closing(t, plain).Variant(), "any")
	options := newOptions(t, "AOT")
	selected, err := pack.Select(env, "net", options)
	ok(t, err)
	equal(t, closing(t, selected).Variant(), "compiled")
	equal(t, filepath.Base(selected.Folder()), "compiled")
	for _, given := range []*ortc.SessionOptions{nil, options} {
		session, err := selected.NewSession(withCancel(t), env, given)
		ok(t, err)
		runsAsFirst(t, env, closing(t, session))
	}
	session, err := pack.NewSession(background, env, "net", nil)
	ok(t, err)
	runsAsFirst(t, env, closing(t, session))
}

func TestPackageIsDescribedAndVerified(t *testing.T) {
	env := newEnv(t)
	root, _ := writePackage(t, env)
	pack := openPackage(t, root)
	selected := func(report ortc.JSON, err error) any {
		ok(t, err)
		component := member(t, report, "components").([]any)[0].(map[string]any)
		return component["selected"]
	}
	same(t, selected(pack.Describe(nil, nil)), nil)
	same(t, selected(pack.Describe(env, nil)), "any")
	same(t, selected(pack.Describe(env, newOptions(t, "AOT"))), "compiled")
	report, err := pack.Verify()
	ok(t, err)
	same(t, member(t, report, "verdict"), "sound")
	changed := filepath.Join(root, "net", "any", "first.onnx")
	content, err := os.ReadFile(changed)
	ok(t, err)
	ok(t, os.WriteFile(changed, append(content, 'x'), 0o600))
	report, err = pack.Verify()
	ok(t, err)
	same(t, member(t, report, "verdict"), "broken")
}

func TestSessionOfAPackageOutlivesEverything(t *testing.T) {
	env, err := ortc.NewEnv("short")
	ok(t, err)
	root, _ := writePackage(t, env)
	pack, err := ortc.OpenModelPackage(root)
	ok(t, err)
	selected, err := pack.Select(env, "net", newOptions(t, "AOT"))
	ok(t, err)
	ok(t, pack.Close())
	ok(t, pack.Close())
	session, err := selected.NewSession(background, env, nil)
	ok(t, err)
	closing(t, session)
	ok(t, selected.Close())
	ok(t, env.Close())
	runsAsFirst(t, newEnv(t), session)
	_, err = pack.Variants("net")
	fails(t, err, ortc.ErrClosed, "package is closed")
	_, err = selected.NewSession(background, newEnv(t), nil)
	fails(t, err, ortc.ErrClosed, "component is closed")
	defer func() { isTrue(t, recover() != nil, "no panic") }()
	selected.Variant()
}

func TestPackageIsUsedByManyAtOnce(t *testing.T) {
	env := newEnv(t)
	root, asset := writePackage(t, env)
	pack := openPackage(t, root)
	var all sync.WaitGroup
	for _, name := range []string{"", "/t.txt", "/none", "/longer than the others"} {
		all.Add(1)
		go func(reference string) {
			defer all.Done()
			for i := 0; i < 200; i++ {
				path, err := pack.Resolve(reference, "", false)
				if err != nil || !strings.HasSuffix(path, strings.TrimPrefix(reference, asset)) {
					t.Errorf("%q became %q, %v", reference, path, err)
				}
			}
		}(asset + name)
	}
	all.Wait()
}

func TestWrongUseOfAPackageIsAnError(t *testing.T) {
	env := newEnv(t)
	_, err := ortc.OpenModelPackage(filepath.Join(t.TempDir(), "nothing"))
	fails(t, err, fs.ErrNotExist, "nothing")
	_, err = ortc.OpenModelPackage("a\x00b")
	fails(t, err, ortc.ErrInvalidArgument, "zero byte")
	root, asset := writePackage(t, env)
	pack := openPackage(t, root)
	_, err = pack.Select(env, "other", nil)
	fails(t, err, ortc.ErrInvalidArgument, "it has 'net'")
	_, err = pack.Select(nil, "net", nil)
	fails(t, err, ortc.ErrInvalidArgument, "environment is nil")
	_, err = pack.NewSession(background, env, "other", nil)
	fails(t, err, ortc.ErrInvalidArgument, "other")
	_, err = pack.Describe(nil, newOptions(t))
	fails(t, err, ortc.ErrInvalidArgument, "environment is nil")
	_, err = pack.VariantCount("other")
	fails(t, err, ortc.ErrInvalidArgument, "other")
	_, err = pack.Provider("net", "neither")
	fails(t, err, ortc.ErrInvalidArgument, "it has 'any', 'compiled'")
	_, err = pack.Resolve("../x", "", false)
	fails(t, err, ortc.ErrInvalidArgument, "'..'")
	_, err = pack.Resolve(asset+"/none", "", true)
	fails(t, err, ortc.ErrNoSuchFile, "none")
	ended, cancel := context.WithCancel(background)
	cancel()
	_, err = pack.NewSession(ended, env, "net", nil)
	fails(t, err, context.Canceled, "")
	var none *ortc.ModelPackage
	ok(t, none.Close())
	_, err = none.Variants("net")
	fails(t, err, ortc.ErrInvalidArgument, "package is nil")
	_, err = none.Verify()
	fails(t, err, ortc.ErrInvalidArgument, "package is nil")
	var nobody *ortc.ModelPackageComponent
	ok(t, nobody.Close())
	_, err = nobody.NewSession(background, env, nil)
	fails(t, err, ortc.ErrInvalidArgument, "component is nil")
}

func TestWrongUseOfAPackageWriterIsAnError(t *testing.T) {
	root := filepath.Join(t.TempDir(), "pkg")
	writer := newPackageWriter(t)
	_, err := writer.Write(root, 0)
	fails(t, err, ortc.ErrInvalidArgument, "needs a variant")
	first := model(t, "first.onnx")
	fails(t, writer.AddVariant("net", "any", "nowhere.onnx", nil), fs.ErrNotExist, "nowhere")
	fails(t, writer.AddVariant("../net", "any", first, nil), ortc.ErrInvalidArgument, "'../net'")
	fails(t, writer.AddVariant("net", "any", first, &ortc.VariantSettings{Device: "abacus"}),
		ortc.ErrInvalidArgument, "'abacus'")
	_, err = writer.AddSharedAsset("nowhere")
	fails(t, err, ortc.ErrNoSuchFile, "nowhere")
	ok(t, writer.AddVariant("net", "any", first, &ortc.VariantSettings{
		Provider: "OtherExecutionProvider", Compatibility: "x",
		ProviderOptions: ortc.KeyValuePairs{"speed": "2"}}))
	_, err = writer.Write(root, 1<<20)
	fails(t, err, ortc.ErrInvalidArgument, "flags")
	isTrue(t, !exists(root), "something was written")
	_, err = writer.Write(root, ortc.ModelPackageWriteFlagsLinkFiles)
	ok(t, err)
	_, err = writer.Write(root, 0)
	fails(t, err, ortc.ErrFail, "exist")
	// The only provider that a variant is for is not there.
	_, err = openPackage(t, root).Select(newEnv(t), "net", nil)
	fails(t, err, ortc.ErrFail, "OtherExecutionProvider was not chosen")
	ok(t, writer.Close())
	fails(t, writer.AddVariant("net", "b", first, nil), ortc.ErrClosed, "writer is closed")
	var none *ortc.ModelPackageWriter
	ok(t, none.Close())
	fails(t, none.AddVariant("net", "b", first, nil), ortc.ErrInvalidArgument, "writer is nil")
	_, err = none.Write(root, 0)
	fails(t, err, ortc.ErrInvalidArgument, "writer is nil")
}
