// SPDX-License-Identifier: MIT

package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"

	ortc "github.com/ortc/ortc/bindings/go"
)

// port is an input or output of a model as the protocol describes it.
type port struct {
	Name     string  `json:"name"`
	Datatype string  `json:"datatype"`
	Shape    []int64 `json:"shape"`
}

func describe(name string, session *ortc.Session) any {
	return map[string]any{"name": name, "versions": []string{"1"}, "platform": "onnx",
		"inputs": ports(session.Inputs()), "outputs": ports(session.Outputs())}
}

func ports(infos []ortc.ValueInfo) []port {
	list := []port{}
	for _, info := range infos {
		p := port{info.Name, "UNKNOWN", []int64{}}
		if tensor := info.Type.Tensor; tensor != nil {
			p.Shape = tensor.Shape
			if datatype, isThere := datatypes[tensor.ElementType]; isThere {
				p.Datatype = datatype
			}
		}
		list = append(list, p)
	}
	return list
}

type request struct {
	ID     *string `json:"id"`
	Inputs []struct {
		Name     string          `json:"name"`
		Datatype string          `json:"datatype"`
		Shape    []int64         `json:"shape"`
		Data     json.RawMessage `json:"data"`
	} `json:"inputs"`
	Outputs []struct {
		Name string `json:"name"`
	} `json:"outputs"`
}

// response has an output's data as JSON, flat.
type response struct {
	Model   string   `json:"model_name"`
	Version string   `json:"model_version"`
	ID      *string  `json:"id,omitempty"`
	Outputs []output `json:"outputs"`
}

type output struct {
	port
	Data json.RawMessage `json:"data"`
}

// infer runs a model for one request, and stops when the client goes away.
func (s *service) infer(w http.ResponseWriter, r *http.Request, name string,
	session *ortc.Session) (any, error) {
	body, err := readBody(w, r)
	if err != nil {
		return nil, err
	}
	var asked request
	decoder := json.NewDecoder(bytes.NewReader(body))
	if err := decoder.Decode(&asked); err != nil {
		return nil, fail(http.StatusBadRequest, "the request is not what it should be: %v", err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, fail(http.StatusBadRequest, "something follows the request")
	}
	inputs, err := asked.values()
	defer closeAll(inputs)
	if err != nil {
		return nil, err
	}
	names := []string{}
	for _, output := range asked.Outputs {
		names = append(names, output.Name)
	}
	if len(names) == 0 {
		for _, info := range session.Outputs() {
			names = append(names, info.Name)
		}
	}
	s.metrics.running.Add(1)
	results, err := session.RunWith(r.Context(), nil, inputs, names...)
	s.metrics.running.Add(-1)
	if err != nil {
		return nil, err
	}
	defer results.Close()
	answer := response{Model: name, Version: "1", ID: asked.ID, Outputs: []output{}}
	for _, name := range names {
		datatype, isThere := datatypes[results[name].ElementType()]
		if !isThere || !results[name].IsTensor() {
			return nil, fail(http.StatusBadRequest,
				"output %q has a type that the protocol does not have", name)
		}
		data, err := encode(results[name])
		if err != nil {
			return nil, err
		}
		answer.Outputs = append(answer.Outputs, output{port{name, datatype,
			results[name].Shape()}, data})
	}
	return answer, nil
}

// values makes the tensors of a request; the caller closes them, also after an error.
func (r *request) values() (ortc.Values, error) {
	values := ortc.Values{}
	for _, input := range r.Inputs {
		if _, isTwice := values[input.Name]; isTwice {
			return values, fail(http.StatusBadRequest, "input %q is there twice", input.Name)
		}
		tensor, err := decode(input.Datatype, input.Shape, input.Data)
		if err != nil {
			return values, fail(http.StatusBadRequest, "input %q: %v", input.Name, err)
		}
		values[input.Name] = tensor
	}
	return values, nil
}

func closeAll(values ortc.Values) {
	for _, value := range values {
		_ = value.(*ortc.Value).Close()
	}
}
