// SPDX-License-Identifier: MIT
using System;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>
/// A stream of a device, for copies and runs that wait for each other there. The devices of this
/// library are processors and have none; providers of others may.
/// </summary>
public sealed class SyncStream : IDisposable
{
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

    /// <summary>Gives the stream back.</summary>
    public void Dispose() => Handle.Dispose();
}
