// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>
/// A stream of a device, for copies and runs that wait for each other there. Processors have none;
/// devices of registered libraries may.
/// </summary>
public sealed class SyncStream : IDisposable
{
    private readonly HashSet<OrtHandle> _kept = [];

    /// <summary>Makes a stream.</summary>
    /// <exception cref="OrtArgumentException">The device has no streams.</exception>
    public SyncStream(EpDevice device, KeyValuePairs? options = null)
    {
        Native.OrtCreateSyncStreamForEpDevice(
            device.Handle, options?.Handle ?? KeyValuePairsHandle.None, out var handle);
        Handle = handle;
    }

    private SyncStream() => Handle = new SyncStreamHandle();

    /// <summary>No stream: work is done when a call returns.</summary>
    public static SyncStream None => new();

    /// <summary>The device's own handle; 0 when there is none.</summary>
    public nint DeviceHandle => Native.OrtSyncStream_GetHandle(Handle);

    internal SyncStreamHandle Handle { get; }

    /// <summary>Keeps what work in the stream looks at until it is done.</summary>
    internal void Keep(OrtHandle needed)
    {
        lock (_kept)
        {
            if (!_kept.Contains(needed))
            {
                Handle.HoldOwner(needed);
                _kept.Add(needed);
            }
        }
    }

    /// <summary>Gives the stream back, when no run options have it any more.</summary>
    public void Dispose() => Handle.Dispose();
}
