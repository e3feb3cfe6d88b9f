// SPDX-License-Identifier: MIT
using System;
using System.Linq;
using System.Numerics;
using System.Runtime.InteropServices;
using Xunit;

namespace OrtC.Tests;

public unsafe class ValueTests
{
    [Fact]
    public void A_tensor_over_an_array_is_the_array()
    {
        var array = GC.AllocateUninitializedArray<float>(4, pinned: true);
        using var tensor = new Tensor<float>(array, 2, 2);
        Assert.Equal(Marshal.UnsafeAddrOfPinnedArrayElement(array, 0), tensor.DataPointer);
        array[3] = 7;
        Assert.Equal(7, tensor.At<float>(1, 1));
        tensor.At<float>(0, 1) = 5;
        Assert.Equal(5, array[1]);
        Assert.Equal([2L, 2L], tensor.Shape);
        Assert.Equal(TensorElementType.Float, tensor.ElementType);
        Assert.Equal(16, tensor.SizeInBytes);
        Assert.Equal(4, tensor.ElementCount);
        Assert.True(tensor.IsTensor);
        Assert.True(tensor.HasValue);
        Assert.Equal(OnnxType.Tensor, tensor.Kind);
        Assert.Equal("Tensor Float[2,2]", tensor.ToString());
        Assert.Equal(MemoryInfo.Cpu, tensor.MemoryInfo);
    }

    [Fact]
    public void A_slice_of_memory_makes_a_tensor()
    {
        var array = new[] { 1L, 2L, 3L, 4L };
        using var tensor = new Tensor<long>(array.AsMemory(1, 2), 2);
        Assert.Equal([2L, 3L], tensor.ToArray<long>());
    }

    [Fact]
    public void Native_memory_is_aligned_and_can_be_viewed_as_memory()
    {
        using var tensor = Tensor<double>.Allocate(3);
        tensor.Span.Fill(2.5);
        Assert.Equal(0, tensor.DataPointer % 64);
        var memory = tensor.AsMemory<double>();
        memory.Span[1] = 1;
        using (var pin = memory.Slice(1).Pin())
        {
            Assert.Equal(tensor.DataPointer + 8, (nint)pin.Pointer);
        }
        Assert.Equal([2.5, 1, 2.5], tensor.AsReadOnlySpan<double>().ToArray());
        using (var pin = memory.Pin())
        {
            tensor.Dispose();
            Assert.Equal(2.5, *(double*)pin.Pointer);
        }
        Assert.Throws<ObjectDisposedException>(() => memory.Span[0]);
        Assert.Throws<ObjectDisposedException>(() => memory.Pin());
        Assert.Throws<ObjectDisposedException>(() => tensor.Shape);
        Assert.Equal("a disposed value", tensor.ToString());
    }

    [Fact]
    public void Every_element_type_of_NET_has_its_own()
    {
        Check((byte)1, TensorElementType.UInt8);
        Check((sbyte)1, TensorElementType.Int8);
        Check((ushort)1, TensorElementType.UInt16);
        Check((short)1, TensorElementType.Int16);
        Check(1u, TensorElementType.UInt32);
        Check(1, TensorElementType.Int32);
        Check(1ul, TensorElementType.UInt64);
        Check(1L, TensorElementType.Int64);
        Check(true, TensorElementType.Bool);
        Check(1f, TensorElementType.Float);
        Check(1.0, TensorElementType.Double);
        Check((Float16)1, TensorElementType.Float16);
        Check((BFloat16)1, TensorElementType.BFloat16);
        Check(new Complex64(1, 2), TensorElementType.Complex64);
        Check(new Complex(1, 2), TensorElementType.Complex128);
#if NEW_DOTNET
        Check((Half)1, TensorElementType.Float16);
#endif
        Assert.Throws<NotSupportedException>(() => new Tensor<char>(new char[1], 1));

        static void Check<T>(T one, TensorElementType type)
            where T : unmanaged
        {
            using var tensor = new Tensor<T>([one, one], 2);
            Assert.Equal(type, tensor.ElementType);
            Assert.Equal(2 * sizeof(T), tensor.SizeInBytes);
            Assert.Equal([one, one], tensor.ToArray<T>());
        }
    }

    [Fact]
    public void Types_that_NET_does_not_have_are_bytes()
    {
        using var tensor = Value.FromBytes(TensorElementType.Int4, new byte[] { 0x21, 0x03 }, 3);
        Assert.Equal(3, tensor.ElementCount);
        Assert.Equal([0x21, 0x03], tensor.AsBytes().ToArray());
        Assert.Throws<ArgumentException>(
            () => Value.FromBytes(TensorElementType.Int4, new byte[3], 3));
        using var pairs = Value.Allocate(TensorElementType.Float8E4M3FN, 2, 2);
        Assert.Equal(4, pairs.AsBytes().Length);
    }

    [Fact]
    public void Scalars_and_tensors_without_elements_are_tensors()
    {
        using var scalar = new Tensor<float>([3f]);
        Assert.Empty(scalar.Shape);
        Assert.Equal(3f, scalar.Span[0]);
        using var empty = new Tensor<float>([], 0, 4);
        Assert.Equal(0, empty.ElementCount);
        Assert.Empty(empty.ToArray<float>());
        using var allocated = Tensor<long>.Allocate(2, 0);
        Assert.True(allocated.Span.IsEmpty);
    }

    [Fact]
    public void Wrong_shapes_and_types_are_refused()
    {
        Assert.Throws<ArgumentException>(() => new Tensor<float>(new float[3], 2, 2));
        Assert.Throws<ArgumentException>(() => new Tensor<float>(new float[4], -4));
        Assert.Throws<ArgumentException>(
            () => new Tensor<float>(new float[4], long.MaxValue, long.MaxValue));
        Assert.Throws<ArgumentNullException>(() => new Tensor<float>((float[])null!, 1));
        using var tensor = new Tensor<float>(new float[4], 4);
        var exception = Assert.Throws<OrtArgumentException>(() => tensor.AsSpan<int>().Length);
        Assert.Contains("Float, not Int32", exception.Message);
        Rig.Fails(ErrorCode.InvalidArgument, () => tensor.At<float>(4));
        Rig.Fails(ErrorCode.InvalidArgument, () => tensor.GetStrings());
    }

    [Fact]
    public void Strings_are_kept_whatever_is_in_them()
    {
        string[] texts = ["", "größe", "数字", "a\0b"];
        using var tensor = Value.FromStrings(texts, 2, 2);
        Assert.Equal(texts, tensor.GetStrings());
        Assert.Equal("größe", tensor.GetString(1));
        Assert.Equal("a\0b", tensor.GetString(3));
        tensor.SetString(0, "neu");
        tensor.SetUtf8(2, "bytes"u8);
        Assert.Equal(["neu", "größe", "bytes", "a\0b"], tensor.GetStrings());
        tensor.SetStrings(["1", "2", "3", "4"]);
        Assert.Equal("4", tensor.GetString(3));
        Rig.Fails(ErrorCode.InvalidArgument, () => tensor.SetStrings(["1"]));
        Assert.ThrowsAny<Exception>(() => tensor.SetString(9, "outside"));
        using var none = Value.FromStrings([]);
        Assert.Empty(none.GetStrings());
        using var scalar = Value.FromStringsOfShape(["one"]);
        Assert.Empty(scalar.Shape);
        Assert.Equal("one", scalar.GetString(0));
        Rig.Fails(ErrorCode.InvalidArgument, () => Value.FromStringsOfShape([]));
        // Compared before memory is asked for: this much is nowhere.
        Rig.Fails(ErrorCode.InvalidArgument, () => Value.FromStrings(["one"], 1L << 40));
    }

    [Fact]
    public void Memory_of_the_program_and_of_allocators_makes_tensors()
    {
        var block = Allocator.Default.Allocate(16);
        block.Span.Fill(0);
        var address = block.Pointer;
        using (var tensor = block.ToTensor(TensorElementType.Float, 2, 2))
        {
            Assert.Equal(address, tensor.DataPointer);
        }
        Assert.Equal(0, block.Pointer);
        Assert.Throws<ObjectDisposedException>(() => block.ToTensor(TensorElementType.Float, 4));
        using var second = Allocator.Default.Allocate(8);
        using var view = Value.FromPointer(
            second.Pointer, second.Length, MemoryInfo.Cpu, TensorElementType.Int64, 1);
        Assert.Equal(second.Pointer, view.DataPointer);
        Rig.Fails(ErrorCode.InvalidArgument, () => Value.FromPointer(
            second.Pointer, 7, MemoryInfo.Cpu, TensorElementType.Int64, 1));
    }

    [Fact]
    public void A_tensor_tells_its_type()
    {
        using var tensor = new Tensor<int>(new int[6], 2, 3);
        Assert.Equal("Int32[2,3]", tensor.GetTensorInfo().ToString());
        var type = tensor.GetTypeInfo()!;
        Assert.Equal(OnnxType.Tensor, type.Kind);
        Assert.Equal("Int32[2,3]", type.ToString());
        Assert.Equal(6, type.Tensor!.ElementCount);
    }

#if NEW_DOTNET
    [Fact]
    public void A_tensor_is_a_span_of_System_Numerics()
    {
        using var tensor = new Tensor<float>([1, 2, 3, 4], 2, 2);
#pragma warning disable SYSLIB5001
        var span = tensor.AsTensorSpan<float>();
        Assert.Equal(3f, span[1, 0]);
        span[1, 1] = 9;
#pragma warning restore SYSLIB5001
        Assert.Equal(9, tensor.Span[3]);
    }
#endif

    [Theory]
    [InlineData(0f), InlineData(1f), InlineData(-2.5f), InlineData(65504f)]
    [InlineData(5.9604645e-8f), InlineData(float.PositiveInfinity), InlineData(float.NaN), InlineData(6.1e-5f)]
    public void Sixteen_bits_keep_what_fits_into_them(float number)
    {
        Assert.Equal((float)(Half)number, (float)(Float16)number);
        Assert.Equal(BitConverter.HalfToUInt16Bits((Half)number) & 0x7FFF,
            ((Float16)number).ToBits() & 0x7FFF);
        var brain = (float)(BFloat16)number;
        Assert.True(float.IsNaN(number) ? float.IsNaN(brain)
            : brain == number || Math.Abs(brain - number) <= Math.Abs(number) / 128);
    }

    [Fact]
    public void Sixteen_bits_round_as_Half_does()
    {
        var random = new Random(1);
        for (var i = 0; i < 100000; i++)
        {
            var number = BitConverter.Int32BitsToSingle(random.Next());
            var expected = (Half)number;
            var found = (Float16)number;
            Assert.True(
                Half.IsNaN(expected)
                    ? float.IsNaN(found)
                    : BitConverter.HalfToUInt16Bits(expected) == found.ToBits(),
                $"{number:R}");
            Assert.Equal((float)expected, (float)Float16.FromBits(
                BitConverter.HalfToUInt16Bits(expected)));
        }
    }
}
