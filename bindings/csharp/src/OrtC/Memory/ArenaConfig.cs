// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Linq;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>How an arena gets its memory: for <see cref="EnvAllocators"/>.</summary>
public sealed unsafe class ArenaConfig : IDisposable
{
    /// <summary>Describes an arena.</summary>
    /// <param name="maxBytes">The most it may take from the system; 0: no limit.</param>
    /// <param name="extendStrategy">1: as large as needed; 0 and -1: extensions double.</param>
    /// <param name="initialChunkBytes">The first extension; -1: the default.</param>
    /// <param name="maxDeadBytesPerChunk">
    /// A block may be larger than asked for by that much; -1: the default.
    /// </param>
    public ArenaConfig(
        nuint maxBytes, int extendStrategy = -1, int initialChunkBytes = -1,
        int maxDeadBytesPerChunk = -1)
    {
        Native.OrtCreateArenaCfg(
            maxBytes, extendStrategy, initialChunkBytes, maxDeadBytesPerChunk, out var handle);
        Handle = handle;
    }

    /// <summary>
    /// Describes an arena by keys: "max_mem", "arena_extend_strategy", "initial_chunk_size_bytes",
    /// "max_dead_bytes_per_chunk", "initial_growth_chunk_size_bytes",
    /// "max_power_of_two_extend_bytes".
    /// </summary>
    /// <exception cref="OrtArgumentException">A key is unknown.</exception>
    public ArenaConfig(IReadOnlyDictionary<string, nuint> settings)
    {
        using var keys = new Utf8Array(settings.Keys.ToArray());
        Native.OrtCreateArenaCfgV2(
            keys.Pointer, settings.Values.ToArray(), keys.Count, out var handle);
        Handle = handle;
    }

    internal ArenaCfgHandle Handle { get; }

    /// <summary>Gives the description back.</summary>
    public void Dispose() => Handle.Dispose();
}
