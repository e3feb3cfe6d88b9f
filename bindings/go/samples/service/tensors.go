// SPDX-License-Identifier: MIT

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	ortc "github.com/ortc/ortc/bindings/go"
)

// datatypes are the protocol's names of element types.
var datatypes = map[ortc.ElementType]string{
	ortc.ElementTypeBool: "BOOL", ortc.ElementTypeInt8: "INT8", ortc.ElementTypeInt16: "INT16",
	ortc.ElementTypeInt32: "INT32", ortc.ElementTypeInt64: "INT64", ortc.ElementTypeUint8: "UINT8",
	ortc.ElementTypeUint16: "UINT16", ortc.ElementTypeUint32: "UINT32",
	ortc.ElementTypeUint64: "UINT64", ortc.ElementTypeFloat16: "FP16", ortc.ElementTypeFloat: "FP32",
	ortc.ElementTypeDouble: "FP64", ortc.ElementTypeString: "BYTES",
}

// decode makes a tensor of JSON, flat or nested.
func decode(datatype string, shape []int64, data json.RawMessage) (*ortc.Value, error) {
	count, err := countOf(shape)
	if err != nil {
		return nil, err
	}
	if len(data) == 0 || data[0] != '[' {
		return nil, errors.New("data is not a list")
	}
	if isNested(data) {
		if data, err = flatten(data); err != nil {
			return nil, err
		}
	}
	switch datatype {
	case "BOOL":
		return numbers[bool](data, shape, count)
	case "INT8":
		return numbers[int8](data, shape, count)
	case "INT16":
		return numbers[int16](data, shape, count)
	case "INT32":
		return numbers[int32](data, shape, count)
	case "INT64":
		return numbers[int64](data, shape, count)
	case "UINT8":
		return bytesOf(data, shape, count)
	case "UINT16":
		return numbers[uint16](data, shape, count)
	case "UINT32":
		return numbers[uint32](data, shape, count)
	case "UINT64":
		return numbers[uint64](data, shape, count)
	case "FP16":
		return halves(data, shape, count)
	case "FP32":
		return numbers[float32](data, shape, count)
	case "FP64":
		return numbers[float64](data, shape, count)
	case "BYTES":
		return texts(data, shape, count)
	}
	return nil, fmt.Errorf("there is no datatype %q", datatype)
}

// countOf multiplies a shape. What a request can hold is a limit.
func countOf(shape []int64) (int, error) {
	count := int64(1)
	for _, size := range shape {
		if size < 0 || size > bodyMost || count*size > bodyMost {
			return 0, fmt.Errorf("the shape %v is impossible", shape)
		}
		count *= size
	}
	return int(count), nil
}

// isNested is true also for brackets in texts, which only costs time.
func isNested(data []byte) bool { return bytes.IndexByte(data[1:], '[') >= 0 }

// deepest is how many lists there may be in each other; with what is around them 64.
const deepest = 61

// flatten takes inner brackets away.
func flatten(data []byte) ([]byte, error) {
	var nested []any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&nested); err != nil {
		return nil, err
	}
	flat, err := walk([]any{}, nested, 1)
	if err != nil {
		return nil, err
	}
	return json.Marshal(flat)
}

func walk(flat, list []any, depth int) ([]any, error) {
	if depth > deepest {
		return nil, errors.New("data are too deep")
	}
	for _, element := range list {
		inner, isList := element.([]any)
		if !isList {
			flat = append(flat, element)
			continue
		}
		var err error
		if flat, err = walk(flat, inner, depth+1); err != nil {
			return nil, err
		}
	}
	return flat, nil
}

// read fills a list of as many elements as the shape has. Memory is taken for those that the data
// can have, whatever the shape says: each needs two bytes.
func read[T any](data []byte, count int) ([]T, error) {
	room := len(data)/2 + 1
	if count < room {
		room = count
	}
	list := make([]T, 0, room)
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, err
	}
	if len(list) != count {
		return nil, fmt.Errorf("there are %d elements, and the shape has %d", len(list), count)
	}
	return list, nil
}

func checked(data []byte) error {
	if bytes.Contains(data, []byte("null")) { // encoding/json takes it for 0
		return errors.New("null is not a number")
	}
	return nil
}

func numbers[T ortc.Element](data []byte, shape []int64, count int) (*ortc.Value, error) {
	if err := checked(data); err != nil {
		return nil, err
	}
	list, err := read[T](data, count)
	if err != nil {
		return nil, err
	}
	return tensorOf(list, shape)
}

func tensorOf[T ortc.Element](list []T, shape []int64) (*ortc.Value, error) {
	tensor, err := ortc.NewTensor[T](shape...)
	if err != nil {
		return nil, err
	}
	copy(tensor.Data(), list)
	return tensor.Value, nil
}

// bytesOf is for uint8: encoding/json takes a list of bytes for text.
func bytesOf(data []byte, shape []int64, count int) (*ortc.Value, error) {
	if err := checked(data); err != nil {
		return nil, err
	}
	wide, err := read[uint16](data, count)
	if err != nil {
		return nil, err
	}
	list := make([]uint8, count)
	for i, number := range wide {
		if number > math.MaxUint8 {
			return nil, fmt.Errorf("%d is not a UINT8", number)
		}
		list[i] = uint8(number)
	}
	return tensorOf(list, shape)
}

func halves(data []byte, shape []int64, count int) (*ortc.Value, error) {
	if err := checked(data); err != nil {
		return nil, err
	}
	wide, err := read[float32](data, count)
	if err != nil {
		return nil, err
	}
	list := make([]ortc.Float16, count)
	for i, number := range wide {
		if list[i] = ortc.NewFloat16(number); math.IsInf(float64(list[i].Float32()), 0) {
			return nil, fmt.Errorf("%v is not an FP16", number)
		}
	}
	return tensorOf(list, shape)
}

func texts(data []byte, shape []int64, count int) (*ortc.Value, error) {
	list, err := read[*string](data, count)
	if err != nil {
		return nil, err
	}
	strings := make([]string, count)
	for i, text := range list {
		if text == nil {
			return nil, errors.New("null is not a text")
		}
		strings[i] = *text
	}
	value, err := ortc.NewTensorOfType(ortc.ElementTypeString, shape...)
	if err != nil {
		return nil, err
	}
	if err := value.SetStrings(strings); err != nil {
		_ = value.Close()
		return nil, err
	}
	return value, nil
}

// encode gives the elements of a tensor as JSON, flat.
func encode(value *ortc.Value) (json.RawMessage, error) {
	switch value.ElementType() {
	case ortc.ElementTypeBool:
		return list[bool](value)
	case ortc.ElementTypeInt8:
		return list[int8](value)
	case ortc.ElementTypeInt16:
		return list[int16](value)
	case ortc.ElementTypeInt32:
		return list[int32](value)
	case ortc.ElementTypeInt64:
		return list[int64](value)
	case ortc.ElementTypeUint8:
		return floats(value, 64, func(b uint8) float64 { return float64(b) })
	case ortc.ElementTypeUint16:
		return list[uint16](value)
	case ortc.ElementTypeUint32:
		return list[uint32](value)
	case ortc.ElementTypeUint64:
		return list[uint64](value)
	case ortc.ElementTypeFloat16:
		return floats(value, 32, func(h ortc.Float16) float64 { return float64(h.Float32()) })
	case ortc.ElementTypeFloat:
		return floats(value, 32, func(f float32) float64 { return float64(f) })
	case ortc.ElementTypeDouble:
		return floats(value, 64, func(f float64) float64 { return f })
	case ortc.ElementTypeString:
		strings, err := value.Strings()
		if err != nil {
			return nil, err
		}
		return json.Marshal(strings)
	}
	return nil, fmt.Errorf("the protocol has no type for %s", value.Kind())
}

func list[T ortc.Element](value *ortc.Value) (json.RawMessage, error) {
	tensor, err := ortc.TensorOf[T](value)
	if err != nil {
		return nil, err
	}
	if len(tensor.Data()) == 0 {
		return json.RawMessage("[]"), nil
	}
	return json.Marshal(tensor.Data())
}

// floats writes numbers that JSON may not have: those become null.
func floats[T ortc.Element](value *ortc.Value, bits int,
	wide func(T) float64) (json.RawMessage, error) {
	tensor, err := ortc.TensorOf[T](value)
	if err != nil {
		return nil, err
	}
	text := []byte{'['}
	for i, element := range tensor.Data() {
		if i > 0 {
			text = append(text, ',')
		}
		number := wide(element)
		if math.IsNaN(number) || math.IsInf(number, 0) {
			text = append(text, "null"...)
			continue
		}
		text = strconv.AppendFloat(text, number, 'g', -1, bits)
	}
	return append(text, ']'), nil
}
