// SPDX-License-Identifier: MIT

package tests

import (
	"math"
	"runtime"
	"testing"
	"time"
	"unsafe"

	ortc "github.com/ortc/ortc/bindings/go"
)

func TestTensorBeginsAsZerosAndShowsItsMemory(t *testing.T) {
	tensor, err := ortc.NewTensor[float32](2, 3)
	ok(t, err)
	closing(t, tensor)
	equalLists(t, tensor.Data(), make([]float32, 6))
	tensor.Data()[4] = 7
	equal(t, uintptr(unsafe.Pointer(&tensor.Data()[0]))%64, 0)
	element, err := tensor.At(1, 1)
	ok(t, err)
	equal(t, *element, 7)
	isTrue(t, element == &tensor.Data()[4], "At is elsewhere")
	_, err = tensor.At(2, 0)
	fails(t, err, ortc.ErrInvalidArgument, "2")
	equalLists(t, tensor.Shape(), []int64{2, 3})
	equal(t, tensor.ElementType(), ortc.ElementTypeFloat)
	equal(t, tensor.Kind(), ortc.ValueTypeTensor)
	isTrue(t, tensor.IsTensor() && tensor.HasValue() && !tensor.IsSparseTensor(), "what is it?")
	info, err := tensor.TensorInfo()
	ok(t, err)
	equal(t, info.ElementCount(), 6)
	kind, err := tensor.TypeInfo()
	ok(t, err)
	equal(t, kind.String(), "tensor(float)[2,3]")
	place, err := tensor.MemoryInfo()
	ok(t, err)
	equal(t, place.Name(), "Cpu")
	bytes, err := tensor.Bytes()
	ok(t, err)
	isTrue(t, len(bytes) == 24 && &bytes[0] == (*byte)(unsafe.Pointer(&tensor.Data()[0])), "a copy")
}

func elementWorks[T ortc.Element](t *testing.T, value T) {
	t.Helper()
	tensor, err := ortc.NewTensorFrom([]T{value, value}, 2, 1)
	ok(t, err)
	defer tensor.Close()
	again, err := ortc.TensorOf[T](tensor)
	ok(t, err)
	equalLists(t, again.Data(), []T{value, value})
	equal(t, tensor.ElementType(), ortc.ElementTypeOf[T]())
}

func TestEveryElementTypeHasAGoType(t *testing.T) {
	elementWorks(t, true)
	elementWorks(t, int8(-1))
	elementWorks(t, int16(-2))
	elementWorks(t, int32(-3))
	elementWorks(t, int64(-4))
	elementWorks(t, uint8(1))
	elementWorks(t, uint16(2))
	elementWorks(t, uint32(3))
	elementWorks(t, uint64(4))
	elementWorks(t, float32(0.5))
	elementWorks(t, 0.25)
	elementWorks(t, complex64(1+2i))
	elementWorks(t, 3+4i)
	elementWorks(t, ortc.NewFloat16(1.5))
	elementWorks(t, ortc.NewBFloat16(1.5))
	elementWorks(t, ortc.Float8E4M3FN(1))
	elementWorks(t, ortc.Float8E4M3FNUZ(2))
	elementWorks(t, ortc.Float8E5M2(3))
	elementWorks(t, ortc.Float8E5M2FNUZ(4))
	elementWorks(t, ortc.Float8E8M0(5))
}

func TestElementsBelowAByteArePacked(t *testing.T) {
	for _, c := range []struct {
		element ortc.ElementType
		bytes   int
	}{{ortc.ElementTypeInt4, 3}, {ortc.ElementTypeUint4, 3}, {ortc.ElementTypeFloat4E2M1, 3},
		{ortc.ElementTypeInt2, 2}, {ortc.ElementTypeUint2, 2}} {
		value, err := ortc.NewTensorOfType(c.element, 5)
		ok(t, err)
		bytes, err := value.Bytes()
		ok(t, err)
		equal(t, len(bytes), c.bytes)
		_, err = ortc.TensorOf[uint8](value)
		fails(t, err, ortc.ErrInvalidArgument, "UINT8")
		ok(t, value.Close())
	}
}

func TestHalfNumbersRoundToTheNearest(t *testing.T) {
	for bits := 0; bits < 1<<16; bits++ {
		h, b := ortc.Float16(bits), ortc.BFloat16(bits)
		if f := h.Float32(); f == f && ortc.NewFloat16(f) != h {
			t.Fatalf("float16 %#x is %v and comes back as %#x", bits, f, ortc.NewFloat16(f))
		}
		if f := b.Float32(); f == f && ortc.NewBFloat16(f) != b {
			t.Fatalf("bfloat16 %#x is %v and comes back as %#x", bits, f, ortc.NewBFloat16(f))
		}
	}
	nan := float32(math.NaN())
	isTrue(t, ortc.NewFloat16(nan).Float32() != ortc.NewFloat16(nan).Float32(), "NaN is a number")
	isTrue(t, ortc.NewBFloat16(nan).Float32() != ortc.NewBFloat16(nan).Float32(), "NaN is a number")
	equal(t, ortc.NewFloat16(65504), 0x7bff)
	equal(t, ortc.NewFloat16(65520), 0x7c00)
	equal(t, ortc.NewFloat16(1+1.0/2048), 0x3c00) // a tie goes to even
	equal(t, ortc.NewFloat16(1+3.0/2048), 0x3c02)
	equal(t, ortc.NewFloat16(-1e-10), 0x8000)
	equal(t, ortc.NewBFloat16(math.MaxFloat32), 0x7f80)
}

func TestHalfNumbersGoThroughModels(t *testing.T) {
	env := newEnv(t)
	half, err := ortc.NewTensorFrom([]ortc.Float16{ortc.NewFloat16(1.5), ortc.NewFloat16(-2)})
	ok(t, err)
	closing(t, half)
	outputs, err := newSession(t, env, model(t, "half.onnx"), nil).Run(background,
		ortc.Values{"x": half})
	ok(t, err)
	closing(t, outputs)
	y, err := ortc.TensorOf[ortc.Float16](outputs["y"])
	ok(t, err)
	equal(t, y.Data()[0].Float32(), 3)
	equal(t, y.Data()[1].Float32(), -4)
	brain, err := ortc.NewTensorFrom([]ortc.BFloat16{ortc.NewBFloat16(0.25)})
	ok(t, err)
	closing(t, brain)
	outputs, err = newSession(t, env, model(t, "brain.onnx"), nil).Run(background,
		ortc.Values{"x": brain})
	ok(t, err)
	closing(t, outputs)
	z, err := ortc.TensorOf[ortc.BFloat16](outputs["y"])
	ok(t, err)
	equal(t, z.Data()[0].Float32(), 0.5)
}

func TestEmptyTensorsAndScalars(t *testing.T) {
	empty := floats(t, nil, 0, 4)
	equal(t, len(empty.Data()), 0)
	bytes, err := empty.Bytes()
	ok(t, err)
	equal(t, len(bytes), 0)
	scalar, err := ortc.NewScalar(int64(9))
	ok(t, err)
	closing(t, scalar)
	equal(t, len(scalar.Shape()), 0)
	element, err := scalar.At()
	ok(t, err)
	equal(t, *element, 9)
	half, err := ortc.NewTensor[ortc.Float16](0)
	ok(t, err)
	closing(t, half)
	outputs, err := newSession(t, newEnv(t), model(t, "half.onnx"), nil).Run(background,
		ortc.Values{"x": half})
	ok(t, err)
	closing(t, outputs)
	equalLists(t, outputs["y"].Shape(), []int64{0})
}

func TestShapesThatAreImpossibleAreErrors(t *testing.T) {
	_, err := ortc.NewTensor[float32](-1)
	fails(t, err, ortc.ErrInvalidArgument, "-1")
	_, err = ortc.NewTensor[float32](math.MaxInt64, 4)
	isTrue(t, err != nil, "there is room for everything")
	_, err = ortc.NewTensorFrom([]float32{1, 2, 3}, 2)
	fails(t, err, ortc.ErrInvalidArgument, "[2]")
	_, err = ortc.NewTensorOfType(ortc.ElementType(99), 1)
	fails(t, err, ortc.ErrInvalidArgument, "99")
	_, err = ortc.TensorOf[float32](nil)
	fails(t, err, ortc.ErrInvalidArgument, "nil")
}

func TestStringsOfAnyKindComeBack(t *testing.T) {
	texts := []string{"", "größer", "日本語", "a long text that no small buffer would hold: " +
		"0123456789012345678901234567890123456789"}
	value, err := ortc.NewStringTensor(texts, 2, 2)
	ok(t, err)
	closing(t, value)
	outputs, err := newSession(t, newEnv(t), data("texts.onnx"), nil).Run(background,
		ortc.Values{"words": mustFlat(t, texts)})
	ok(t, err)
	closing(t, outputs)
	back, err := outputs["words"].Strings()
	ok(t, err)
	equalLists(t, back, texts)
	one, err := value.StringAt(2)
	ok(t, err)
	equal(t, one, "日本語")
	ok(t, value.SetString(2, "new"))
	ok(t, value.SetString(3, "with\x00zero"))
	back, err = value.Strings()
	ok(t, err)
	equalLists(t, back, []string{"", "größer", "new", "with\x00zero"})
	ok(t, value.SetStrings([]string{"a", "b\x00", "c", "d"}))
	one, err = value.StringAt(1)
	ok(t, err)
	equal(t, one, "b\x00")
}

func mustFlat(t *testing.T, texts []string) *ortc.Value {
	value, err := ortc.NewStringTensor(texts)
	ok(t, err)
	return closing(t, value)
}

func TestStringsThatDoNotFitAreErrors(t *testing.T) {
	value := mustFlat(t, []string{"a", "b"})
	fails(t, value.SetStrings([]string{"a"}), ortc.ErrInvalidArgument, "1")
	fails(t, value.SetStrings([]string{"a\x00"}), ortc.ErrInvalidArgument, "[2]")
	fails(t, value.SetString(2, "c"), ortc.ErrInvalidArgument, "2")
	fails(t, value.SetString(-1, "c"), ortc.ErrInvalidArgument, "-1")
	_, err := value.StringAt(5)
	fails(t, err, ortc.ErrInvalidArgument, "5")
	_, err = value.StringAt(-1)
	fails(t, err, ortc.ErrInvalidArgument, "-1")
	_, err = value.Bytes()
	fails(t, err, ortc.ErrInvalidArgument, "string")
	_, err = floats(t, []float32{1}).Strings()
	fails(t, err, ortc.ErrInvalidArgument, "")
	_, err = ortc.NewStringTensor([]string{"a"}, 3)
	fails(t, err, ortc.ErrInvalidArgument, "")
	empty := mustFlat(t, nil)
	back, err := empty.Strings()
	ok(t, err)
	equal(t, len(back), 0)
}

func TestMemoryOfCIsWrappedWithoutACopy(t *testing.T) {
	block, err := ortc.DefaultAllocator().Alloc(16)
	ok(t, err)
	released := make(chan unsafe.Pointer, 2)
	value, err := ortc.WrapMemory(block, 16, ortc.ElementTypeFloat, func() { released <- block }, 1, 4)
	ok(t, err)
	tensor, err := ortc.TensorOf[float32](value)
	ok(t, err)
	equal(t, unsafe.Pointer(&tensor.Data()[0]), block)
	copy(tensor.Data(), []float32{1, 2, 3, 4})
	session := newSession(t, newEnv(t), model(t, "trivial.onnx"), nil)
	outputs, err := session.Run(background, ortc.Values{"x": value})
	ok(t, err)
	equalLists(t, floatsIn(t, outputs["y"]), []float32{2, 3, 4, 5})
	ok(t, outputs.Close())
	equal(t, len(released), 0)
	ok(t, value.Close())
	equal(t, <-released, block)
	_, err = ortc.WrapMemory(block, 8, ortc.ElementTypeFloat, func() { released <- nil }, 1, 4)
	fails(t, err, ortc.ErrInvalidArgument, "8")
	_, err = ortc.WrapMemory(block, -8, ortc.ElementTypeFloat, nil, 1)
	fails(t, err, ortc.ErrInvalidArgument, "negative")
	equal(t, len(released), 0)
	empty, err := ortc.WrapMemory(nil, 0, ortc.ElementTypeFloat, func() { released <- nil }, 0)
	ok(t, err)
	equal(t, len(released), 0)
	ok(t, empty.Close())
	equal(t, <-released, nil)
	_, err = ortc.WrapMemory(nil, 0, ortc.ElementTypeFloat, func() { released <- nil }, 1)
	fails(t, err, ortc.ErrInvalidArgument, "")
	equal(t, len(released), 0)
	plain, err := ortc.WrapMemory(block, 16, ortc.ElementTypeInt64, nil, 2)
	ok(t, err)
	ok(t, plain.Close())
	ok(t, ortc.DefaultAllocator().Free(block))
}

func TestResultsGoIntoTensorsOfTheProgram(t *testing.T) {
	session := newSession(t, newEnv(t), model(t, "trivial.onnx"), nil)
	x, y := floats(t, []float32{1, 2, 3, 4}, 1, 4), floats(t, make([]float32, 4), 1, 4)
	before := &y.Data()[0]
	ok(t, session.RunInto(background, nil, ortc.Values{"x": x}, ortc.Values{"y": y}))
	equalLists(t, y.Data(), []float32{2, 3, 4, 5})
	isTrue(t, before == &y.Data()[0], "the tensor moved")
	wrong := floats(t, make([]float32, 3), 1, 3)
	fails(t, session.RunInto(background, nil, ortc.Values{"x": x}, ortc.Values{"y": wrong}),
		ortc.ErrInvalidArgument, "[1,3]")
	fails(t, session.RunInto(background, nil, ortc.Values{"x": x}, ortc.Values{"z": y}),
		ortc.ErrInvalidArgument, `"z"`)
	fails(t, session.RunInto(background, nil, ortc.Values{"x": x}, ortc.Values{"y": nil}),
		ortc.ErrInvalidArgument, "nil")
}

func TestValuesAreGoneAfterClose(t *testing.T) {
	tensor, err := ortc.NewTensorFrom([]float32{1})
	ok(t, err)
	ok(t, tensor.Close())
	ok(t, tensor.Close())
	_, err = tensor.TypeInfo()
	fails(t, err, ortc.ErrClosed, "the value is closed")
	defer func() {
		err, _ := recover().(error)
		fails(t, err, ortc.ErrClosed, "closed")
	}()
	tensor.Data()
}

func TestCollectorClosesWhatTheProgramForgets(t *testing.T) {
	released := make(chan struct{}, 1)
	func() {
		block, err := ortc.DefaultAllocator().Alloc(4)
		ok(t, err)
		_, err = ortc.WrapMemory(block, 4, ortc.ElementTypeFloat, func() {
			_ = ortc.DefaultAllocator().Free(block)
			released <- struct{}{}
		}, 1)
		ok(t, err)
	}()
	for i := 0; i < 100; i++ {
		runtime.GC()
		select {
		case <-released:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
	t.Fatal("the memory was never given back")
}

func TestSequencesAndMapsAreMadeAndRead(t *testing.T) {
	sequence, err := ortc.NewSequence(floats(t, []float32{1}), floats(t, []float32{2, 3}))
	ok(t, err)
	closing(t, sequence)
	equal(t, sequence.Kind(), ortc.ValueTypeSequence)
	parts, err := sequence.Parts()
	ok(t, err)
	equalLists(t, floatsIn(t, parts[1]), []float32{2, 3})
	for _, part := range parts {
		ok(t, part.Close())
	}
	kind, err := sequence.TypeInfo()
	ok(t, err)
	equal(t, kind.Element.Tensor.ElementType, ortc.ElementTypeFloat)
	keys := mustFlat(t, []string{"dog", "cat"})
	pairs, err := ortc.NewMap(keys, floats(t, []float32{1, 2}))
	ok(t, err)
	closing(t, pairs)
	kind, err = pairs.TypeInfo()
	ok(t, err)
	equal(t, kind.Kind, ortc.ValueTypeMap)
	equal(t, kind.Key, ortc.ElementTypeString)
	names, err := pairs.Part(0)
	ok(t, err)
	closing(t, names)
	texts, err := names.Strings()
	ok(t, err)
	equalLists(t, texts, []string{"cat", "dog"})
	_, err = ortc.NewSequence()
	fails(t, err, ortc.ErrFail, "num_values")
	_, err = ortc.NewSequence(nil)
	fails(t, err, ortc.ErrInvalidArgument, "nil")
	_, err = ortc.NewSequence(floats(t, []float32{1}), keys)
	isTrue(t, err != nil, "a sequence has elements of two types")
	_, err = pairs.Part(1<<32 + 1) // its low half is 1
	fails(t, err, ortc.ErrInvalidArgument, "range")
	_, err = pairs.Part(7)
	isTrue(t, err != nil, "a map has a part 7")
	_, err = floats(t, []float32{1}).Parts()
	fails(t, err, ortc.ErrFail, "")
}

func TestContainersGoThroughModels(t *testing.T) {
	env := newEnv(t)
	session := newSession(t, env, data("containers.onnx"), nil)
	var many, maybe *ortc.TypeInfo
	for _, input := range session.Inputs() {
		if input.Name == "many" {
			many = input.Type
		} else {
			maybe = input.Type
		}
	}
	equal(t, maybe.Kind, ortc.ValueTypeOptional)
	equalLists(t, maybe.Element.Tensor.Shape, []int64{2})
	none, err := ortc.NewEmptyValue(maybe)
	ok(t, err)
	closing(t, none)
	isTrue(t, !none.HasValue(), "an empty optional has a value")
	equal(t, none.Kind(), ortc.ValueTypeUnknown)
	kind, err := none.TypeInfo()
	ok(t, err)
	isTrue(t, kind == nil, "an empty optional has a type")
	sequence, err := ortc.NewSequence(floats(t, []float32{1, 2}), floats(t, []float32{3}))
	ok(t, err)
	closing(t, sequence)
	outputs, err := session.Run(background, ortc.Values{"many": sequence, "maybe": none})
	ok(t, err)
	closing(t, outputs)
	equalLists(t, floatsIn(t, outputs["first"]), []float32{1, 2})
	rest, err := outputs["rest"].Len()
	ok(t, err)
	equal(t, rest, 1)
	there, err := ortc.TensorOf[bool](outputs["there"])
	ok(t, err)
	equal(t, there.Data()[0], false)
	nothing, err := ortc.NewEmptyValue(many)
	ok(t, err)
	closing(t, nothing)
	count, err := nothing.Len()
	ok(t, err)
	equal(t, count, 0)
	_, err = ortc.NewEmptyValue(ortc.TensorType(ortc.ElementTypeFloat, 1))
	fails(t, err, ortc.ErrInvalidArgument, "")
	_, err = ortc.NewEmptyValue(nil)
	fails(t, err, ortc.ErrInvalidArgument, "nil")
	_, err = ortc.NewEmptyValue(&ortc.TypeInfo{Kind: ortc.ValueTypeTensor})
	fails(t, err, ortc.ErrInvalidArgument, "TensorInfo")
	_, err = ortc.NewEmptyValue(&ortc.TypeInfo{Kind: ortc.ValueTypeOpaque})
	fails(t, err, ortc.ErrInvalidArgument, "OPAQUE")
}

func TestMapsComeOutOfModels(t *testing.T) {
	session := newSession(t, newEnv(t), data("labels.onnx"), nil)
	outputs, err := session.Run(background, ortc.Values{"scores": floats(t, []float32{1, 2}, 1, 2)})
	ok(t, err)
	closing(t, outputs)
	first, err := outputs["maps"].Part(0)
	ok(t, err)
	closing(t, first)
	values, err := first.Part(1)
	ok(t, err)
	closing(t, values)
	equalLists(t, floatsIn(t, values), []float32{2, 1})
	pair := &ortc.TypeInfo{Kind: ortc.ValueTypeMap, Key: ortc.ElementTypeString,
		Element: ortc.TensorType(ortc.ElementTypeFloat)}
	empty, err := ortc.NewEmptyValue(&ortc.TypeInfo{Kind: ortc.ValueTypeSequence, Element: pair})
	ok(t, err)
	ok(t, empty.Close())
}

func TestOpaqueValuesAreNotImplemented(t *testing.T) {
	_, err := ortc.NewOpaqueValue("domain", "name", []byte{1})
	fails(t, err, ortc.ErrNotImplemented, "")
	_, err = floats(t, []float32{1}).Opaque("domain", "name", 1)
	fails(t, err, ortc.ErrNotImplemented, "")
	_, err = floats(t, []float32{1}).Opaque("domain", "name", -1)
	fails(t, err, ortc.ErrInvalidArgument, "negative")
}
