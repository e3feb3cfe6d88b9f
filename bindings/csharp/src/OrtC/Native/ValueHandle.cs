// SPDX-License-Identifier: MIT
using System;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>A native value. Memory that is pinned for it is attached to it.</summary>
internal sealed class ValueHandle : OrtHandle
{
    /// <summary>Smaller values do not weigh enough to tell the collector of them.</summary>
    private const long LeastPressure = 64 * 1024;

    /// <summary>The marshaller makes one for each result.</summary>
    public ValueHandle()
    {
    }

    /// <summary>Wraps a value that is ours from now on.</summary>
    internal ValueHandle(nint value) => SetHandle(value);

    /// <summary>Tells the collector how much native memory hangs on this object.</summary>
    internal void AddPressure(long bytes)
    {
        if (bytes >= LeastPressure)
        {
            Attach(new Pressure(bytes));
        }
    }

    protected override void Free(nint released) => Native.OrtReleaseValue(released);

    private sealed class Pressure : IDisposable
    {
        private readonly long _bytes;

        internal Pressure(long bytes)
        {
            _bytes = bytes;
            GC.AddMemoryPressure(bytes);
        }

        public void Dispose() => GC.RemoveMemoryPressure(_bytes);
    }
}
