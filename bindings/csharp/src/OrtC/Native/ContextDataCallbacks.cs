// SPDX-License-Identifier: MIT
using System;
using System.Runtime.InteropServices;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>Functions of the program that read and write context binaries.</summary>
internal static unsafe class ContextDataCallbacks
{
    private static readonly ReadFunction s_read = OnRead;
    private static readonly WriteFunction s_write = OnWrite;

    internal static readonly nint Read = Marshal.GetFunctionPointerForDelegate(s_read);
    internal static readonly nint Write = Marshal.GetFunctionPointerForDelegate(s_write);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate nint ReadFunction(
        nint state, nint name, nint allocator, nint* buffer, nuint* size);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate nint WriteFunction(nint state, nint name, nint buffer, nuint size);

    private static nint OnRead(nint state, nint name, nint allocator, nint* buffer, nuint* size)
    {
        try
        {
            var data = CallbackState.Get<ContextDataReader>(state)(Utf8.Read(name));
            using var from = OrtHandle.Borrow<AllocatorHandle>(allocator, null);
            nint block;
            Native.OrtAllocatorAlloc(from, (nuint)data.Length, &block);
            data.Span.CopyTo(new Span<byte>((void*)block, data.Length));
            *buffer = block;
            *size = (nuint)data.Length;
            return 0;
        }
        catch (Exception exception)
        {
            return Status.FromException(exception);
        }
    }

    private static nint OnWrite(nint state, nint name, nint buffer, nuint size)
    {
        try
        {
            CallbackState.Get<ContextDataWriter>(state)(
                Utf8.Read(name), new ReadOnlySpan<byte>((void*)buffer, checked((int)size)));
            return 0;
        }
        catch (Exception exception)
        {
            return Status.FromException(exception);
        }
    }
}
