// SPDX-License-Identifier: MIT

package tests

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	ortc "github.com/ortc/ortc/bindings/go"
)

func member(t *testing.T, report ortc.JSON, name string) any {
	t.Helper()
	object, err := report.Object()
	ok(t, err)
	return object[name]
}

func TestFilesAreInspectedAndCompared(t *testing.T) {
	report, err := ortc.InspectFile(model(t, "digits_ctx.onnx"), ortc.InspectFlagsDetails|
		ortc.InspectFlagsVerifyData)
	ok(t, err)
	same(t, member(t, report, "kind"), "onnx_model")
	report, err = ortc.InspectFile(model(t, "digits_aot.bin"), ortc.InspectFlagsNone)
	ok(t, err)
	same(t, member(t, report, "kind"), "context_binary")
	_, err = ortc.InspectFile("nowhere", 0)
	fails(t, err, ortc.ErrNoSuchFile, "nowhere")
	_, err = ortc.InspectFile(model(t, "digits.onnx"), 1<<20)
	fails(t, err, ortc.ErrInvalidArgument, "flags")
	report, err = ortc.DiffFiles(model(t, "first.onnx"), model(t, "second.onnx"))
	ok(t, err)
	same(t, member(t, report, "equal"), false)
	report, err = ortc.DiffFiles(model(t, "first.onnx"), model(t, "first.onnx"))
	ok(t, err)
	same(t, member(t, report, "equal"), true)
}

func TestEveryTensorOfAModelIsExposed(t *testing.T) {
	content, err := ortc.ExposeModelValues(model(t, "first.onnx"))
	ok(t, err)
	session, err := ortc.NewSessionFromBytes(background, newEnv(t), content, nil)
	ok(t, err)
	closing(t, session)
	equal(t, len(session.Outputs()), 3)
	_, err = ortc.ExposeModelValues("nowhere")
	fails(t, err, ortc.ErrNoSuchFile, "nowhere")
}

func TestCompiledModelTellsWhatItIsFor(t *testing.T) {
	const provider = "AotExecutionProvider"
	info, err := ortc.CompatibilityInfo(model(t, "digits_ctx.onnx"), provider)
	ok(t, err)
	isTrue(t, info != "", "there is nothing")
	content, err := os.ReadFile(model(t, "digits_ctx.onnx"))
	ok(t, err)
	same, err := ortc.CompatibilityInfoFromBytes(content, provider)
	ok(t, err)
	equal(t, same, info)
	none, err := ortc.CompatibilityInfo(model(t, "digits_ctx.onnx"), "OtherExecutionProvider")
	ok(t, err)
	equal(t, none, "")
	env := newEnv(t)
	devices, err := env.EpDevices()
	ok(t, err)
	for _, device := range devices {
		if device.EpName == provider {
			answer, err := ortc.ModelCompatibility([]*ortc.EpDevice{device}, info)
			ok(t, err)
			equal(t, answer, ortc.CompatibilityEpSupportedOptimal)
		}
	}
	_, err = ortc.ModelCompatibility(nil, info)
	fails(t, err, ortc.ErrInvalidArgument, "no device")
	_, err = ortc.CompatibilityInfo("nowhere", provider)
	fails(t, err, ortc.ErrNoSuchFile, "nowhere")
}

func TestCompiledModelsAreChanged(t *testing.T) {
	env, folder := newEnv(t), t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	compiled(t, env, model(t, "first.onnx"), in("first_ctx.onnx"))
	compiled(t, env, model(t, "second.onnx"), in("second_ctx.onnx"))
	heard := 0
	report, err := ortc.PackModel(withCancel(t), in("first_ctx.onnx"), in("packed_ctx.onnx"),
		&ortc.EditOptions{Progress: func(ortc.Progress) error {
			heard++
			return nil
		}})
	ok(t, err)
	isTrue(t, heard > 0 && len(member(t, report, "files").([]any)) == 1, string(report))
	_, err = ortc.PackModel(background, in("packed_ctx.onnx"), in("out_ctx.onnx"),
		&ortc.EditOptions{Flags: ortc.EditFlagsExternal})
	ok(t, err)
	_, err = ortc.PackModel(background, in("first_ctx.onnx"), in("packed_ctx.onnx"),
		&ortc.EditOptions{Flags: ortc.EditFlagsNoOverwrite})
	fails(t, err, ortc.ErrFail, "exist")
	_, err = ortc.PrefixModel(background, in("first_ctx.onnx"), "p_", in("prefixed_ctx.onnx"), nil)
	ok(t, err)
	_, err = ortc.MergeModels(background, []string{in("first_ctx.onnx"), in("second_ctx.onnx")}, nil,
		in("both_ctx.onnx"), nil)
	ok(t, err)
	both := newSession(t, env, in("both_ctx.onnx"), newOptions(t, "AOT"))
	equal(t, len(both.Outputs()), 2)
	graph, err := ortc.LoadGraph(env, in("first_ctx.onnx"))
	ok(t, err)
	closing(t, graph)
	node := graph.Nodes()[0]
	equal(t, node.OperatorType(), "EPContext")
	_, err = ortc.ExtractContext(background, in("first_ctx.onnx"), node.Name(),
		in("one_ctx.onnx"), nil)
	ok(t, err)
	_, err = ortc.ExtractContext(background, in("first_ctx.onnx"), "nobody", in("one_ctx.onnx"), nil)
	fails(t, err, ortc.ErrInvalidArgument, "nobody")
}

func TestChangesAreStopped(t *testing.T) {
	env, folder := newEnv(t), t.TempDir()
	from, to := filepath.Join(folder, "m_ctx.onnx"), filepath.Join(folder, "p_ctx.onnx")
	compiled(t, env, model(t, "first.onnx"), from)
	enough := errors.New("enough")
	_, err := ortc.PackModel(background, from, to, &ortc.EditOptions{
		Progress: func(ortc.Progress) error { return enough }})
	fails(t, err, enough, "enough")
	ctx, cancel := context.WithCancel(background)
	_, err = ortc.PackModel(ctx, from, to, &ortc.EditOptions{
		Progress: func(ortc.Progress) error {
			cancel()
			return context.Canceled
		}})
	fails(t, err, context.Canceled, "")
	_, err = ortc.PackModel(ctx, from, to, nil)
	fails(t, err, context.Canceled, "")
	isTrue(t, !exists(to), "something was left behind")
	func() {
		defer func() { same(t, recover(), "from an edit") }()
		_, _ = ortc.PackModel(background, from, to, &ortc.EditOptions{
			Progress: func(ortc.Progress) error { panic("from an edit") }})
		t.Fatal("no panic")
	}()
}

func TestCacheIsFilledFoundAndEmptied(t *testing.T) {
	env := newEnv(t)
	cache := filepath.Join(t.TempDir(), "Speicher ü")
	options := newOptions(t, "AOT")
	explained, err := ortc.ExplainContextCache(env, model(t, "digits.onnx"), cache, options)
	ok(t, err)
	same(t, member(t, explained, "entry"), "missing")
	for _, result := range []string{"made", "hit"} {
		session, err := ortc.NewSessionFromCache(withCancel(t), env, model(t, "digits.onnx"), cache,
			options)
		ok(t, err)
		report, err := session.Report()
		ok(t, err)
		same(t, member(t, report, "cache").(map[string]any)["result"], result)
		ok(t, session.Close())
	}
	list, err := ortc.ListContextCache(cache)
	ok(t, err)
	equal(t, len(member(t, list, "entries").([]any)), 1)
	sound, err := ortc.VerifyContextCache(cache)
	ok(t, err)
	same(t, member(t, sound, "sound"), true)
	pruned, err := ortc.PruneContextCache(cache, 0)
	ok(t, err)
	isTrue(t, member(t, pruned, "removed_bytes").(float64) > 0, "nothing was removed")
	_, err = ortc.ListContextCache("nowhere")
	fails(t, err, ortc.ErrNoSuchFile, "nowhere")
	_, err = ortc.ExplainContextCache(nil, "a", "b", nil)
	fails(t, err, ortc.ErrInvalidArgument, "nil")
}
