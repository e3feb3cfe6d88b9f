// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace OrtC;

/// <summary>An array of native objects for a call, each held until it is done.</summary>
internal sealed unsafe class HandleArray : IDisposable
{
    private readonly SafeHandle?[] _handles;
    private readonly GCHandle _pin;
    private readonly nint[] _pointers;
    private int _held;

    internal HandleArray(IReadOnlyCollection<SafeHandle> handles)
    {
        _handles = new SafeHandle?[handles.Count];
        _pointers = new nint[Math.Max(handles.Count, 1)];
        try
        {
            foreach (var handle in handles)
            {
                var held = false;
                handle.DangerousAddRef(ref held);
                _handles[_held] = handle;
                _pointers[_held++] = handle.DangerousGetHandle();
            }
        }
        catch
        {
            ReleaseAll();
            throw;
        }
        _pin = GCHandle.Alloc(_pointers, GCHandleType.Pinned);
    }

    internal nuint Count => (nuint)_held;

    internal nint* Pointer => (nint*)_pin.AddrOfPinnedObject();

    public void Dispose()
    {
        ReleaseAll();
        if (_pin.IsAllocated)
        {
            _pin.Free();
        }
    }

    private void ReleaseAll()
    {
        for (; _held > 0; _held--)
        {
            _handles[_held - 1]!.DangerousRelease();
        }
    }
}
