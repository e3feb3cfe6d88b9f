// SPDX-License-Identifier: MIT

package tests

import (
	"os"
	"testing"

	ortc "github.com/ortc/ortc/bindings/go"
)

func graph(t *testing.T, path string) *ortc.Graph {
	t.Helper()
	g, err := ortc.LoadGraph(newEnv(t), path)
	ok(t, err)
	return closing(t, g)
}

func namesOf(values []*ortc.GraphValue) []string {
	names := []string{}
	for _, value := range values {
		if value == nil {
			names = append(names, "-")
		} else {
			names = append(names, value.Name())
		}
	}
	return names
}

func TestGraphShowsItsParts(t *testing.T) {
	g := graph(t, data("layers.onnx"))
	equal(t, g.Name(), "layers")
	equal(t, g.ModelPath(), data("layers.onnx"))
	equal(t, g.IRVersion(), 8)
	equal(t, g.OperatorSets()[""], 17)
	equalLists(t, namesOf(g.Inputs()), []string{"x"})
	equalLists(t, namesOf(g.Outputs()), []string{"y"})
	equalLists(t, namesOf(g.Initializers()), []string{"weight"})
	isTrue(t, g.ParentNode() == nil, "a main graph has a parent")
	nodes := g.Nodes()
	equal(t, len(nodes), 3)
	equal(t, nodes[0].Name(), "first")
	equal(t, nodes[0].OperatorType(), "MatMul")
	equal(t, nodes[0].Domain(), "")
	equal(t, nodes[0].EpName(), "")
	equal(t, nodes[0].SinceVersion(), 13)
	isTrue(t, nodes[0].ID() != nodes[1].ID(), "ids are equal")
	equalLists(t, namesOf(nodes[0].Inputs()), []string{"x", "weight"})
	equalLists(t, namesOf(nodes[0].Outputs()), []string{"a"})
	equal(t, len(nodes[0].ImplicitInputs()), 0)
	equal(t, nodes[0].Graph().Name(), "layers")
	metadata, err := g.Metadata()
	ok(t, err)
	equal(t, metadata.GraphName, "layers")
}

func TestGraphValuesTellWhoMakesAndReadsThem(t *testing.T) {
	g := graph(t, data("layers.onnx"))
	nodes := g.Nodes()
	a := nodes[0].Outputs()[0]
	producer, output := a.Producer()
	equal(t, producer.Name(), "first")
	equal(t, output, 0)
	consumers := a.Consumers()
	equal(t, len(consumers), 1)
	equal(t, consumers[0].Node.Name(), "cut")
	equal(t, consumers[0].Input, 0)
	kind, err := a.TypeInfo()
	ok(t, err)
	equal(t, kind.Tensor.Shape[1], 64)
	weight := g.Initializers()[0]
	isTrue(t, weight.IsConstantInitializer() && !weight.IsRequiredGraphInput(), "what is it?")
	producer, _ = weight.Producer()
	isTrue(t, producer == nil, "an initializer has a producer")
	value, err := weight.Initializer()
	ok(t, err)
	equal(t, floatsIn(t, value)[0], -3)
	nothing, err := a.Initializer()
	ok(t, err)
	isTrue(t, nothing == nil, "a has an initializer")
	place, err := weight.ExternalInitializer()
	ok(t, err)
	isTrue(t, place == nil, "the weight is elsewhere")
	isTrue(t, g.Inputs()[0].IsRequiredGraphInput(), "x is not required")
	isTrue(t, g.Outputs()[0].IsGraphOutput(), "y is not an output")
	described := graph(t, data("described.onnx"))
	isTrue(t, described.Inputs()[1].IsOptionalGraphInput(), "bias is required")
}

func TestGraphShowsSubgraphsAndAttributes(t *testing.T) {
	g := graph(t, data("counting.onnx"))
	loop := g.Nodes()[0]
	equalLists(t, namesOf(loop.Inputs()), []string{"times", "-", "x"})
	body := loop.Subgraphs()["body"]
	equal(t, body.Name(), "body")
	equal(t, body.ParentNode().Name(), "count")
	ok(t, body.Close()) // it goes with its graph
	attributes := loop.Attributes()
	equal(t, attributes[0].Name(), "body")
	equal(t, attributes[0].Type(), ortc.OpAttrTypeGraph)
	_, err := attributes[0].Tensor()
	fails(t, err, ortc.ErrInvalidArgument, "")
	_, err = loop.Attribute("nobody")
	fails(t, err, ortc.ErrNotFound, "nobody")
	slow := graph(t, model(t, "slow.onnx"))
	inner := slow.Nodes()[0].Subgraphs()["body"]
	outer := 0
	for _, node := range inner.Nodes() {
		for _, value := range node.Inputs() {
			if value.IsFromOuterScope() {
				outer++
			}
		}
	}
	isTrue(t, outer > 0, "nothing comes from the outer scope")
	isTrue(t, len(slow.Nodes()[0].ImplicitInputs()) > 0, "the loop reads nothing of the outer graph")
}

func TestGraphOfSomeNodes(t *testing.T) {
	env := newEnv(t)
	content, err := os.ReadFile(data("layers.onnx"))
	ok(t, err)
	g, err := ortc.LoadGraphFromBytes(env, content)
	ok(t, err)
	view, err := g.View(g.Nodes()[1:]...)
	ok(t, err)
	closing(t, view)
	_, err = g.View(graph(t, data("layers.onnx")).Nodes()[0])
	fails(t, err, ortc.ErrInvalidArgument, "not of this graph")
	_, err = g.View()
	fails(t, err, ortc.ErrInvalidArgument, "")
	node := g.Nodes()[0]
	ok(t, g.Close())
	equalLists(t, namesOf(view.Inputs()), []string{"a"})
	func() {
		defer func() {
			err, _ := recover().(error)
			fails(t, err, ortc.ErrClosed, "the graph is closed")
		}()
		_ = node.Name()
	}()
	_, err = g.Metadata()
	fails(t, err, ortc.ErrClosed, "closed")
	_, err = g.View(node)
	fails(t, err, ortc.ErrClosed, "closed")
	_, err = ortc.LoadGraph(env, "nowhere.onnx")
	fails(t, err, ortc.ErrNoSuchFile, "nowhere")
	_, err = ortc.LoadGraph(nil, "x")
	fails(t, err, ortc.ErrInvalidArgument, "nil")
}

func TestAttributesHaveGoTypes(t *testing.T) {
	env := newEnv(t)
	attributes := map[string]any{"i": 7, "j": int64(-1), "is": []int64{1, 2}, "none": []int64{},
		"f": float32(0.5), "fs": []float32{1, 2}, "s": "größer", "b": []byte{0, 255},
		"ss": []string{"a", "", "ü"}}
	m, err := ortc.NewModel(map[string]int{"": 17, "example.org": 1})
	ok(t, err)
	closing(t, m)
	ok(t, m.SetInputs(port("x")))
	ok(t, m.SetOutputs(port("y")))
	ok(t, m.AddNode(ortc.NodeSpec{Operator: "Mystery", Domain: "example.org", Name: "n",
		Inputs: []string{"x"}, Outputs: []string{"y"}, Attributes: attributes}))
	_, err = ortc.NewSessionFromModel(background, env, m, nil)
	fails(t, err, ortc.ErrNotImplemented, "Mystery")
	fails(t, m.AddNode(ortc.NodeSpec{Operator: "Mystery", Outputs: []string{"z"},
		Attributes: map[string]any{"a": 1, "x": struct{}{}}}), ortc.ErrInvalidArgument, "struct {}")
	digits := graph(t, model(t, "digits.onnx"))
	for _, node := range digits.Nodes() {
		for _, attribute := range node.Attributes() {
			value, err := attribute.Value()
			ok(t, err)
			found, err := node.Attribute(attribute.Name())
			ok(t, err)
			equal(t, found.Type(), attribute.Type())
			isTrue(t, value != nil, "an attribute is nothing")
		}
	}
	foreign := graph(t, data("foreign_context.onnx")).Nodes()[0]
	source, err := foreign.Attribute("source")
	ok(t, err)
	text, err := source.Value()
	ok(t, err)
	same(t, text, "QNN")
	number, err := foreign.Attribute("main_context")
	ok(t, err)
	value, err := number.Value()
	ok(t, err)
	same(t, value, int64(1))
}
