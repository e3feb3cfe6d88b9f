// SPDX-License-Identifier: MIT
using System;
using System.Buffers;
using System.Threading;
using OrtC.LowLevel;

namespace OrtC;

// The elements of dense tensors of numbers, in place.
public unsafe partial class Value
{
    private bool _isOnHost;

    /// <summary>
    /// The elements, in row-major order, for reading and writing. No copy: the span is valid until
    /// the value is disposed, so keep the value in a <c>using</c>.
    /// </summary>
    /// <exception cref="OrtArgumentException">
    /// It is not a tensor, or its elements are of another type.
    /// </exception>
    public Span<T> AsSpan<T>()
        where T : unmanaged
    {
        var count = CheckElements<T>();
        return new Span<T>((void*)HostData, count);
    }

    /// <summary>As <see cref="AsSpan{T}"/>, for reading: several threads may do it.</summary>
    public ReadOnlySpan<T> AsReadOnlySpan<T>()
        where T : unmanaged
    {
        var count = CheckElements<T>();
        CheckOnHost();
        nint data;
        Native.OrtGetTensorData(Handle, &data);
        return new ReadOnlySpan<T>((void*)data, count);
    }

    /// <summary>
    /// As <see cref="AsSpan{T}"/>, as memory that keeps the value from being collected. It cannot
    /// be used after the value was disposed, but for pins, which hold the elements.
    /// </summary>
    public Memory<T> AsMemory<T>()
        where T : unmanaged
    {
        fixed (T* data = AsSpan<T>())
        {
            return new NativeMemory<T>(this, data, (int)ElementCount).Memory;
        }
    }

    /// <summary>A copy of the elements.</summary>
    public T[] ToArray<T>()
        where T : unmanaged
    {
        var copy = AsReadOnlySpan<T>().ToArray();
        GC.KeepAlive(this);
        return copy;
    }

    /// <summary>
    /// The bytes of a tensor of numbers of any type: two elements in one byte for 4-bit types, the
    /// first in the low half; four for 2-bit types. Valid as <see cref="AsSpan{T}"/>.
    /// </summary>
    public Span<byte> AsBytes() => new((void*)HostData, checked((int)SizeInBytes));

    /// <summary>
    /// The address of the first element, for tensors that are too large for a span. Valid until the
    /// value is disposed. Of a tensor in memory of a device it is the device's.
    /// </summary>
    public nint DataPointer
    {
        get
        {
            nint data;
            Native.OrtGetTensorMutableData(Handle, &data);
            return data;
        }
    }

    /// <summary>One element, in place. Valid as <see cref="AsSpan{T}"/>.</summary>
    /// <param name="location">Its index in each dimension.</param>
    /// <exception cref="OrtArgumentException">The location is outside.</exception>
    public ref T At<T>(params long[] location)
        where T : unmanaged
    {
        CheckType<T>(ElementType);
        CheckOnHost();
        nint element;
        Native.OrtTensorAt(Handle, location, (nuint)location.Length, &element);
        return ref *(T*)element;
    }

#if NET8_0_OR_GREATER
#pragma warning disable SYSLIB5001 // TensorSpan is marked as a preview in its package.
    /// <summary>
    /// The tensor as <c>System.Numerics.Tensors</c> has it. No copy; valid as
    /// <see cref="AsSpan{T}"/>.
    /// </summary>
    public System.Numerics.Tensors.TensorSpan<T> AsTensorSpan<T>()
        where T : unmanaged
    {
        var lengths = Array.ConvertAll(Shape, dimension => (nint)dimension);
        return new System.Numerics.Tensors.TensorSpan<T>(AsSpan<T>(), lengths, default);
    }
#pragma warning restore SYSLIB5001
#endif

    private nint HostData
    {
        get
        {
            CheckOnHost();
            return DataPointer;
        }
    }

    // Where a tensor lies never changes.
    private void CheckOnHost()
    {
        if (_isOnHost)
        {
            return;
        }
        using var memory = MemoryInfo;
        _isOnHost = memory.DeviceType == MemoryInfoDeviceType.Cpu
            || memory.DeviceMemoryType == DeviceMemoryType.HostAccessible;
        if (!_isOnHost)
        {
            throw new OrtArgumentException(
                $"The tensor lies in memory '{memory.Name}' of a device: copy it to one of the "
                + "host first.");
        }
    }

    private int CheckElements<T>()
        where T : unmanaged
    {
        ReadShape(out var type, out var dimensions, out var rank);
        CheckType<T>(type);
        var count = 1L;
        for (var i = 0; i < rank; i++)
        {
            count *= dimensions[i];
        }
        return checked((int)count);
    }

    private static void CheckType<T>(TensorElementType type)
        where T : unmanaged
    {
        if (type != Element<T>.Type)
        {
            throw new OrtArgumentException(
                $"The elements are {type}, not {Element<T>.Type} ({typeof(T).Name}).");
        }
    }

    /// <summary>Elements of a value, and the value.</summary>
    private sealed class NativeMemory<T> : MemoryManager<T>
        where T : unmanaged
    {
        private readonly Value _value;
        private readonly T* _data;
        private readonly int _count;
        private int _pins; // each holds the value

        internal NativeMemory(Value value, T* data, int count)
        {
            _value = value;
            _data = data;
            _count = count;
        }

        public override Span<T> GetSpan() => _value.Handle.IsClosed
            ? throw new ObjectDisposedException(nameof(Value))
            : new Span<T>(_data, _count);

        public override MemoryHandle Pin(int elementIndex = 0)
        {
            if ((uint)elementIndex > (uint)_count)
            {
                throw new ArgumentOutOfRangeException(nameof(elementIndex));
            }
            var held = false;
            _value.Handle.DangerousAddRef(ref held);
            Interlocked.Increment(ref _pins);
            return new MemoryHandle(_data + elementIndex, default, this);
        }

        // There may be more calls than pins: copies of a MemoryHandle each make one.
        public override void Unpin()
        {
            int pins;
            do
            {
                pins = Volatile.Read(ref _pins);
                if (pins == 0)
                {
                    return;
                }
            }
            while (Interlocked.CompareExchange(ref _pins, pins - 1, pins) != pins);
            _value.Handle.DangerousRelease();
        }

        protected override void Dispose(bool disposing)
        {
        }
    }
}
