// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Linq;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>
/// What a <see cref="Session"/> or a <see cref="ModelCompiler"/> is to do. Options are copied where
/// they are used: changes afterwards change nothing there. One thread at a time may change them.
/// </summary>
public sealed unsafe partial class SessionOptions : IDisposable
{
    /// <summary>Makes options with their defaults.</summary>
    public SessionOptions()
    {
        Native.OrtCreateSessionOptions(out var handle);
        Handle = handle;
    }

    private SessionOptions(SessionOptionsHandle handle) => Handle = handle;

    /// <summary>All config entries that were set.</summary>
    public IReadOnlyDictionary<string, string> ConfigEntries
    {
        get
        {
            Native.OrtGetSessionOptionsConfigEntries(Handle, out var entries);
            using var list = new KeyValuePairs(entries);
            return list.ToDictionary(pair => pair.Key, pair => pair.Value);
        }
    }

    internal SessionOptionsHandle Handle { get; }

    /// <summary>
    /// A config entry: a key of <see cref="SessionConfigKeys"/> or
    /// <c>ep.&lt;provider&gt;.&lt;option&gt;</c>.
    /// </summary>
    /// <exception cref="OrtArgumentException">
    /// When it is set: the key is unknown (the message names the nearest one), or the value is
    /// wrong.
    /// </exception>
    /// <exception cref="KeyNotFoundException">When it is read: it was not set.</exception>
    public string this[string key]
    {
        get => TryGetConfigEntry(key, out var value)
            ? value
            : throw new KeyNotFoundException($"The config entry \"{key}\" was not set.");
        set => Native.OrtAddSessionConfigEntry(
            Handle, NotNull(key), value ?? throw new ArgumentNullException(nameof(value)));
    }

    /// <summary>Looks a config entry up.</summary>
    public bool TryGetConfigEntry(string key, out string value)
    {
        value = string.Empty;
        Native.OrtHasSessionConfigEntry(Handle, NotNull(key), out var there);
        if (there == 0)
        {
            return false;
        }
        nuint size = 0;
        Native.OrtGetSessionConfigEntry(Handle, key, 0, &size);
        var bytes = new byte[checked((int)size)];
        fixed (byte* first = bytes)
        {
            Native.OrtGetSessionConfigEntry(Handle, key, (nint)first, &size);
            value = Utf8.Read((nint)first);
        }
        return true;
    }

    /// <summary>Makes a copy that is independent of the original.</summary>
    public SessionOptions Clone()
    {
        Native.OrtCloneSessionOptions(Handle, out var copy);
        copy.HoldOwner(Handle);
        return new SessionOptions(copy)
        {
            _intraOpNumThreads = _intraOpNumThreads,
            _interOpNumThreads = _interOpNumThreads,
            _graphOptimizationLevel = _graphOptimizationLevel,
            _cpuMemArena = _cpuMemArena,
            _logId = _logId,
            _logSeverity = _logSeverity,
            _logVerbosity = _logVerbosity,
            _optimizedModelPath = _optimizedModelPath,
            _loadProgress = _loadProgress,
            Threads = Threads,
        };
    }

    /// <summary>Gives the options back. What was made with them stays.</summary>
    public void Dispose() => Handle.Dispose();

    private static string NotNull(string text) =>
        text ?? throw new ArgumentNullException("key");
}
