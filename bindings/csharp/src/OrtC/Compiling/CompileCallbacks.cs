// SPDX-License-Identifier: MIT
using System;
using System.Runtime.InteropServices;

namespace OrtC;

/// <summary>Functions of the program that a compile calls.</summary>
internal static unsafe class CompileCallbacks
{
    private static readonly WriteFunction s_write = OnWrite;
    private static readonly LocateFunction s_locate = OnLocate;

    internal static readonly nint WriteModel = Marshal.GetFunctionPointerForDelegate(s_write);
    internal static readonly nint Locate = Marshal.GetFunctionPointerForDelegate(s_locate);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate nint WriteFunction(nint state, nint buffer, nuint size);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate nint LocateFunction(
        nint state, nint name, nint value, nint current, nint* location);

    private static nint OnWrite(nint state, nint buffer, nuint size)
    {
        try
        {
            CallbackState.Get<ModelWriter>(state)(
                new ReadOnlySpan<byte>((void*)buffer, checked((int)size)));
            return 0;
        }
        catch (Exception exception)
        {
            return Status.FromException(exception);
        }
    }

    private static nint OnLocate(
        nint state, nint name, nint value, nint current, nint* location)
    {
        try
        {
            // Both are the library's and end with the call; a value that is kept is closed by then.
            using var borrowed = new Value(OrtHandle.Borrow<ValueHandle>(value, null));
            using var info = current == 0
                ? null
                : OrtHandle.Borrow<ExternalInitializerInfoHandle>(current, null);
            var place = CallbackState.Get<InitializerLocator>(state)(
                Utf8.Read(name), borrowed,
                info is null ? null : ExternalInitializerInfo.Read(info));
            if (place is not null)
            {
                *location = place.Create();
            }
            return 0;
        }
        catch (Exception exception)
        {
            return Status.FromException(exception);
        }
    }
}
