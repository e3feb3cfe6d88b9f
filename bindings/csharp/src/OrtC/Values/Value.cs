// SPDX-License-Identifier: MIT
using System;
using System.Runtime.CompilerServices;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>
/// What goes into a run and comes out of it: a dense tensor, a sparse one, a sequence, a map, or an
/// optional without content. Dispose values that you make or get. Any number of threads may read a
/// value while none writes.
/// </summary>
public unsafe partial class Value : IDisposable
{
    internal Value(ValueHandle handle) => Handle = handle;

    /// <summary>The kind. An optional is what it contains, or Unknown without content.</summary>
    public OnnxType Kind
    {
        get
        {
            Native.OrtGetValueType(Handle, out var kind);
            return kind;
        }
    }

    /// <summary>Whether there is content: an optional value may have none.</summary>
    public bool HasValue
    {
        get
        {
            Native.OrtHasValue(Handle, out var has);
            return has != 0;
        }
    }

    /// <summary>Whether it is a dense tensor.</summary>
    public bool IsTensor
    {
        get
        {
            Native.OrtIsTensor(Handle, out var @is);
            return @is != 0;
        }
    }

    /// <summary>The element type of a tensor, dense or sparse.</summary>
    /// <exception cref="OrtArgumentException">It is not a tensor.</exception>
    public TensorElementType ElementType
    {
        get
        {
            ReadShape(out var type, out _, out _);
            return type;
        }
    }

    /// <summary>The sizes of the dimensions of a tensor, dense or sparse. A copy.</summary>
    /// <exception cref="OrtArgumentException">It is not a tensor.</exception>
    public long[] Shape
    {
        get
        {
            ReadShape(out _, out var dimensions, out var rank);
            var shape = new ReadOnlySpan<long>(dimensions, rank).ToArray();
            GC.KeepAlive(this);
            return shape;
        }
    }

    /// <summary>How many elements the shape has.</summary>
    /// <exception cref="OrtArgumentException">It is not a tensor.</exception>
    public long ElementCount
    {
        get
        {
            ReadShape(out _, out var dimensions, out var rank);
            var count = Elements.Count(new ReadOnlySpan<long>(dimensions, rank));
            GC.KeepAlive(this);
            return count;
        }
    }

    /// <summary>How many bytes the elements take; those below a byte are packed.</summary>
    /// <exception cref="OrtArgumentException">It is not a tensor of numbers.</exception>
    public long SizeInBytes
    {
        get
        {
            nuint size;
            Native.OrtGetTensorSizeInBytes(Handle, &size);
            return checked((long)size);
        }
    }

    /// <summary>In which memory the elements of a tensor lie.</summary>
    /// <exception cref="OrtArgumentException">It is not a tensor.</exception>
    public MemoryInfo MemoryInfo
    {
        get
        {
            nint info;
            Native.OrtGetTensorMemoryInfo(Handle, &info);
            return new MemoryInfo(OrtHandle.Borrow<MemoryInfoHandle>(info, Handle));
        }
    }

    internal ValueHandle Handle { get; }

    /// <summary>The type; null for a value without content.</summary>
    public TypeInfo? GetTypeInfo()
    {
        Native.OrtGetTypeInfo(Handle, out var type);
        using (type)
        {
            return type.IsInvalid ? null : TypeInfo.Read(type);
        }
    }

    /// <summary>Element type and shape of a tensor, dense or sparse.</summary>
    /// <exception cref="OrtArgumentException">It is not a tensor.</exception>
    public TensorInfo GetTensorInfo()
    {
        Native.OrtGetTensorTypeAndShape(Handle, out var info);
        using (info)
        {
            return TensorInfo.Read(info);
        }
    }

    /// <summary>Gives the value back. Memory of the program under it is not touched.</summary>
    public void Dispose()
    {
        Handle.Dispose();
        GC.SuppressFinalize(this);
    }

    /// <inheritdoc/>
    public override string ToString()
    {
        if (Handle.IsClosed)
        {
            return "a disposed value";
        }
        return Kind is OnnxType.Tensor or OnnxType.SparseTensor
            ? $"{Kind} {ElementType}{Elements.Describe(Shape)}"
            : Kind.ToString();
    }

    /// <summary>Tells the collector of a result, when it is a tensor of numbers.</summary>
    internal void TellPressure()
    {
        nint shape;
        var status = NativePINVOKE.OrtGetTensorElementTypeAndShapeDataReference(
            Handle, out var type, &shape, out var rank);
        if (status != 0)
        {
            Native.OrtReleaseStatus(status); // a sequence or a map
        }
        else if (type != TensorElementType.String)
        {
            var count = 1L;
            for (nuint i = 0; i < rank; i++)
            {
                count *= ((long*)shape)[i];
            }
            Handle.AddPressure(Elements.Bytes(type, count));
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private protected void ReadShape(out TensorElementType type, out long* dimensions, out int rank)
    {
        nint shape;
        Native.OrtGetTensorElementTypeAndShapeDataReference(
            Handle, out type, &shape, out var count);
        dimensions = (long*)shape;
        rank = (int)count;
    }
}
