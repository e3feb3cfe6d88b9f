// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import "unsafe"

// Graph is a model's graph as execution providers see it: names resolved, nodes sorted, local
// functions inlined, every value with its type and shape as far as they can be inferred. It does
// not change; any number of goroutines may read it.
//
// Everything reached from a graph is part of it and keeps it reachable. Close the graph when none
// of it is needed any more: reading its parts afterwards panics.
type Graph struct {
	object[*C.OrtGraph]
	root *Graph // the one to be closed; a sub-graph's is another one
}

// LoadGraph reads a model file; external data are found beside it, and mapped, not read.
func LoadGraph(env *Env, modelPath string) (*Graph, error) {
	return loadGraph(env, func(e *C.OrtEnv, m *memory, out **C.OrtGraph) *C.OrtStatus {
		return C.OrtLoadGraph(e, m.text(modelPath), out)
	})
}

// LoadGraphFromBytes reads a model from memory. External data are looked for in the current folder.
func LoadGraphFromBytes(env *Env, model []byte) (*Graph, error) {
	return loadGraph(env, func(e *C.OrtEnv, _ *memory, out **C.OrtGraph) *C.OrtStatus {
		return C.OrtLoadGraphFromArray(e, unsafe.Pointer(first(model)), C.size_t(len(model)), out)
	})
}

func loadGraph(env *Env, load func(*C.OrtEnv, *memory, **C.OrtGraph) *C.OrtStatus) (*Graph, error) {
	e, err := env.use()
	if err != nil {
		return nil, err
	}
	defer env.end()
	var pointer *C.OrtGraph
	err = withMemory(func(m *memory) *C.OrtStatus { return load(e, m, &pointer) })
	if err != nil {
		return nil, err
	}
	return ownGraph(pointer, env), nil
}

func ownGraph(pointer *C.OrtGraph, keeps ...any) *Graph {
	g := &Graph{}
	g.root = g
	g.own(pointer, releaseGraph)
	g.keep(keeps...)
	return g
}

func releaseGraph(p *C.OrtGraph) { C.OrtReleaseGraph(p) }

// part makes a sub-graph.
func (g *Graph) part(pointer *C.OrtGraph) *Graph {
	sub := &Graph{root: g.root}
	sub.pointer = pointer
	return sub
}

// Close gives the graph back, with all its parts; a sub-graph goes with its graph. Closing twice is
// fine.
func (g *Graph) Close() error {
	if g == nil {
		return nil
	}
	return g.close()
}

// hold is for reading: it panics when the graph is closed.
func (g *Graph) hold() func() {
	if g == nil {
		return func() {} // of an attribute that the caller holds
	}
	_, err := g.root.begin("graph")
	must(err)
	return g.root.end
}

func (g *Graph) ask(f func(*C.OrtGraph) *C.OrtStatus) {
	defer g.hold()()
	must(check(f(g.pointer)))
}

func (g *Graph) text(f func(*C.OrtGraph, **C.char) *C.OrtStatus) (text string) {
	g.ask(func(p *C.OrtGraph) *C.OrtStatus {
		var borrowed *C.char
		status := f(p, &borrowed)
		text = goText(borrowed)
		return status
	})
	return text
}

// Name tells the graph's name; "sub_graph" for a view of some nodes.
func (g *Graph) Name() string {
	return g.text(func(p *C.OrtGraph, out **C.char) *C.OrtStatus { return C.OrtGraph_GetName(p, out) })
}

// ModelPath tells the path of the model file; empty when the model came from memory.
func (g *Graph) ModelPath() string {
	return g.text(func(p *C.OrtGraph, out **C.char) *C.OrtStatus {
		return C.OrtGraph_GetModelPath(p, out)
	})
}

// IRVersion tells the version of the ONNX format that the model is written in.
func (g *Graph) IRVersion() int64 {
	var version C.int64_t
	g.ask(func(p *C.OrtGraph) *C.OrtStatus { return C.OrtGraph_GetOnnxIRVersion(p, &version) })
	return int64(version)
}

// OperatorSets lists the operator sets that the model imports: versions by domain; "" is ONNX's
// own.
func (g *Graph) OperatorSets() map[string]int64 {
	sets := map[string]int64{}
	g.ask(func(p *C.OrtGraph) *C.OrtStatus {
		var count C.size_t
		if status := C.OrtGraph_GetNumOperatorSets(p, &count); status != nil || count == 0 {
			return status
		}
		domains, versions := make([]*C.char, int(count)), make([]C.int64_t, int(count))
		status := C.OrtGraph_GetOperatorSets(p, &domains[0], &versions[0], count)
		for i, domain := range domains {
			sets[goText(domain)] = int64(versions[i])
		}
		return status
	})
	return sets
}

// Inputs lists the inputs, those with an initializer behind them included. A view of some nodes has
// the values that its nodes read and others make.
func (g *Graph) Inputs() []*GraphValue {
	return g.values(
		func(p *C.OrtGraph, n *C.size_t) *C.OrtStatus { return C.OrtGraph_GetNumInputs(p, n) },
		func(p *C.OrtGraph, v **C.OrtValueInfo, n C.size_t) *C.OrtStatus {
			return C.OrtGraph_GetInputs(p, v, n)
		})
}

// Outputs lists the outputs.
func (g *Graph) Outputs() []*GraphValue {
	return g.values(
		func(p *C.OrtGraph, n *C.size_t) *C.OrtStatus { return C.OrtGraph_GetNumOutputs(p, n) },
		func(p *C.OrtGraph, v **C.OrtValueInfo, n C.size_t) *C.OrtStatus {
			return C.OrtGraph_GetOutputs(p, v, n)
		})
}

// Initializers lists the graph's own initializers; those of enclosing graphs are listed there.
func (g *Graph) Initializers() []*GraphValue {
	return g.values(
		func(p *C.OrtGraph, n *C.size_t) *C.OrtStatus { return C.OrtGraph_GetNumInitializers(p, n) },
		func(p *C.OrtGraph, v **C.OrtValueInfo, n C.size_t) *C.OrtStatus {
			return C.OrtGraph_GetInitializers(p, v, n)
		})
}

func (g *Graph) values(count func(*C.OrtGraph, *C.size_t) *C.OrtStatus,
	fill func(*C.OrtGraph, **C.OrtValueInfo, C.size_t) *C.OrtStatus) []*GraphValue {
	defer g.hold()()
	list, err := listOf(
		func(n *C.size_t) *C.OrtStatus { return count(g.pointer, n) },
		func(v **C.OrtValueInfo, n C.size_t) *C.OrtStatus { return fill(g.pointer, v, n) })
	must(err)
	return g.goValues(list)
}

// Nodes lists the nodes, without those of sub-graphs, so that those that make a value come before
// those that read it.
func (g *Graph) Nodes() []*Node {
	defer g.hold()()
	list, err := listOf(
		func(n *C.size_t) *C.OrtStatus { return C.OrtGraph_GetNumNodes(g.pointer, n) },
		func(v **C.OrtNode, n C.size_t) *C.OrtStatus { return C.OrtGraph_GetNodes(g.pointer, v, n) })
	must(err)
	nodes := make([]*Node, len(list))
	for i, node := range list {
		nodes[i] = g.goNode(node)
	}
	return nodes
}

// ParentNode tells the node that a sub-graph belongs to; nil for a main graph and a view of nodes.
func (g *Graph) ParentNode() *Node {
	var node *C.OrtNode
	g.ask(func(p *C.OrtGraph) *C.OrtStatus { return C.OrtGraph_GetParentNode(p, &node) })
	return g.goNode(node)
}

// View makes a graph of some nodes, each once, with the inputs and outputs that they have together.
// It may outlive the graph it came from; close it.
func (g *Graph) View(nodes ...*Node) (*Graph, error) {
	if g == nil || g.root == nil {
		return nil, isNil("graph")
	}
	if _, err := g.root.begin("graph"); err != nil {
		return nil, err
	}
	defer g.root.end()
	list := make([]*C.OrtNode, len(nodes))
	for i, node := range nodes {
		if node == nil || node.graph.root != g.root {
			return nil, invalid("node %d is not of this graph", i)
		}
		list[i] = node.pointer
	}
	var view *C.OrtGraph
	err := check(C.OrtGraph_GetGraphView(g.pointer, first(list), C.size_t(len(list)), &view))
	if err != nil {
		return nil, err
	}
	return ownGraph(view), nil
}

// Metadata tells what the model says about itself.
func (g *Graph) Metadata() (*ModelMetadata, error) {
	if g == nil || g.root == nil {
		return nil, isNil("graph")
	}
	if _, err := g.root.begin("graph"); err != nil {
		return nil, err
	}
	defer g.root.end()
	var metadata *C.OrtModelMetadata
	if err := check(C.OrtGraph_GetModelMetadata(g.pointer, &metadata)); err != nil {
		return nil, err
	}
	return takeMetadata(metadata)
}
