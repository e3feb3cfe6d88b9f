// SPDX-License-Identifier: MIT
using System;
using System.Buffers;
using OrtC.LowLevel;

namespace OrtC;

// Tensors whose element type is only known when the program runs. See Tensor<T> for the others.
public unsafe partial class Value
{
    /// <summary>
    /// Makes a tensor with native memory of its own. Numbers start undefined, strings empty.
    /// </summary>
    public static Value Allocate(TensorElementType type, params long[] shape) =>
        new(AllocateHandle(type, shape, Allocator.Default));

    /// <summary>As <see cref="Allocate(TensorElementType, long[])"/>, with an allocator.</summary>
    public static Value Allocate(
        Allocator allocator, TensorElementType type, params long[] shape) =>
        new(AllocateHandle(type, shape, allocator));

    /// <summary>
    /// Makes a tensor over bytes of the program, which are pinned until it has ended. No copy. For
    /// types that .NET does not have: 8-bit floats, 4-bit and 2-bit types.
    /// </summary>
    /// <param name="type">Of the elements.</param>
    /// <param name="bytes">As <see cref="AsBytes"/> gives them.</param>
    /// <param name="shape">Sizes of the dimensions; none for a scalar.</param>
    public static Value FromBytes(TensorElementType type, Memory<byte> bytes, params long[] shape)
    {
        var needed = Elements.Bytes(type, Elements.Count(shape));
        if (needed != bytes.Length)
        {
            throw new ArgumentException(
                $"{bytes.Length} bytes for {type}{Elements.Describe(shape)}, which has {needed}.",
                nameof(bytes));
        }
        return new Value(Wrap(bytes.Pin(), bytes.Length, type, shape));
    }

    /// <summary>
    /// Makes a tensor over native memory of the program, which must live until the tensor and all
    /// runs with it have ended. No copy.
    /// </summary>
    /// <param name="data">The first element.</param>
    /// <param name="bytes">Room at <paramref name="data"/>.</param>
    /// <param name="memory">What memory it is, usually <see cref="MemoryInfo.Cpu"/>.</param>
    /// <param name="type">Of the elements.</param>
    /// <param name="shape">Sizes of the dimensions; none for a scalar.</param>
    public static Value FromPointer(
        nint data, nuint bytes, MemoryInfo memory, TensorElementType type, params long[] shape)
    {
        Native.OrtCreateTensorWithDataAsOrtValue(
            memory.Handle, data, bytes, shape, (nuint)shape.Length, type, out var handle);
        return new Value(handle);
    }

    private protected static ValueHandle AllocateHandle(
        TensorElementType type, long[] shape, Allocator allocator)
    {
        Native.OrtCreateTensorAsOrtValue(
            allocator.Handle, shape, (nuint)shape.Length, type, out var handle);
        if (!ReferenceEquals(allocator, Allocator.Default))
        {
            handle.HoldOwner(allocator.Handle);
        }
        if (type != TensorElementType.String)
        {
            handle.AddPressure(Elements.Bytes(type, Elements.Count(shape)));
        }
        return handle;
    }

    /// <summary>A value over memory that stays pinned as long as the value lives.</summary>
    private protected static ValueHandle Wrap(
        MemoryHandle pin, long bytes, TensorElementType type, long[] shape)
    {
        try
        {
            Native.OrtCreateTensorWithDataAsOrtValue(
                MemoryInfo.Cpu.Handle, (nint)pin.Pointer, (nuint)bytes, shape,
                (nuint)shape.Length, type, out var handle);
            handle.Attach(new Pin(pin));
            return handle;
        }
        catch
        {
            pin.Dispose();
            throw;
        }
    }

    private protected sealed class Pin : IDisposable
    {
        private MemoryHandle _memory;

        internal Pin(MemoryHandle memory) => _memory = memory;

        public void Dispose() => _memory.Dispose();
    }
}
