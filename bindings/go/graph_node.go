// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import (
	"math"
	"strings"
	"unsafe"
)

// Node is a node of a graph.
type Node struct {
	graph   *Graph
	pointer *C.OrtNode
}

func (g *Graph) goNode(pointer *C.OrtNode) *Node {
	if pointer == nil {
		return nil
	}
	return &Node{g, pointer}
}

func (n *Node) ask(f func(*C.OrtNode) *C.OrtStatus) {
	defer n.graph.hold()()
	must(check(f(n.pointer)))
}

func (n *Node) text(f func(*C.OrtNode, **C.char) *C.OrtStatus) (text string) {
	n.ask(func(p *C.OrtNode) *C.OrtStatus {
		var borrowed *C.char
		status := f(p, &borrowed)
		text = goText(borrowed)
		return status
	})
	return text
}

// ID tells the node's id: unique in its graph, the same in every view of the graph.
func (n *Node) ID() int {
	var id C.size_t
	n.ask(func(p *C.OrtNode) *C.OrtStatus { return C.OrtNode_GetId(p, &id) })
	return int(id)
}

// Name tells the node's name, which may be empty and need not be unique.
func (n *Node) Name() string {
	return n.text(func(p *C.OrtNode, out **C.char) *C.OrtStatus { return C.OrtNode_GetName(p, out) })
}

// OperatorType tells the operator, as "Conv".
func (n *Node) OperatorType() string {
	return n.text(func(p *C.OrtNode, out **C.char) *C.OrtStatus {
		return C.OrtNode_GetOperatorType(p, out)
	})
}

// Domain tells the operator's domain; "" is ONNX's own.
func (n *Node) Domain() string {
	return n.text(func(p *C.OrtNode, out **C.char) *C.OrtStatus { return C.OrtNode_GetDomain(p, out) })
}

// EpName tells the execution provider that the node was given to; empty in a graph only loaded.
func (n *Node) EpName() string {
	return n.text(func(p *C.OrtNode, out **C.char) *C.OrtStatus { return C.OrtNode_GetEpName(p, out) })
}

// SinceVersion tells the opset version in which the operator took its form; -1 when the library
// does not know the operator.
func (n *Node) SinceVersion() int {
	var version C.int
	n.ask(func(p *C.OrtNode) *C.OrtStatus { return C.OrtNode_GetSinceVersion(p, &version) })
	return int(version)
}

// Inputs lists the inputs; nil stands for one that is left out.
func (n *Node) Inputs() []*GraphValue {
	return n.values(
		func(count *C.size_t) *C.OrtStatus { return C.OrtNode_GetNumInputs(n.pointer, count) },
		func(v **C.OrtValueInfo, count C.size_t) *C.OrtStatus {
			return C.OrtNode_GetInputs(n.pointer, v, count)
		})
}

// Outputs lists the outputs; nil stands for one that is left out.
func (n *Node) Outputs() []*GraphValue {
	return n.values(
		func(count *C.size_t) *C.OrtStatus { return C.OrtNode_GetNumOutputs(n.pointer, count) },
		func(v **C.OrtValueInfo, count C.size_t) *C.OrtStatus {
			return C.OrtNode_GetOutputs(n.pointer, v, count)
		})
}

// ImplicitInputs lists the values of the node's graph that its sub-graphs read, each once.
func (n *Node) ImplicitInputs() []*GraphValue {
	return n.values(
		func(count *C.size_t) *C.OrtStatus { return C.OrtNode_GetNumImplicitInputs(n.pointer, count) },
		func(v **C.OrtValueInfo, count C.size_t) *C.OrtStatus {
			return C.OrtNode_GetImplicitInputs(n.pointer, v, count)
		})
}

func (n *Node) values(count func(*C.size_t) *C.OrtStatus,
	fill func(**C.OrtValueInfo, C.size_t) *C.OrtStatus) []*GraphValue {
	defer n.graph.hold()()
	list, err := listOf(count, fill)
	must(err)
	return n.graph.goValues(list)
}

// Graph tells the graph that the node was found in.
func (n *Node) Graph() *Graph {
	var graph *C.OrtGraph
	n.ask(func(p *C.OrtNode) *C.OrtStatus { return C.OrtNode_GetGraph(p, &graph) })
	return n.graph.part(graph)
}

// Subgraphs gives the sub-graphs by the names of the attributes that hold them, as "then_branch".
func (n *Node) Subgraphs() map[string]*Graph {
	graphs := map[string]*Graph{}
	n.ask(func(p *C.OrtNode) *C.OrtStatus {
		var count C.size_t
		if status := C.OrtNode_GetNumSubgraphs(p, &count); status != nil || count == 0 {
			return status
		}
		list, names := make([]*C.OrtGraph, int(count)), make([]*C.char, int(count))
		status := C.OrtNode_GetSubgraphs(p, &list[0], count, &names[0])
		for i, graph := range list {
			graphs[goText(names[i])] = n.graph.part(graph)
		}
		return status
	})
	return graphs
}

// Attributes lists the attributes that the model gives the node. Defaults are not filled in.
func (n *Node) Attributes() []*OpAttr {
	defer n.graph.hold()()
	list, err := listOf(
		func(count *C.size_t) *C.OrtStatus { return C.OrtNode_GetNumAttributes(n.pointer, count) },
		func(a **C.OrtOpAttr, count C.size_t) *C.OrtStatus {
			return C.OrtNode_GetAttributes(n.pointer, a, count)
		})
	must(err)
	attributes := make([]*OpAttr, len(list))
	for i, attribute := range list {
		attributes[i] = &OpAttr{n.graph, attribute}
	}
	return attributes
}

// Attribute finds an attribute: nil when the operator has such a one and the model leaves it out.
// It fails with ErrNotFound when the operator has no such attribute.
func (n *Node) Attribute(name string) (*OpAttr, error) {
	if n == nil {
		return nil, isNil("node")
	}
	defer n.graph.hold()()
	var attribute *C.OrtOpAttr
	err := withMemory(func(m *memory) *C.OrtStatus {
		return C.OrtNode_GetAttributeByName(n.pointer, m.text(name), &attribute)
	})
	if err != nil || attribute == nil {
		return nil, err
	}
	return &OpAttr{n.graph, attribute}, nil
}

// OpAttr is an attribute of a node.
type OpAttr struct {
	graph   *Graph
	pointer *C.OrtOpAttr
}

// Name tells the attribute's name.
func (a *OpAttr) Name() string {
	defer a.graph.hold()()
	var text *C.char
	must(check(C.OrtOpAttr_GetName(a.pointer, &text)))
	return goText(text)
}

// Type tells the attribute's type.
func (a *OpAttr) Type() OpAttrType {
	defer a.graph.hold()()
	var kind C.OrtOpAttrType
	must(check(C.OrtOpAttr_GetType(a.pointer, &kind)))
	return OpAttrType(kind)
}

// Value copies the content: an int64, []int64, float32, []float32, string or []string. Tensors come
// from Tensor, graphs from Node.Subgraphs.
func (a *OpAttr) Value() (any, error) {
	if a == nil || a.pointer == nil {
		return nil, isNil("attribute")
	}
	kind := a.Type()
	data, err := a.read(kind)
	if err != nil {
		return nil, err
	}
	switch kind {
	case OpAttrTypeInt, OpAttrTypeInts:
		list := make([]int64, len(data)/8)
		copy(unsafe.Slice((*byte)(unsafe.Pointer(first(list))), len(data)), data)
		if kind == OpAttrTypeInt {
			return list[0], nil
		}
		return list, nil
	case OpAttrTypeFloat, OpAttrTypeFloats:
		list := make([]float32, len(data)/4)
		copy(unsafe.Slice((*byte)(unsafe.Pointer(first(list))), len(data)), data)
		if kind == OpAttrTypeFloat {
			return list[0], nil
		}
		return list, nil
	case OpAttrTypeStrings:
		if len(data) == 0 {
			return []string{}, nil
		}
		return strings.Split(string(data[:len(data)-1]), "\x00"), nil
	}
	return string(data), nil
}

// read copies the bytes of an attribute.
func (a *OpAttr) read(kind OpAttrType) ([]byte, error) {
	defer a.graph.hold()()
	var size C.size_t
	// Too little room is a failure that tells the size; no content is none.
	status := C.OrtReadOpAttr(a.pointer, C.OrtOpAttrType(kind), nil, 0, &size)
	if size == 0 || size > math.MaxInt32 {
		return nil, check(status)
	}
	C.OrtReleaseStatus(status)
	data := make([]byte, int(size))
	err := check(C.OrtReadOpAttr(a.pointer, C.OrtOpAttrType(kind), unsafe.Pointer(&data[0]), size,
		&size))
	return data, err
}

// Tensor gives a copy of the tensor of an attribute. Close it.
func (a *OpAttr) Tensor() (*Value, error) {
	if a == nil {
		return nil, isNil("attribute")
	}
	defer a.graph.hold()()
	var value *C.OrtValue
	if err := check(C.OrtOpAttr_GetTensorAttributeAsOrtValue(a.pointer, &value)); err != nil {
		return nil, err
	}
	return newValue(value, a.graph.root), nil
}
