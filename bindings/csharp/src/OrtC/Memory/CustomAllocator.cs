// SPDX-License-Identifier: MIT
using System;
using System.Runtime.InteropServices;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>
/// An allocator of the program, for <see cref="EnvAllocators"/> and for tensors. Its
/// functions are called from any thread, several at once. It lives until everything that uses it is
/// gone, also when it is disposed before.
/// </summary>
public abstract class CustomAllocator : IDisposable
{
    /// <summary>Makes an allocator for memory of the CPU.</summary>
    protected CustomAllocator() => Allocator = new Allocator(CustomAllocatorTable.Create(this));

    /// <summary>What takes part in calls.</summary>
    public Allocator Allocator { get; }

    /// <summary>
    /// Gives at least <paramref name="bytes"/> bytes, aligned to 64; 0 when there are none. What it
    /// throws counts as no memory, and is the inner exception of the failure.
    /// </summary>
    protected abstract nint Allocate(nuint bytes);

    /// <summary>Takes a block back. Must not throw.</summary>
    protected abstract void Free(nint block);

    internal nint AllocateFor(nuint bytes) => Allocate(bytes);

    internal void FreeFor(nint block) => Free(block);

    /// <summary>Gives the allocator back when nothing uses it any more.</summary>
    public void Dispose()
    {
        Allocator.Dispose();
        GC.SuppressFinalize(this);
    }
}

/// <summary>C's struct OrtAllocator, and after it what only we read.</summary>
internal unsafe struct CustomAllocatorTable
{
    /// <summary>The interface without Reserve and what came after it.</summary>
    private const uint InterfaceVersion = 17;

    private static readonly AllocateFunction s_allocate = OnAllocate;
    private static readonly FreeFunction s_free = OnFree;
    private static readonly InfoFunction s_info = OnInfo;

#pragma warning disable CS0414, CS0169, IDE0051 // Native code reads the fields.
    private nint _version;
    private nint _allocate;
    private nint _free;
    private nint _info;
    private fixed long _younger[4];
    private nint _state;
    private nint _memory;
#pragma warning restore CS0414, CS0169, IDE0051

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate nint AllocateFunction(CustomAllocatorTable* self, nuint size);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate void FreeFunction(CustomAllocatorTable* self, nint block);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate nint InfoFunction(CustomAllocatorTable* self);

    internal static AllocatorHandle Create(CustomAllocator allocator)
    {
        var table = (CustomAllocatorTable*)Marshal.AllocHGlobal(sizeof(CustomAllocatorTable));
        var state = new CallbackState(allocator);
        *table = default;
        table->_version = (nint)InterfaceVersion;
        table->_allocate = Marshal.GetFunctionPointerForDelegate(s_allocate);
        table->_free = Marshal.GetFunctionPointerForDelegate(s_free);
        table->_info = Marshal.GetFunctionPointerForDelegate(s_info);
        table->_state = state.Pointer;
        table->_memory = MemoryInfo.Cpu.Handle.DangerousGetHandle();
        var handle = OrtHandle.Borrow<AllocatorHandle>((nint)table, MemoryInfo.Cpu.Handle);
        handle.Attach(new Table(table, state));
        return handle;
    }

    private static nint OnAllocate(CustomAllocatorTable* self, nuint size)
    {
        try
        {
            return CallbackState.Get<CustomAllocator>(self->_state).AllocateFor(size);
        }
        catch (Exception exception)
        {
            CallbackErrors.LeaveForThisThread(exception);
            return 0;
        }
    }

    private static void OnFree(CustomAllocatorTable* self, nint block)
    {
        try
        {
            if (block != 0)
            {
                CallbackState.Get<CustomAllocator>(self->_state).FreeFor(block);
            }
        }
        catch (Exception)
        {
            // Free has no way to fail; it is documented not to throw.
        }
    }

    private static nint OnInfo(CustomAllocatorTable* self) => self->_memory;

    private sealed class Table : IDisposable
    {
        private readonly CustomAllocatorTable* _table;
        private readonly CallbackState _state;

        internal Table(CustomAllocatorTable* table, CallbackState state)
        {
            _table = table;
            _state = state;
        }

        public void Dispose()
        {
            _state.Dispose();
            Marshal.FreeHGlobal((nint)_table);
        }
    }
}
