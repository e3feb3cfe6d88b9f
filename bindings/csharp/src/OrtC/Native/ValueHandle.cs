// SPDX-License-Identifier: MIT
using System;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>A native value. Memory that is pinned for it is attached to it.</summary>
internal sealed class ValueHandle : OrtHandle
{
    /// <summary>Smaller values do not weigh enough to tell the collector of them.</summary>
    private const long LeastPressure = 64 * 1024;

    private long _pressure;

    /// <summary>The marshaller makes one for each result.</summary>
    public ValueHandle()
    {
    }

    /// <summary>Wraps a value that is ours from now on.</summary>
    internal ValueHandle(nint value) => SetHandle(value);

    /// <summary>Tells the collector how much native memory hangs on this object.</summary>
    internal void AddPressure(long bytes)
    {
        if (bytes >= LeastPressure && _pressure == 0)
        {
            GC.AddMemoryPressure(bytes);
            _pressure = bytes;
        }
    }

    protected override void Free(nint released)
    {
        Native.OrtReleaseValue(released);
        if (_pressure != 0)
        {
            GC.RemoveMemoryPressure(_pressure);
            _pressure = 0;
        }
    }
}
