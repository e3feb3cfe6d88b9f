// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import (
	"context"
	"runtime"
	"sort"
	"unsafe"
)

// Model is a model made in memory, for sessions, for compilers, and to be applied to sessions that
// are not finished. One goroutine at a time may change it.
//
//	model, err := ortc.NewModel(map[string]int{"": 17})
//	model.SetInputs(ortc.ValueInfo{Name: "x", Type: ortc.TensorType(ortc.ElementTypeFloat, -1, 4)})
//	model.AddNode(ortc.NodeSpec{Operator: "Relu", Inputs: []string{"x"}, Outputs: []string{"y"}})
//
// Names connect; nodes may be added in any order. Whether the graph makes sense is checked when the
// model is used.
type Model struct {
	object[*C.OrtModel]
	graph *C.OrtGraph // the model's
}

// NewModel makes a model with an empty graph. It imports operator sets: versions by domain; "" is
// ONNX's own, without which the model can only be applied to another one.
func NewModel(opsets map[string]int) (*Model, error) {
	domains, versions := []string{}, []C.int{}
	for domain := range opsets {
		domains = append(domains, domain)
	}
	sort.Strings(domains)
	for _, domain := range domains {
		if err := fitsInt("version", opsets[domain]); err != nil {
			return nil, err
		}
		versions = append(versions, C.int(opsets[domain]))
	}
	var pointer *C.OrtModel
	err := withMemory(func(m *memory) *C.OrtStatus {
		return C.OrtCreateModel(m.texts(domains), first(versions), C.size_t(len(domains)), &pointer)
	})
	if err != nil {
		return nil, err
	}
	model := &Model{}
	model.own(pointer, func(p *C.OrtModel) { C.OrtReleaseModel(p) })
	if err := check(C.OrtCreateGraph(&model.graph)); err != nil {
		return nil, err
	}
	if err := check(C.OrtAddGraphToModel(pointer, model.graph)); err != nil {
		C.OrtReleaseGraph(model.graph)
		return nil, err
	}
	return model, nil
}

// Close gives the model back. Sessions made of it, and compilers that use it, stay as they are.
// Closing twice is fine.
func (m *Model) Close() error {
	if m == nil {
		return nil
	}
	return m.close()
}

func (m *Model) change(f func(*C.OrtGraph, *memory) error) error {
	return m.call("model", func(_ *C.OrtModel, texts *memory) *C.OrtStatus {
		if err := f(m.graph, texts); err != nil {
			return newStatus(err)
		}
		return nil
	})
}

// SetInputs sets the inputs of the graph, in place of those set before. Types are those of tensors.
func (m *Model) SetInputs(inputs ...ValueInfo) error {
	return m.setPorts(inputs, func(g *C.OrtGraph, v **C.OrtValueInfo, n C.size_t) *C.OrtStatus {
		return C.OrtSetGraphInputs(g, v, n)
	})
}

// SetOutputs sets the outputs of the graph, in place of those set before.
func (m *Model) SetOutputs(outputs ...ValueInfo) error {
	return m.setPorts(outputs, func(g *C.OrtGraph, v **C.OrtValueInfo, n C.size_t) *C.OrtStatus {
		return C.OrtSetGraphOutputs(g, v, n)
	})
}

func (m *Model) setPorts(ports []ValueInfo,
	set func(*C.OrtGraph, **C.OrtValueInfo, C.size_t) *C.OrtStatus) error {
	return m.change(func(g *C.OrtGraph, texts *memory) error {
		values := make([]*C.OrtValueInfo, len(ports))
		defer func() {
			// The graph put NULL in place of those that it took over.
			for _, value := range values {
				C.OrtReleaseValueInfo(value)
			}
		}()
		for i, port := range ports {
			info, err := port.Type.newC(texts)
			if err != nil {
				return err
			}
			err = check(C.OrtCreateValueInfo(texts.text(port.Name), info, &values[i]))
			C.OrtReleaseTypeInfo(info)
			if err != nil {
				return err
			}
		}
		return check(set(g, first(values), C.size_t(len(values))))
	})
}

// AddInitializer adds an initializer to the graph, with a copy of the tensor's content. With an
// input of the same name it is that input's default.
func (m *Model) AddInitializer(name string, tensor AnyValue) error {
	return m.addInitializer(name, tensor, false)
}

// AddSharedInitializer adds an initializer over the memory of a tensor of 128 bytes or more, which
// is not copied: it must not be closed before the last session made of the model. The model keeps
// it.
func (m *Model) AddSharedInitializer(name string, tensor AnyValue) error {
	return m.addInitializer(name, tensor, true)
}

func (m *Model) addInitializer(name string, tensor AnyValue, share bool) error {
	_, value, err := useValue(tensor)
	if err != nil {
		return err
	}
	defer value.end()
	element, shape, err := value.typeAndShape()
	if err != nil {
		return err
	}
	if element == ElementTypeString && !share {
		return m.addTexts(name, value, shape)
	}
	// A second value over the same memory, for the graph to take over.
	source, err := shareMemory(tensor)
	if err != nil {
		return err
	}
	data, err := value.Bytes()
	if err != nil {
		return err
	}
	own, err := WrapMemory(unsafe.Pointer(first(data)), len(data), element, nil, shape...)
	if err != nil {
		return err
	}
	defer own.Close()
	defer runtime.KeepAlive(source) // the library reads its memory
	if share {
		m.keep(source)
	}
	return m.takeInitializer(name, own, share)
}

// addTexts hands over a second tensor of the same strings.
func (m *Model) addTexts(name string, tensor *Value, shape []int64) error {
	texts, err := tensor.Strings()
	if err != nil {
		return err
	}
	own, err := NewTensorOfType(ElementTypeString, shape...)
	if err != nil {
		return err
	}
	defer own.Close()
	if err := own.SetStrings(texts); err != nil {
		return err
	}
	return m.takeInitializer(name, own, false)
}

func (m *Model) takeInitializer(name string, own *Value, share bool) error {
	return m.change(func(g *C.OrtGraph, texts *memory) error {
		err := check(C.OrtAddInitializerToGraph(g, texts.text(name), own.pointer, C.bool(share)))
		if err == nil {
			own.surrender()
		}
		return err
	})
}

// NodeSpec describes a node for Model.AddNode.
type NodeSpec struct {
	Operator string
	Domain   string   // "" is ONNX's own
	Name     string   // may be empty
	Inputs   []string // "" for one that is left out
	Outputs  []string // "" for one that is left out
	// Attributes by name: int, int64, []int64, float32, []float32, string, []byte or []string.
	Attributes map[string]any
}

// AddNode adds a node to the graph. Its name, unless empty, and those of its outputs must be new.
func (m *Model) AddNode(spec NodeSpec) error {
	return m.change(func(g *C.OrtGraph, texts *memory) error {
		attributes, err := newAttributes(spec.Attributes, texts)
		defer func() {
			// The node put NULL in place of those that it took over.
			for _, attribute := range attributes {
				C.OrtReleaseOpAttr(attribute)
			}
		}()
		if err != nil {
			return err
		}
		var node *C.OrtNode
		err = check(C.OrtCreateNode(texts.text(spec.Operator), texts.text(spec.Domain),
			texts.text(spec.Name), texts.texts(spec.Inputs), C.size_t(len(spec.Inputs)),
			texts.texts(spec.Outputs), C.size_t(len(spec.Outputs)), first(attributes),
			C.size_t(len(attributes)), &node))
		if err != nil {
			return err
		}
		if err := check(C.OrtAddNodeToGraph(g, node)); err != nil {
			C.OrtReleaseNode(node)
			return err
		}
		return nil
	})
}

func newAttributes(values map[string]any, m *memory) (list []*C.OrtOpAttr, err error) {
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		kind, data, size, err := attributeData(values[name], m)
		if err == nil {
			err = fitsInt("size", size)
		}
		if err != nil {
			return list, invalid("attribute %q: %v", name, err)
		}
		var attribute *C.OrtOpAttr
		err = check(C.OrtCreateOpAttr(m.text(name), data, C.int(size), C.OrtOpAttrType(kind),
			&attribute))
		if err != nil {
			return list, err
		}
		list = append(list, attribute)
	}
	return list, nil
}

// attributeData brings a value into the form that OrtCreateOpAttr() reads, in C's memory.
func attributeData(value any, m *memory) (OpAttrType, unsafe.Pointer, int, error) {
	switch v := value.(type) {
	case int:
		return OpAttrTypeInt, inC(m, []int64{int64(v)}), 1, nil
	case int64:
		return OpAttrTypeInt, inC(m, []int64{v}), 1, nil
	case []int64:
		return OpAttrTypeInts, inC(m, v), len(v), nil
	case float32:
		return OpAttrTypeFloat, inC(m, []float32{v}), 1, nil
	case []float32:
		return OpAttrTypeFloats, inC(m, v), len(v), nil
	case string:
		return OpAttrTypeString, inC(m, []byte(v)), len(v), nil
	case []byte:
		return OpAttrTypeString, inC(m, v), len(v), nil
	case []string:
		return OpAttrTypeStrings, unsafe.Pointer(m.texts(v)), len(v), nil
	}
	return 0, nil, 0, invalid("%T is not a type of an attribute", value)
}

func inC[T any](m *memory, list []T) unsafe.Pointer {
	block := m.block(uintptr(len(list)) * unsafe.Sizeof(*new(T)))
	copy(unsafe.Slice((*T)(block), len(list)), list)
	return block
}

// Using models.

// NewSessionFromModel makes a session of a model; more may be made of it.
func NewSessionFromModel(ctx context.Context, env *Env, model *Model,
	options *SessionOptions) (*Session, error) {
	if model == nil {
		return nil, invalid("the model is nil")
	}
	p, err := model.begin("model")
	if err != nil {
		return nil, err
	}
	defer model.end()
	s, err := newSession(ctx, env, options, func(l *loading) *C.OrtStatus {
		return C.OrtCreateSessionFromModel(l.env, p, l.options, &l.session)
	})
	if err == nil {
		s.keep(model.kept()...)
	}
	return s, err
}

// NewModelEditorSession reads a model file for a session that is not finished: it tells its inputs
// and outputs, takes changes with ApplyModel, and runs after Finalize.
func NewModelEditorSession(ctx context.Context, env *Env, modelPath string,
	options *SessionOptions) (*Session, error) {
	return newSession(ctx, env, options, func(l *loading) *C.OrtStatus {
		return C.OrtCreateModelEditorSession(l.env, l.m.text(modelPath), l.options, &l.session)
	})
}

// NewModelEditorSessionFromBytes does the same for a model in memory.
func NewModelEditorSessionFromBytes(ctx context.Context, env *Env, model []byte,
	options *SessionOptions) (*Session, error) {
	return newSession(ctx, env, options, func(l *loading) *C.OrtStatus {
		return C.OrtCreateModelEditorSessionFromArray(l.env, unsafe.Pointer(first(model)),
			C.size_t(len(model)), l.options, &l.session)
	})
}

// ApplyModel adds the nodes and initializers of a model to an unfinished session. Inputs and
// outputs of the model, when it has any, take the place of the session's. A failure changes
// nothing. One goroutine at a time.
func (s *Session) ApplyModel(model *Model) error {
	if model == nil {
		return invalid("the model is nil")
	}
	p, err := model.begin("model")
	if err != nil {
		return err
	}
	defer model.end()
	err = s.ask(func(session *C.OrtSession, _ *memory) *C.OrtStatus {
		return C.OrtApplyModelToModelEditorSession(session, p)
	})
	if err != nil {
		return err
	}
	s.keep(model.kept()...)
	return s.readInfo()
}

// Finalize finishes a session; one that is finished stays as it is. Options given before do not
// count; nil means the defaults. After a failure the session stays unfinished. A container for
// weights is not supported here yet: give nil. One goroutine at a time.
func (s *Session) Finalize(options *SessionOptions, weights *PrepackedWeights) error {
	o, end, err := options.use()
	if err != nil {
		return err
	}
	defer end()
	var w *C.OrtPrepackedWeightsContainer
	if weights != nil {
		if w, err = weights.begin("container of weights"); err != nil {
			return err
		}
		defer weights.end()
	}
	err = s.ask(func(p *C.OrtSession, _ *memory) *C.OrtStatus {
		return C.OrtFinalizeModelEditorSession(p, o, w)
	})
	if options != nil {
		err = resolveOperators(options.kept(), options.failures.resolve(err))
		s.keep(options.kept()...)
	}
	if err != nil {
		return err
	}
	return s.readInfo()
}
