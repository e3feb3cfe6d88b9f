// SPDX-License-Identifier: MIT

package tests

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	ortc "github.com/ortc/ortc/bindings/go"
)

// objects are one of each type that programs have in their hands, as nil and as zero values.
func objects() []any {
	return []any{
		(*ortc.Allocator)(nil), &ortc.Allocator{}, (*ortc.ArenaConfig)(nil), &ortc.ArenaConfig{},
		(*ortc.EagerOperator)(nil), &ortc.EagerOperator{}, (*ortc.Env)(nil), &ortc.Env{},
		(*ortc.ExternalMemory)(nil), &ortc.ExternalMemory{}, (*ortc.ExternalResourceImporter)(nil),
		&ortc.ExternalResourceImporter{}, (*ortc.ExternalSemaphore)(nil), &ortc.ExternalSemaphore{},
		(*ortc.Graph)(nil), &ortc.Graph{}, (*ortc.GraphValue)(nil), &ortc.GraphValue{},
		(*ortc.IoBinding)(nil), &ortc.IoBinding{}, (*ortc.KernelContext)(nil),
		&ortc.KernelContext{}, (*ortc.KernelInfo)(nil), &ortc.KernelInfo{},
		(*ortc.LoraAdapter)(nil), &ortc.LoraAdapter{}, (*ortc.MemoryInfo)(nil), &ortc.MemoryInfo{},
		(*ortc.Model)(nil), &ortc.Model{}, (*ortc.ModelCompiler)(nil), &ortc.ModelCompiler{},
		(*ortc.ModelPackage)(nil), &ortc.ModelPackage{}, (*ortc.ModelPackageComponent)(nil),
		&ortc.ModelPackageComponent{}, (*ortc.ModelPackageWriter)(nil), &ortc.ModelPackageWriter{},
		(*ortc.Node)(nil), &ortc.Node{}, (*ortc.OpAttr)(nil), &ortc.OpAttr{},
		(*ortc.PrepackedWeights)(nil), &ortc.PrepackedWeights{}, (*ortc.RunOptions)(nil),
		&ortc.RunOptions{}, (*ortc.Session)(nil), &ortc.Session{}, (*ortc.SessionOptions)(nil),
		&ortc.SessionOptions{}, (*ortc.ShapeInferContext)(nil), &ortc.ShapeInferContext{},
		(*ortc.SharingGroup)(nil), &ortc.SharingGroup{},
		(*ortc.SparseTensor[float32])(nil), &ortc.SparseTensor[float32]{}, (*ortc.SyncStream)(nil),
		&ortc.SyncStream{}, (*ortc.Tensor[float32])(nil), &ortc.Tensor[float32]{},
		(*ortc.ThreadingOptions)(nil), &ortc.ThreadingOptions{}, (*ortc.Value)(nil), &ortc.Value{},
	}
}

// nothing calls a method without anything, and gives its error; a panic is one as well.
func nothing(method reflect.Value) (err error) {
	kind := method.Type()
	arguments := []reflect.Value{}
	for i := 0; i < kind.NumIn(); i++ {
		if i != kind.NumIn()-1 || !kind.IsVariadic() {
			arguments = append(arguments, reflect.Zero(kind.In(i)))
		}
	}
	defer func() {
		if caught := recover(); caught != nil {
			err = fmt.Errorf("panic: %v", caught)
		}
	}()
	results := method.Call(arguments)
	err, _ = results[len(results)-1].Interface().(error)
	return err
}

func TestNilAndZeroValuesAreErrors(t *testing.T) {
	mayFail := reflect.TypeOf((*error)(nil)).Elem()
	for _, object := range objects() {
		of := reflect.ValueOf(object)
		for i := 0; i < of.NumMethod(); i++ {
			name, kind := of.Type().Method(i).Name, of.Method(i).Type()
			if kind.NumOut() == 0 || kind.Out(kind.NumOut()-1) != mayFail {
				continue // what cannot say an error panics
			}
			err := nothing(of.Method(i))
			var ours *ortc.Error
			if err != nil && !errors.As(err, &ours) {
				t.Errorf("%T (nil: %v).%s: %s", object, of.IsNil(), name, err)
			}
			if err == nil && of.IsNil() && name != "Close" {
				t.Errorf("nothing is wrong with %s of a nil %T", name, object)
			}
		}
	}
}

func TestNilTensorsAreErrors(t *testing.T) {
	var none *ortc.Tensor[float32]
	var sparse *ortc.SparseTensor[float32]
	ok(t, none.Close())
	ok(t, sparse.Close())
	ok(t, (&ortc.Tensor[float32]{}).Close())
	places, err := ortc.NewTensorFrom([]int64{0})
	ok(t, err)
	defer places.Close()
	_, err = none.At(0)
	fails(t, err, ortc.ErrInvalidArgument, "nil")
	for _, nothing := range []*ortc.SparseTensor[float32]{sparse, {}} {
		fails(t, nothing.UseCOO(places), ortc.ErrInvalidArgument, "nil")
		fails(t, nothing.UseCSR(places, places), ortc.ErrInvalidArgument, "nil")
	}
	equal(t, none.ElementType(), sparse.ElementType())
	equal(t, len(none.Shape())+len(sparse.Shape()), 0)
	session := newSession(t, newEnv(t), model(t, "trivial.onnx"), nil)
	for _, x := range []ortc.AnyValue{none, sparse, &ortc.Tensor[float32]{}, &ortc.Value{}} {
		_, err := session.Run(background, ortc.Values{"x": x})
		fails(t, err, ortc.ErrInvalidArgument, "")
	}
	for _, tensor := range []*ortc.Tensor[float32]{none, {}} {
		func() {
			defer func() {
				err, isOurs := recover().(*ortc.Error)
				isTrue(t, isOurs && err.Code == ortc.ErrorCodeInvalidArgument, "Data of nothing")
			}()
			tensor.Data()
		}()
	}
}

func TestANilErrorIsNone(t *testing.T) {
	var none *ortc.Error
	isTrue(t, none.Unwrap() == nil, "a nil error has a cause")
	isTrue(t, !errors.Is(none, ortc.ErrFail) && !errors.Is(ortc.ErrFail, none), "it is another")
	equal(t, none.Error(), "ortc: no error")
}
