// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Linq;
using Xunit;

namespace OrtC.Tests;

public class ContainerTests
{
    [Fact]
    public void A_sequence_has_copies_of_its_elements()
    {
        using var first = new Tensor<float>([1, 2], 2);
        using var second = new Tensor<float>([3], 1);
        using var sequence = Value.Sequence([first, second]);
        first.Span[0] = 9;
        Assert.Equal(OnnxType.Sequence, sequence.Kind);
        var elements = sequence.GetElements();
        Assert.Equal([1f, 2f], elements[0].ToArray<float>());
        Assert.Equal([3f], elements[1].ToArray<float>());
        Array.ForEach(elements, element => element.Dispose());
        Assert.Equal("sequence of Float", sequence.GetTypeInfo()!.ToString()[..17]);
        Rig.Fails(ErrorCode.Fail, () => Value.Sequence([]));
        Rig.Fails(ErrorCode.Fail, () => first.GetElements());
        Rig.Fails(ErrorCode.Fail, "not a map", () => sequence.GetKeysAndValues());
    }

    [Fact]
    public void A_map_is_a_dictionary()
    {
        using var map = Value.Map(
            new Dictionary<string, float> { ["b"] = 2, ["ä"] = 3, ["a"] = 1 });
        Assert.Equal(OnnxType.Map, map.Kind);
        var back = map.ToDictionary<string, float>();
        Assert.Equal(3, back.Count);
        Assert.Equal(3f, back["ä"]);
        var (keys, values) = map.GetKeysAndValues();
        using (keys)
        using (values)
        {
            Assert.Equal(["a", "b", "ä"], keys.GetStrings());
        }
        using var numbers = Value.Map(new Dictionary<long, double> { [7] = 0.5 });
        Assert.Equal(0.5, numbers.ToDictionary<long, double>()[7]);
        Assert.Equal(OnnxType.Map, numbers.GetTypeInfo()!.Kind);
        Assert.Equal(TensorElementType.Int64, numbers.GetTypeInfo()!.KeyType);
        Assert.Throws<NotSupportedException>(
            () => Value.Map(new Dictionary<int, float> { [1] = 1 }));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_run_takes_and_gives_sequences_and_optionals(bool aot)
    {
        using var options = aot ? Rig.Aot() : new SessionOptions();
        using var session = new Session(Rig.Env, Rig.Data("containers.onnx"), options);
        Assert.Equal(OnnxType.Sequence, session.Inputs[0].Type.Kind);
        Assert.Equal(OnnxType.Optional, session.Inputs[1].Type.Kind);
        using var nothing = Value.Empty(session.Inputs[1].Type);
        Assert.False(nothing.HasValue);
        Assert.Equal(OnnxType.Unknown, nothing.Kind);
        Assert.Null(nothing.GetTypeInfo());
        using var one = new Tensor<float>([1, 2], 2);
        using var two = new Tensor<float>([3, 4], 2);
        using var many = Value.Sequence([one, two]);
        var inputs = new Dictionary<string, Value> { ["many"] = many, ["maybe"] = nothing };
        using (var outputs = session.Run(inputs, ["first", "rest", "there"]))
        {
            Assert.Equal([1f, 2f], outputs["first"].ToArray<float>());
            Assert.False(outputs["there"].ToArray<bool>()[0]);
            var rest = Assert.Single(outputs["rest"].GetElements());
            Assert.Equal(3, rest.ToArray<float>()[0]);
            rest.Dispose();
        }
        inputs["maybe"] = one;
        using (var outputs = session.Run(inputs))
        {
            Assert.True(outputs["there"].ToArray<bool>()[0]);
        }
        using var empty = Value.Empty(session.Inputs[0].Type);
        Assert.Empty(empty.GetElements());
        Rig.Fails(ErrorCode.InvalidArgument,
            () => Value.Empty(TypeInfo.OfTensor(TensorElementType.Float, 1)));
    }

    [Fact]
    public void Values_that_only_the_program_knows_are_not_supported()
    {
        Rig.Fails(ErrorCode.NotImplemented, () => Value.Opaque("domain", "type", [1]));
        using var tensor = new Tensor<float>([1], 1);
        Rig.Fails(ErrorCode.NotImplemented, () => tensor.GetOpaque("domain", "type", new byte[1]));
    }

    [Fact]
    public void A_sparse_tensor_has_values_at_places()
    {
        using var pairs = SparseTensor.CreateCoo<float>([3, 4], [1, 2, 3], [0, 1, 1, 3, 2, 0]);
        Assert.Equal(SparseFormat.Coo, pairs.Format);
        Assert.Equal(OnnxType.SparseTensor, pairs.Kind);
        Assert.False(pairs.IsTensor);
        Assert.Equal([3L, 4L], pairs.Shape);
        Assert.Equal([1f, 2f, 3f], pairs.GetValues<float>().ToArray());
        Assert.Equal([0L, 1, 1, 3, 2, 0], pairs.GetIndices(SparseIndicesFormat.Coo).ToArray());
        Assert.Equal([3L, 2L], pairs.GetIndicesInfo(SparseIndicesFormat.Coo).Shape.ToArray());
        Assert.Equal(3, pairs.GetValuesInfo().ElementCount);
        Rig.Fails(ErrorCode.InvalidArgument,
            () => pairs.GetIndices(SparseIndicesFormat.CsrInner).ToArray());
        Rig.Fails(ErrorCode.InvalidArgument, () => pairs.GetValues<int>().ToArray());
        Assert.Equal(OnnxType.SparseTensor, pairs.GetTypeInfo()!.Kind);

        using var rows = SparseTensor.CreateCsr<long>(
            [3, 4], [10, 20, 30], [1, 3, 0], [0, 1, 1, 3]);
        Assert.Equal([0L, 1, 1, 3], rows.GetIndices(SparseIndicesFormat.CsrOuter).ToArray());
        using var blocks = SparseTensor.CreateBlockSparse<float>(
            [3, 4], [1, 2, 2], [1, 2, 3, 4], [2, 1], [0, 1]);
        Assert.Equal([0, 1], blocks.GetBlockIndices().ToArray());
        using var texts = SparseTensor.CreateCoo([3, 4], ["ä", "b"], [0, 5]);
        Assert.Equal(["ä", "b"], texts.GetStrings());
        Rig.Fails(ErrorCode.InvalidArgument,
            () => SparseTensor.CreateCsr<long>([3, 4], [10, 20], [1, 3], [0, 2, 1, 2]));
    }

    [Fact]
    public void A_sparse_tensor_uses_memory_of_the_program()
    {
        var values = new float[] { 1, 2 };
        var indices = new long[] { 0, 5 };
        using var coo = SparseTensor.WrapCoo<float>([3, 4], values, indices);
        values[1] = 7;
        indices[1] = 6;
        Assert.Equal([1f, 7f], coo.GetValues<float>().ToArray());
        Assert.Equal([0L, 6], coo.GetIndices(SparseIndicesFormat.Coo).ToArray());
        using var csr = SparseTensor.WrapCsr<float>(
            [2, 4], values, new long[] { 1, 3 }, new long[] { 0, 1, 2 });
        Assert.Equal(SparseFormat.Csr, csr.Format);
        using var blocks = SparseTensor.WrapBlockSparse<float>(
            [3, 4], [1, 1, 2], values, [2, 1], new[] { 0, 1 });
        Assert.Equal(SparseFormat.BlockSparse, blocks.Format);
        using var again = SparseTensor.From(coo);
        Assert.Equal(SparseFormat.Coo, again.Format);
        using var dense = new Tensor<float>(values, 2);
        Rig.Fails(ErrorCode.InvalidArgument, "not a sparse", () => SparseTensor.From(dense));
    }
}
