// SPDX-License-Identifier: MIT
using System;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>Hands out native memory. Thread-safe.</summary>
public sealed unsafe class Allocator : IDisposable
{
    internal Allocator(AllocatorHandle handle) => Handle = handle;

    /// <summary>
    /// Makes the allocator of a session for one kind of memory of the CPU;
    /// <see cref="AllocatorType.Arena"/> gives an arena of the session. Blocks are given back
    /// before the allocator.
    /// </summary>
    /// <exception cref="OrtArgumentException">The session does not use such memory.</exception>
    public Allocator(Session session, MemoryInfo memory)
    {
        Native.OrtCreateAllocator(session.Handle, memory.Handle, out var handle);
        Handle = handle;
        // One of the program is the program's to keep: the library keeps only its own.
        Handle.HoldOwner(session.HoldForMemory);
    }

    /// <summary>The library's allocator of the CPU. Blocks are aligned to 64 bytes.</summary>
    public static Allocator Default { get; } = GetDefault();

    /// <summary>The memory it hands out.</summary>
    public MemoryInfo MemoryInfo
    {
        get
        {
            nint info;
            Native.OrtAllocatorGetInfo(Handle, &info);
            return new MemoryInfo(OrtHandle.Borrow<MemoryInfoHandle>(info, Handle));
        }
    }

    internal AllocatorHandle Handle { get; }

    /// <summary>Allocates a block; dispose it to give it back.</summary>
    /// <exception cref="OrtException">There is no memory.</exception>
    public MemoryBlock Allocate(nuint bytes)
    {
        nint block;
        Native.OrtAllocatorAlloc(Handle, bytes, &block);
        return new MemoryBlock(this, block, bytes);
    }

    /// <summary>
    /// Figures, numbers as texts: "InUse", "MaxInUse", "TotalAllocated", "NumAllocs" and more.
    /// Empty for allocators that do not count.
    /// </summary>
    public KeyValuePairs GetStatistics()
    {
        Native.OrtAllocatorGetStats(Handle, out var statistics);
        return new KeyValuePairs(statistics);
    }

    /// <summary>Gives the allocator back. The library's own stays.</summary>
    public void Dispose()
    {
        if (!ReferenceEquals(this, Default))
        {
            Handle.Dispose();
        }
    }

    private static Allocator GetDefault()
    {
        Native.OrtGetAllocatorWithDefaultOptions(out var handle);
        return new Allocator(handle);
    }
}

/// <summary>A block of native memory.</summary>
public sealed unsafe class MemoryBlock : IDisposable
{
    private readonly Allocator _allocator;
    private readonly Hold _hold;

    internal MemoryBlock(Allocator allocator, nint pointer, nuint length)
    {
        _allocator = allocator;
        _hold = new Hold(allocator.Handle);
        Pointer = pointer;
        Length = length;
    }

    /// <summary>Gives a forgotten block back.</summary>
    ~MemoryBlock() => Release();

    /// <summary>The first byte; 0 when the block is disposed or a tensor took it over.</summary>
    public nint Pointer { get; private set; }

    /// <summary>In bytes.</summary>
    public nuint Length { get; }

    /// <summary>The bytes. Valid until the block is disposed or taken over.</summary>
    public Span<byte> Span => Pointer == 0 && Length != 0
        ? throw new ObjectDisposedException(nameof(MemoryBlock))
        : new Span<byte>((void*)Pointer, checked((int)Length));

    /// <summary>Makes a tensor over the block, which the tensor takes over. No copy.</summary>
    /// <exception cref="OrtArgumentException">The block is too small.</exception>
    public Value ToTensor(TensorElementType type, params long[] shape)
    {
        if (Pointer == 0)
        {
            throw new ObjectDisposedException(nameof(MemoryBlock));
        }
        Native.OrtCreateTensorWithDataAndDeleterAsOrtValue(
            _allocator.Handle, Pointer, Length, shape, (nuint)shape.Length, type, out var handle);
        handle.HoldOwner(_allocator.Handle);
        handle.AddPressure((long)Length);
        Forget();
        return new Value(handle);
    }

    /// <summary>Gives the block back.</summary>
    public void Dispose()
    {
        Release();
        GC.SuppressFinalize(this);
    }

    private void Release()
    {
        if (Pointer != 0)
        {
            Native.OrtAllocatorFree(_allocator.Handle, Pointer);
            Forget();
        }
    }

    private void Forget()
    {
        Pointer = 0;
        _hold.Dispose();
    }
}
