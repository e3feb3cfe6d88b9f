// SPDX-License-Identifier: MIT
using System;
using System.Buffers;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>
/// A sparse tensor: the shape of a dense one, and those of its elements that are there. The methods
/// named Create copy; those named Wrap use memory of the program, which is pinned.
/// </summary>
public sealed unsafe class SparseTensor : Value
{
    private SparseTensor(ValueHandle handle)
        : base(handle)
    {
    }

    /// <summary>How it says where the values belong.</summary>
    public SparseFormat Format
    {
        get
        {
            Native.OrtGetSparseTensorFormat(Handle, out var format);
            return format;
        }
    }

    /// <summary>
    /// Looks at a value that is a sparse tensor, as one. Both share it: dispose both.
    /// </summary>
    /// <exception cref="OrtArgumentException">It is another kind of value.</exception>
    public static SparseTensor From(Value value)
    {
        Native.OrtIsSparseTensor(value.Handle, out var sparse);
        if (sparse == 0)
        {
            throw new OrtArgumentException($"The value is a {value.Kind}, not a sparse tensor.");
        }
        return new SparseTensor(OrtHandle.Borrow<ValueHandle>(
            value.Handle.DangerousGetHandle(), value.Handle));
    }

    /// <summary>Makes a tensor of values at positions, or at pairs of row and column.</summary>
    /// <param name="shape">Of the dense tensor.</param>
    /// <param name="values">Copied.</param>
    /// <param name="indices">Copied. As many as values, or twice as many for pairs.</param>
    public static SparseTensor CreateCoo<T>(
        ReadOnlySpan<long> shape, ReadOnlySpan<T> values, ReadOnlySpan<long> indices)
        where T : unmanaged
    {
        var tensor = Create(Element<T>.Type, shape);
        fixed (T* first = values)
        {
            var handle = tensor.Handle;
            try
            {
                Native.OrtFillSparseTensorCoo(
                    handle, MemoryInfo.Cpu.Handle, [values.Length], 1, (nint)first, indices,
                    (nuint)indices.Length);
            }
            catch
            {
                tensor.Dispose();
                throw;
            }
        }
        return tensor;
    }

    /// <summary>Makes a tensor of strings at positions, or at pairs of row and column.</summary>
    /// <inheritdoc cref="CreateCoo{T}"/>
    public static SparseTensor CreateCoo(
        ReadOnlySpan<long> shape, string[] values, ReadOnlySpan<long> indices)
    {
        var tensor = Create(TensorElementType.String, shape);
        try
        {
            using var texts = new Utf8Array(values);
            Native.OrtFillSparseTensorCoo(
                tensor.Handle, MemoryInfo.Cpu.Handle, [values.Length], 1, (nint)texts.Pointer,
                indices, (nuint)indices.Length);
            return tensor;
        }
        catch
        {
            tensor.Dispose();
            throw;
        }
    }

    /// <summary>Makes a matrix of values in rows.</summary>
    /// <param name="shape">Of the dense matrix.</param>
    /// <param name="values">Copied.</param>
    /// <param name="columns">Copied. One for each value.</param>
    /// <param name="rowStarts">Copied. Where each row starts, and the end.</param>
    public static SparseTensor CreateCsr<T>(
        ReadOnlySpan<long> shape,
        ReadOnlySpan<T> values,
        ReadOnlySpan<long> columns,
        ReadOnlySpan<long> rowStarts)
        where T : unmanaged
    {
        var tensor = Create(Element<T>.Type, shape);
        fixed (T* first = values)
        {
            try
            {
                Native.OrtFillSparseTensorCsr(
                    tensor.Handle, MemoryInfo.Cpu.Handle, [values.Length], 1, (nint)first, columns,
                    (nuint)columns.Length, rowStarts, (nuint)rowStarts.Length);
            }
            catch
            {
                tensor.Dispose();
                throw;
            }
        }
        return tensor;
    }

    /// <summary>Makes a tensor of blocks.</summary>
    /// <param name="shape">Of the dense tensor.</param>
    /// <param name="valuesShape">Of the values.</param>
    /// <param name="values">Copied.</param>
    /// <param name="indicesShape">Of the coordinates.</param>
    /// <param name="indices">Copied. Coordinates of the blocks.</param>
    public static SparseTensor CreateBlockSparse<T>(
        ReadOnlySpan<long> shape,
        ReadOnlySpan<long> valuesShape,
        ReadOnlySpan<T> values,
        ReadOnlySpan<long> indicesShape,
        ReadOnlySpan<int> indices)
        where T : unmanaged
    {
        CheckCount(values.Length, valuesShape);
        CheckCount(indices.Length, indicesShape);
        var tensor = Create(Element<T>.Type, shape);
        fixed (T* first = values)
        {
            try
            {
                Native.OrtFillSparseTensorBlockSparse(
                    tensor.Handle, MemoryInfo.Cpu.Handle, valuesShape, (nuint)valuesShape.Length,
                    (nint)first, indicesShape, (nuint)indicesShape.Length, indices);
            }
            catch
            {
                tensor.Dispose();
                throw;
            }
        }
        return tensor;
    }

    /// <summary>As <see cref="CreateCoo{T}"/>, over memory that is pinned. No copy.</summary>
    public static SparseTensor WrapCoo<T>(
        ReadOnlySpan<long> shape, Memory<T> values, Memory<long> indices)
        where T : unmanaged
    {
        var tensor = Wrap(shape, [values.Length], values);
        tensor.Use(indices, first => Native.OrtUseCooIndices(
            tensor.Handle, first, (nuint)indices.Length));
        return tensor;
    }

    /// <summary>As <see cref="CreateCsr{T}"/>, over memory that is pinned. No copy.</summary>
    public static SparseTensor WrapCsr<T>(
        ReadOnlySpan<long> shape, Memory<T> values, Memory<long> columns, Memory<long> rowStarts)
        where T : unmanaged
    {
        var tensor = Wrap(shape, [values.Length], values);
        tensor.Use(columns, inner => tensor.Use(rowStarts, outer => Native.OrtUseCsrIndices(
            tensor.Handle, inner, (nuint)columns.Length, outer, (nuint)rowStarts.Length)));
        return tensor;
    }

    /// <summary>
    /// As <see cref="CreateBlockSparse{T}"/>, over memory that is pinned. No copy.
    /// </summary>
    public static SparseTensor WrapBlockSparse<T>(
        ReadOnlySpan<long> shape,
        ReadOnlySpan<long> valuesShape,
        Memory<T> values,
        long[] indicesShape,
        Memory<int> indices)
        where T : unmanaged
    {
        CheckCount(values.Length, valuesShape);
        CheckCount(indices.Length, indicesShape);
        var tensor = Wrap(shape, valuesShape, values);
        tensor.Use(indices, first => Native.OrtUseBlockSparseIndices(
            tensor.Handle, indicesShape, (nuint)indicesShape.Length, first));
        return tensor;
    }

    /// <summary>Element type and shape of the values.</summary>
    public TensorInfo GetValuesInfo()
    {
        Native.OrtGetSparseTensorValuesTypeAndShape(Handle, out var info);
        using (info)
        {
            return TensorInfo.Read(info);
        }
    }

    /// <summary>The values, in place. Valid until the tensor is disposed.</summary>
    /// <exception cref="OrtArgumentException">They are of another type.</exception>
    public ReadOnlySpan<T> GetValues<T>()
        where T : unmanaged
    {
        var info = GetValuesInfo();
        if (info.ElementType != Element<T>.Type)
        {
            throw new OrtArgumentException(
                $"The values are {info.ElementType}, not {Element<T>.Type}.");
        }
        nint values;
        Native.OrtGetSparseTensorValues(Handle, &values);
        return new ReadOnlySpan<T>((void*)values, checked((int)(info.ElementCount ?? 0)));
    }

    /// <summary>Element type and shape of one of the parts that say where values belong.</summary>
    public TensorInfo GetIndicesInfo(SparseIndicesFormat part)
    {
        Native.OrtGetSparseTensorIndicesTypeShape(Handle, part, out var info);
        using (info)
        {
            return TensorInfo.Read(info);
        }
    }

    /// <summary>One of those parts, in place. Valid until the tensor is disposed.</summary>
    public ReadOnlySpan<long> GetIndices(SparseIndicesFormat part)
    {
        if (part == SparseIndicesFormat.BlockSparse)
        {
            throw new ArgumentException("Use GetBlockIndices(): they are 32-bit.", nameof(part));
        }
        nint indices;
        Native.OrtGetSparseTensorIndices(Handle, part, out var count, &indices);
        return new ReadOnlySpan<long>((void*)indices, checked((int)count));
    }

    /// <summary>The coordinates of blocks, in place. Valid until the tensor is disposed.</summary>
    public ReadOnlySpan<int> GetBlockIndices()
    {
        nint indices;
        Native.OrtGetSparseTensorIndices(
            Handle, SparseIndicesFormat.BlockSparse, out var count, &indices);
        return new ReadOnlySpan<int>((void*)indices, checked((int)count));
    }

    private static SparseTensor Create(TensorElementType type, ReadOnlySpan<long> shape)
    {
        Native.OrtCreateSparseTensorAsOrtValue(
            Allocator.Default.Handle, shape, (nuint)shape.Length, type, out var handle);
        return new SparseTensor(handle);
    }

    private static SparseTensor Wrap<T>(
        ReadOnlySpan<long> shape, ReadOnlySpan<long> valuesShape, Memory<T> values)
        where T : unmanaged
    {
        var pin = values.Pin();
        try
        {
            Native.OrtCreateSparseTensorWithValuesAsOrtValue(
                MemoryInfo.Cpu.Handle, (nint)pin.Pointer, shape, (nuint)shape.Length, valuesShape,
                (nuint)valuesShape.Length, Element<T>.Type, out var handle);
            handle.Attach(new Pin(pin));
            return new SparseTensor(handle);
        }
        catch
        {
            pin.Dispose();
            throw;
        }
    }

    /// <summary>Pins memory for as long as the tensor lives, and gives it to a call.</summary>
    private void Use<T>(Memory<T> memory, Action<nint> call)
    {
        var pin = memory.Pin();
        Handle.Attach(new Pin(pin));
        try
        {
            call((nint)pin.Pointer);
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    private static void CheckCount(int count, ReadOnlySpan<long> shape)
    {
        if (Elements.Count(shape) != count)
        {
            throw new ArgumentException(
                $"{count} elements for the shape {Elements.Describe(shape)}.", nameof(shape));
        }
    }
}
