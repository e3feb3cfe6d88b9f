// SPDX-License-Identifier: MIT

package tests

import (
	"testing"

	ortc "github.com/ortc/ortc/bindings/go"
)

func sparse[T ortc.SparseElement](t *testing.T, shape ...int64) *ortc.SparseTensor[T] {
	t.Helper()
	tensor, err := ortc.NewSparseTensor[T](shape...)
	ok(t, err)
	return closing(t, tensor)
}

func TestSparseTensorIsOfAKindOfItsOwn(t *testing.T) {
	tensor := sparse[float32](t, 3, 4)
	isTrue(t, tensor.IsSparseTensor() && !tensor.IsTensor(), "what is it?")
	equal(t, tensor.Kind(), ortc.ValueTypeSparseTensor)
	equal(t, tensor.Format(), ortc.SparseFormatUndefined)
	info, err := tensor.TensorInfo()
	ok(t, err)
	equalLists(t, info.Shape, []int64{3, 4})
	kind, err := tensor.TypeInfo()
	ok(t, err)
	equal(t, kind.String(), "sparsetensor(float)[3,4]")
	_, err = ortc.TensorOf[float32](tensor)
	fails(t, err, ortc.ErrInvalidArgument, "sparse")
	_, err = ortc.SparseTensorOf[int64](tensor)
	fails(t, err, ortc.ErrInvalidArgument, "INT64")
	_, err = ortc.SparseTensorOf[float32](floats(t, []float32{1}))
	fails(t, err, ortc.ErrInvalidArgument, "sparse")
	again, err := ortc.SparseTensorOf[float32](tensor)
	ok(t, err)
	equal(t, again.Format(), ortc.SparseFormatUndefined)
}

func TestSparseTensorKeepsCopiesWhenFilled(t *testing.T) {
	tensor := sparse[float32](t, 3, 4)
	values, pairs := []float32{1, 2, 3}, []int64{0, 1, 1, 3, 2, 0}
	ok(t, tensor.FillCOO(values, pairs))
	values[0], pairs[0] = 9, 9
	equal(t, tensor.Format(), ortc.SparseFormatCOO)
	found, err := tensor.Values()
	ok(t, err)
	equalLists(t, found, []float32{1, 2, 3})
	indices, err := tensor.Indices(ortc.SparseIndicesFormatCOOIndices)
	ok(t, err)
	equalLists(t, indices, []int64{0, 1, 1, 3, 2, 0})
	info, err := tensor.IndicesInfo(ortc.SparseIndicesFormatCOOIndices)
	ok(t, err)
	equalLists(t, info.Shape, []int64{3, 2})
	_, err = tensor.Indices(ortc.SparseIndicesFormatCSRInnerIndices)
	fails(t, err, ortc.ErrInvalidArgument, "")
	fails(t, tensor.FillCOO([]float32{1}, []int64{99}), ortc.ErrInvalidArgument, "99")
}

func TestSparseTensorHasRowsAndBlocks(t *testing.T) {
	rows := sparse[int64](t, 3, 4)
	ok(t, rows.FillCSR([]int64{5, 6}, []int64{1, 3}, []int64{0, 1, 1, 2}))
	equal(t, rows.Format(), ortc.SparseFormatCSRC)
	outer, err := rows.Indices(ortc.SparseIndicesFormatCSROuterIndices)
	ok(t, err)
	equalLists(t, outer, []int64{0, 1, 1, 2})
	blocks := sparse[float64](t, 4, 4)
	ok(t, blocks.FillBlocks([]float64{1, 2, 3, 4}, []int64{1, 2, 2}, []int32{0, 1}, []int64{2, 1}))
	equal(t, blocks.Format(), ortc.SparseFormatBlockSparse)
	places, err := blocks.Indices(ortc.SparseIndicesFormatBlockSparseIndices)
	ok(t, err)
	equalLists(t, places, []int64{0, 1})
	fails(t, blocks.FillBlocks([]float64{1}, []int64{2}, nil, []int64{0}), ortc.ErrInvalidArgument,
		"[2]")
}

func TestSparseTensorOfTexts(t *testing.T) {
	tensor := sparse[string](t, 5)
	ok(t, tensor.FillCOO([]string{"eins", "zwölf"}, []int64{1, 3}))
	texts, err := tensor.Values()
	ok(t, err)
	equalLists(t, texts, []string{"eins", "zwölf"})
}

func TestSparseTensorLiesOverMemoryOfTensors(t *testing.T) {
	values := floats(t, []float32{7, 8})
	places, err := ortc.NewTensorFrom([]int64{2, 5})
	ok(t, err)
	tensor, err := ortc.NewSparseTensorOver(values, 3, 4)
	ok(t, err)
	closing(t, tensor)
	ok(t, tensor.UseCOO(places))
	ok(t, places.Close()) // the sparse tensor holds it open
	found, err := tensor.Values()
	ok(t, err)
	isTrue(t, &found[0] == &values.Data()[0], "the values were copied")
	indices, err := tensor.Indices(ortc.SparseIndicesFormatCOOIndices)
	ok(t, err)
	equalLists(t, indices, []int64{2, 5})
	columns, err := ortc.NewTensorFrom([]int64{1, 2})
	ok(t, err)
	closing(t, columns)
	rows, err := ortc.NewTensorFrom([]int64{0, 1, 2, 2})
	ok(t, err)
	closing(t, rows)
	other, err := ortc.NewSparseTensorOver(values, 3, 4)
	ok(t, err)
	closing(t, other)
	ok(t, other.UseCSR(columns, rows))
	equal(t, other.Format(), ortc.SparseFormatCSRC)
	block := floats(t, []float32{1, 2}, 1, 2)
	third, err := ortc.NewSparseTensorOver(block, 2, 2)
	ok(t, err)
	closing(t, third)
	where, err := ortc.NewTensorFrom([]int32{0, 0}, 2, 1)
	ok(t, err)
	closing(t, where)
	ok(t, third.UseBlocks(where))
	info, err := third.ValuesInfo()
	ok(t, err)
	equalLists(t, info.Shape, []int64{1, 2})
	fails(t, other.UseCOO(nil), ortc.ErrInvalidArgument, "nil")
	_, err = ortc.NewSparseTensorOver[float32](nil, 1)
	fails(t, err, ortc.ErrInvalidArgument, "nil")
}
