// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

// GraphValue is a value of a graph: name, type, who makes and who reads it, and the initializer
// behind it.
type GraphValue struct {
	graph   *Graph
	pointer *C.OrtValueInfo
}

func (g *Graph) goValues(list []*C.OrtValueInfo) []*GraphValue {
	values := make([]*GraphValue, len(list))
	for i, pointer := range list {
		if pointer != nil {
			values[i] = &GraphValue{g, pointer}
		}
	}
	return values
}

func (v *GraphValue) ask(f func(*C.OrtValueInfo) *C.OrtStatus) {
	defer v.graph.hold()()
	must(check(f(v.pointer)))
}

func (v *GraphValue) is(f func(*C.OrtValueInfo, *C.bool) *C.OrtStatus) bool {
	var answer C.bool
	v.ask(func(p *C.OrtValueInfo) *C.OrtStatus { return f(p, &answer) })
	return bool(answer)
}

// Name tells the value's name.
func (v *GraphValue) Name() (name string) {
	v.ask(func(p *C.OrtValueInfo) *C.OrtStatus {
		var text *C.char
		status := C.OrtGetValueInfoName(p, &text)
		name = goText(text)
		return status
	})
	return name
}

// TypeInfo tells the value's type, of the model and as inferred.
func (v *GraphValue) TypeInfo() (*TypeInfo, error) {
	if v == nil {
		return nil, isNil("value of a graph")
	}
	defer v.graph.hold()()
	var info *C.OrtTypeInfo
	if err := check(C.OrtGetValueInfoTypeInfo(v.pointer, &info)); err != nil || info == nil {
		return nil, err
	}
	return goType(info)
}

// Producer tells the node that makes the value, and which of its outputs it is; nil for an input,
// an initializer, or a value from the outer scope.
func (v *GraphValue) Producer() (node *Node, output int) {
	var pointer *C.OrtNode
	var index C.size_t
	v.ask(func(p *C.OrtValueInfo) *C.OrtStatus {
		return C.OrtValueInfo_GetValueProducer(p, &pointer, &index)
	})
	return v.graph.goNode(pointer), int(index)
}

// Consumer is a place where a node reads a value.
type Consumer struct {
	Node  *Node
	Input int // the number of the node's input; -1 where sub-graphs of the node read the value
}

// Consumers lists the places where nodes read the value.
func (v *GraphValue) Consumers() (consumers []Consumer) {
	v.ask(func(p *C.OrtValueInfo) *C.OrtStatus {
		var count C.size_t
		status := C.OrtValueInfo_GetValueNumConsumers(p, &count)
		if status != nil || count == 0 {
			return status
		}
		nodes, inputs := make([]*C.OrtNode, int(count)), make([]C.int64_t, int(count))
		status = C.OrtValueInfo_GetValueConsumers(p, &nodes[0], &inputs[0], count)
		if status == nil {
			for i, node := range nodes {
				consumers = append(consumers, Consumer{v.graph.goNode(node), int(inputs[i])})
			}
		}
		return status
	})
	return consumers
}

// Initializer shows the initializer behind the value, also of an enclosing graph; nil when there is
// none. It is part of the graph: not to be written.
func (v *GraphValue) Initializer() (*Value, error) {
	if v == nil {
		return nil, isNil("value of a graph")
	}
	defer v.graph.hold()()
	var value *C.OrtValue
	err := check(C.OrtValueInfo_GetInitializerValue(v.pointer, &value))
	if err != nil || value == nil {
		return nil, err
	}
	hold, err := pin(&v.graph.root.object, "graph")
	if err != nil {
		return nil, err
	}
	return borrowedValue(value, hold), nil
}

// ExternalInitializer tells where the bytes of the initializer stand, when that is a file beside
// the model; nil otherwise.
func (v *GraphValue) ExternalInitializer() (*ExternalInitializer, error) {
	if v == nil {
		return nil, isNil("value of a graph")
	}
	defer v.graph.hold()()
	var info *C.OrtExternalInitializerInfo
	err := check(C.OrtValueInfo_GetExternalInitializerInfo(v.pointer, &info))
	return takeExternal(info), err
}

// IsRequiredGraphInput says whether the value is an input that every run must give.
func (v *GraphValue) IsRequiredGraphInput() bool {
	return v.is(func(p *C.OrtValueInfo, out *C.bool) *C.OrtStatus {
		return C.OrtValueInfo_IsRequiredGraphInput(p, out)
	})
}

// IsOptionalGraphInput says whether the value is an input with an initializer, which a run may
// override.
func (v *GraphValue) IsOptionalGraphInput() bool {
	return v.is(func(p *C.OrtValueInfo, out *C.bool) *C.OrtStatus {
		return C.OrtValueInfo_IsOptionalGraphInput(p, out)
	})
}

// IsGraphOutput says whether the value is an output.
func (v *GraphValue) IsGraphOutput() bool {
	return v.is(func(p *C.OrtValueInfo, out *C.bool) *C.OrtStatus {
		return C.OrtValueInfo_IsGraphOutput(p, out)
	})
}

// IsConstantInitializer says whether the value is an initializer that no run can override.
func (v *GraphValue) IsConstantInitializer() bool {
	return v.is(func(p *C.OrtValueInfo, out *C.bool) *C.OrtStatus {
		return C.OrtValueInfo_IsConstantInitializer(p, out)
	})
}

// IsFromOuterScope says whether a sub-graph takes the value from an enclosing graph.
func (v *GraphValue) IsFromOuterScope() bool {
	return v.is(func(p *C.OrtValueInfo, out *C.bool) *C.OrtStatus {
		return C.OrtValueInfo_IsFromOuterScope(p, out)
	})
}
