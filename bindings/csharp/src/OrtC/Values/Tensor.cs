// SPDX-License-Identifier: MIT
using System;

namespace OrtC;

/// <summary>
/// A dense tensor of numbers, in row-major order. Over an array or memory of the program it copies
/// nothing: the memory is pinned until the tensor has ended, runs that use it included.
/// </summary>
/// <typeparam name="T">
/// float, double, an integer, bool, <see cref="Float16"/> or <c>Half</c>, <see cref="BFloat16"/>,
/// <see cref="Complex64"/> or <see cref="System.Numerics.Complex"/>.
/// </typeparam>
public sealed class Tensor<T> : Value
    where T : unmanaged
{
    /// <summary>Makes a tensor over memory, which is pinned.</summary>
    /// <param name="data">As many elements as the shape has.</param>
    /// <param name="shape">Sizes of the dimensions; none for a scalar.</param>
    /// <exception cref="ArgumentException">The number of elements is another one.</exception>
    public unsafe Tensor(Memory<T> data, params long[] shape)
        : base(Wrap(
            Check(data, shape).Pin(), (long)data.Length * sizeof(T), Element<T>.Type, shape))
    {
    }

    /// <summary>Makes a tensor over an array, which is pinned.</summary>
    /// <inheritdoc cref="Tensor{T}(Memory{T}, long[])"/>
    public Tensor(T[] data, params long[] shape)
        : this((data ?? throw new ArgumentNullException(nameof(data))).AsMemory(), shape)
    {
    }

    private Tensor(ValueHandle handle)
        : base(handle)
    {
    }

    /// <summary>
    /// The elements, for reading and writing. Valid until the tensor is disposed.
    /// </summary>
    public Span<T> Span => AsSpan<T>();

    /// <summary>
    /// Makes a tensor with native memory of its own, aligned to 64 bytes. Elements start undefined.
    /// </summary>
    public static Tensor<T> Allocate(params long[] shape) =>
        new(AllocateHandle(Element<T>.Type, shape, Allocator.Default));

    private static Memory<T> Check(Memory<T> data, long[] shape)
    {
        var count = Elements.Count(shape);
        return count == data.Length
            ? data
            : throw new ArgumentException(
                $"{data.Length} elements for a tensor {Elements.Describe(shape)} of {count}.",
                nameof(data));
    }
}
