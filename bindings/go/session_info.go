// SPDX-License-Identifier: MIT

package ortc

// #include "capi.h"
import "C"

import (
	"encoding/json"
	"time"
	"unsafe"
)

// Inputs lists the inputs that a run must give, in the order of the model. Not to be changed.
func (s *Session) Inputs() []ValueInfo { return s.inputs }

// Outputs lists what a run gives. Not to be changed.
func (s *Session) Outputs() []ValueInfo { return s.outputs }

// OverridableInitializers lists the inputs that have an initializer: a run may give them or not.
// Not to be changed.
func (s *Session) OverridableInitializers() []ValueInfo { return s.overridable }

// readInfo reads what never changes, once.
func (s *Session) readInfo() error {
	err := s.ask(func(p *C.OrtSession, _ *memory) *C.OrtStatus {
		var counts [3]C.size_t
		status := C.OrtSessionGetInputCount(p, &counts[0])
		if status == nil {
			status = C.OrtSessionGetOutputCount(p, &counts[1])
		}
		if status == nil {
			status = C.OrtSessionGetOverridableInitializerCount(p, &counts[2])
		}
		if status != nil {
			return status
		}
		s.inputs, status = infosOf(int(counts[0]), func(i C.size_t, name **C.char,
			info **C.OrtTypeInfo) *C.OrtStatus {
			if status := C.OrtSessionGetInputName(p, i, defaultAllocator(), name); status != nil {
				return status
			}
			return C.OrtSessionGetInputTypeInfo(p, i, info)
		})
		if status != nil {
			return status
		}
		s.outputs, status = infosOf(int(counts[1]), func(i C.size_t, name **C.char,
			info **C.OrtTypeInfo) *C.OrtStatus {
			if status := C.OrtSessionGetOutputName(p, i, defaultAllocator(), name); status != nil {
				return status
			}
			return C.OrtSessionGetOutputTypeInfo(p, i, info)
		})
		if status != nil {
			return status
		}
		s.overridable, status = infosOf(int(counts[2]), func(i C.size_t, name **C.char,
			info **C.OrtTypeInfo) *C.OrtStatus {
			status := C.OrtSessionGetOverridableInitializerName(p, i, defaultAllocator(), name)
			if status != nil {
				return status
			}
			return C.OrtSessionGetOverridableInitializerTypeInfo(p, i, info)
		})
		return status
	})
	if err == nil {
		s.names = newNameTable(s)
	}
	return err
}

func infosOf(count int, read func(C.size_t, **C.char, **C.OrtTypeInfo) *C.OrtStatus) ([]ValueInfo,
	*C.OrtStatus) {
	infos := make([]ValueInfo, count)
	for i := range infos {
		var name *C.char
		var info *C.OrtTypeInfo
		status := read(C.size_t(i), &name, &info)
		infos[i].Name = takeText(name)
		if status != nil {
			return nil, status
		}
		kind, err := takeType(info)
		if err != nil {
			return nil, newStatus(err)
		}
		infos[i].Type = kind
	}
	return infos, nil
}

// ModelMetadata is what a model says about itself.
type ModelMetadata struct {
	Producer         string
	GraphName        string
	Domain           string
	Description      string
	GraphDescription string
	Version          int64 // math.MaxInt64 when the model has none
	Custom           KeyValuePairs
}

// Metadata tells what the model says about itself.
func (s *Session) Metadata() (*ModelMetadata, error) {
	var metadata *C.OrtModelMetadata
	err := s.ask(func(p *C.OrtSession, _ *memory) *C.OrtStatus {
		return C.OrtSessionGetModelMetadata(p, &metadata)
	})
	if err != nil {
		return nil, err
	}
	return takeMetadata(metadata)
}

// takeMetadata copies metadata and gives them back.
func takeMetadata(p *C.OrtModelMetadata) (*ModelMetadata, error) {
	defer C.OrtReleaseModelMetadata(p)
	m, a := &ModelMetadata{Custom: KeyValuePairs{}}, defaultAllocator()
	var texts [5]*C.char
	var version C.int64_t
	var keys **C.char
	var count C.int64_t
	err := firstError(
		check(C.OrtModelMetadataGetProducerName(p, a, &texts[0])),
		check(C.OrtModelMetadataGetGraphName(p, a, &texts[1])),
		check(C.OrtModelMetadataGetDomain(p, a, &texts[2])),
		check(C.OrtModelMetadataGetDescription(p, a, &texts[3])),
		check(C.OrtModelMetadataGetGraphDescription(p, a, &texts[4])),
		check(C.OrtModelMetadataGetVersion(p, &version)),
		check(C.OrtModelMetadataGetCustomMetadataMapKeys(p, a, &keys, &count)))
	m.Producer, m.GraphName, m.Domain = takeText(texts[0]), takeText(texts[1]), takeText(texts[2])
	m.Description, m.GraphDescription = takeText(texts[3]), takeText(texts[4])
	m.Version = int64(version)
	if count == 0 {
		return m, err
	}
	for _, key := range unsafe.Slice(keys, int(count)) {
		var value *C.char
		err = firstError(err, check(C.OrtModelMetadataLookupCustomMetadataMap(p, a, key, &value)))
		m.Custom[takeText(key)] = takeText(value)
	}
	C.OrtAllocatorFree(a, unsafe.Pointer(keys))
	return m, err
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// JSON is a report of the library: a JSON object. Members may be added in later releases; none
// changes its meaning.
type JSON string

// Decode reads the object into a struct or a map.
func (j JSON) Decode(into any) error { return json.Unmarshal([]byte(j), into) }

// Object gives the object as encoding/json has it.
func (j JSON) Object() (map[string]any, error) {
	var object map[string]any
	err := j.Decode(&object)
	return object, err
}

// Report tells where the load time went, nodes per execution provider, and memory. Times end in
// "ms", sizes in "bytes".
func (s *Session) Report() (JSON, error) {
	return s.json(func(p *C.OrtSession, out **C.char) *C.OrtStatus {
		return C.OrtSession_GetReportJson(p, defaultAllocator(), out)
	})
}

// MemoryReport tells where the memory of the session is, by page, as the system sees it. It fails
// with ErrNotImplemented where the system does not tell.
func (s *Session) MemoryReport() (JSON, error) {
	return s.json(func(p *C.OrtSession, out **C.char) *C.OrtStatus {
		return C.OrtSession_GetMemoryReportJson(p, defaultAllocator(), out)
	})
}

func (s *Session) json(f func(*C.OrtSession, **C.char) *C.OrtStatus) (JSON, error) {
	var text *C.char
	err := s.ask(func(p *C.OrtSession, _ *memory) *C.OrtStatus { return f(p, &text) })
	return JSON(takeText(text)), err
}

// EndProfiling ends the profile and writes its file, a Chrome trace in JSON. It gives the file's
// name; empty when there was no profile or it has ended already.
func (s *Session) EndProfiling() (string, error) {
	text, err := s.json(func(p *C.OrtSession, out **C.char) *C.OrtStatus {
		return C.OrtSessionEndProfiling(p, defaultAllocator(), out)
	})
	return string(text), err
}

// ProfilingStart tells when the profile began; the times in the file count from then. The zero time
// without a profile.
func (s *Session) ProfilingStart() (time.Time, error) {
	var ns C.uint64_t
	err := s.ask(func(p *C.OrtSession, _ *memory) *C.OrtStatus {
		return C.OrtSessionGetProfilingStartTimeNs(p, &ns)
	})
	if err != nil || ns == 0 {
		return time.Time{}, err
	}
	return time.Unix(0, int64(ns)), nil
}

// SetDynamicOptions changes options of execution providers while the session lives: keys that begin
// with "ep.dynamic.".
func (s *Session) SetDynamicOptions(options KeyValuePairs) error {
	return s.ask(func(p *C.OrtSession, m *memory) *C.OrtStatus {
		keys, values, count := m.pairs(options)
		return C.OrtSetEpDynamicOptions(p, keys, values, count)
	})
}

// ReleaseCapturedGraph ends a graph that a provider has captured in a run, so that the next run
// captures it again. The id is what runs have as their entry "gpu_graph_id"; 0 for runs without.
// Nothing happens when no provider of the session captures graphs.
func (s *Session) ReleaseCapturedGraph(id int) error {
	if err := fitsInt("id", id); err != nil {
		return err
	}
	return s.ask(func(p *C.OrtSession, _ *memory) *C.OrtStatus {
		return C.OrtSessionReleaseCapturedGraph(p, C.int(id))
	})
}

// Opset tells the version of an operator set that the model imports; "" is ONNX's own.
func (s *Session) Opset(domain string) (int, error) {
	var opset C.int
	err := s.ask(func(p *C.OrtSession, m *memory) *C.OrtStatus {
		return C.OrtSessionGetOpsetForDomain(p, m.text(domain), &opset)
	})
	return int(opset), err
}

// Place is where a run wants an input or leaves an output.
type Place struct {
	Memory *MemoryInfo
	Device *EpDevice // nil for an input that no node reads; its Env is not known
}

// InputPlaces tells where a run wants each input.
func (s *Session) InputPlaces() ([]Place, error) {
	if s == nil {
		return nil, isNil("session")
	}
	return s.places(len(s.inputs),
		func(p *C.OrtSession, m **C.OrtMemoryInfo, d **C.OrtEpDevice, n C.size_t) *C.OrtStatus {
			if status := C.OrtSessionGetMemoryInfoForInputs(p, m, n); status != nil {
				return status
			}
			return C.OrtSessionGetEpDeviceForInputs(p, d, n)
		})
}

// OutputPlaces tells where a run leaves each output.
func (s *Session) OutputPlaces() ([]Place, error) {
	if s == nil {
		return nil, isNil("session")
	}
	return s.places(len(s.outputs),
		func(p *C.OrtSession, m **C.OrtMemoryInfo, d **C.OrtEpDevice, n C.size_t) *C.OrtStatus {
			if status := C.OrtSessionGetMemoryInfoForOutputs(p, m, n); status != nil {
				return status
			}
			return C.OrtSessionGetEpDeviceForOutputs(p, d, n)
		})
}

func (s *Session) places(count int, f func(*C.OrtSession, **C.OrtMemoryInfo, **C.OrtEpDevice,
	C.size_t) *C.OrtStatus) ([]Place, error) {
	memories, devices := make([]*C.OrtMemoryInfo, count), make([]*C.OrtEpDevice, count)
	places := make([]Place, count)
	if count == 0 {
		return places, nil
	}
	err := s.ask(func(p *C.OrtSession, _ *memory) *C.OrtStatus {
		status := f(p, &memories[0], &devices[0], C.size_t(count))
		for i := range places {
			if memories[i] != nil {
				places[i].Memory = borrowedMemoryInfo(memories[i], s)
			}
			if devices[i] != nil {
				places[i].Device = goEpDevice(nil, devices[i])
			}
		}
		return status
	})
	if err != nil {
		return nil, err
	}
	return places, nil
}

// AssignedSubgraph is a part of the model and the execution provider that runs it.
type AssignedSubgraph struct {
	EpName string
	Nodes  []AssignedNode // as the optimised model has them
}

// AssignedNode is a node of such a part.
type AssignedNode struct {
	Name, Domain, OperatorType string
}

// Assignment lists the parts of the model and their execution providers. The session must have been
// made with KeySessionOptionsRecordEpGraphAssignmentInfo = "1".
func (s *Session) Assignment() (parts []AssignedSubgraph, err error) {
	err = s.ask(func(p *C.OrtSession, _ *memory) *C.OrtStatus {
		var list **C.OrtEpAssignedSubgraph
		var count C.size_t
		status := C.OrtSession_GetEpGraphAssignmentInfo(p, &list, &count)
		if status != nil || count == 0 {
			return status
		}
		for _, one := range unsafe.Slice(list, int(count)) {
			part, status := goSubgraph(one)
			if status != nil {
				return status
			}
			parts = append(parts, part)
		}
		return nil
	})
	return parts, err
}

func goSubgraph(p *C.OrtEpAssignedSubgraph) (part AssignedSubgraph, status *C.OrtStatus) {
	var text *C.char
	if status = C.OrtEpAssignedSubgraph_GetEpName(p, &text); status != nil {
		return part, status
	}
	part.EpName = goText(text)
	var list **C.OrtEpAssignedNode
	var count C.size_t
	status = C.OrtEpAssignedSubgraph_GetNodes(p, &list, &count)
	if status != nil || count == 0 {
		return part, status
	}
	for _, node := range unsafe.Slice(list, int(count)) {
		var name, domain, operator *C.char
		if status = C.OrtEpAssignedNode_GetName(node, &name); status == nil {
			status = C.OrtEpAssignedNode_GetDomain(node, &domain)
		}
		if status == nil {
			status = C.OrtEpAssignedNode_GetOperatorType(node, &operator)
		}
		if status != nil {
			return part, status
		}
		part.Nodes = append(part.Nodes, AssignedNode{goText(name), goText(domain), goText(operator)})
	}
	return part, nil
}
