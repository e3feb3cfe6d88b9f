// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Threading;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>
/// What runs are to do. One object may serve several runs, also at once, as long as no one changes
/// it; only <see cref="Terminate"/> and <see cref="Reset"/> may come at any time.
/// </summary>
public sealed unsafe class RunOptions : IDisposable
{
    /// <summary>What was set, by what it is, to be set again for a copy.</summary>
    private readonly Dictionary<string, Action<RunOptionsHandle>> _settings = [];

    private readonly HashSet<RunOptionsHandle> _copies = [];
    private bool _terminated;

    /// <summary>Makes options with their defaults.</summary>
    public RunOptions()
    {
        Native.OrtCreateRunOptions(out var handle);
        Handle = handle;
    }

    /// <summary>Stands in the log lines of the run; may be empty.</summary>
    public string RunTag
    {
        get
        {
            using var hold = new Hold(Handle);
            nint tag;
            Native.OrtRunOptionsGetRunTag(Handle, &tag);
            return Utf8.Read(tag);
        }
        set => Set("tag", handle => Native.OrtRunOptionsSetRunTag(handle, value));
    }

    /// <summary>
    /// Milder lines of the run are dropped. Null: the session's severity applies.
    /// </summary>
    public LoggingLevel? LogSeverity
    {
        get
        {
            Native.OrtRunOptionsGetRunLogSeverityLevel(Handle, out var level);
            return level < 0 ? null : (LoggingLevel)level;
        }
        set
        {
            var level = (int)(value ?? throw new ArgumentNullException(nameof(value)));
            Set("severity", handle =>
                Native.OrtRunOptionsSetRunLogSeverityLevel(handle, level));
        }
    }

    /// <summary>How much detail lines of severity Verbose have; 0 is the least.</summary>
    public int LogVerbosity
    {
        get
        {
            Native.OrtRunOptionsGetRunLogVerbosityLevel(Handle, out var level);
            return level;
        }
        set => Set("verbosity", handle =>
            Native.OrtRunOptionsSetRunLogVerbosityLevel(handle, value));
    }

    internal RunOptionsHandle Handle { get; }

    /// <summary>Whether <see cref="Terminate"/> was called and not taken back.</summary>
    internal bool IsTerminated => Volatile.Read(ref _terminated);

    /// <summary>A config entry of the run: a key of <see cref="RunConfigKeys"/>.</summary>
    /// <exception cref="OrtArgumentException">
    /// When it is set: the key is unknown or the value wrong.
    /// </exception>
    /// <exception cref="KeyNotFoundException">When it is read: it was not set.</exception>
    public string this[string key]
    {
        get => Native.OrtGetRunConfigEntry(
                Handle, key ?? throw new ArgumentNullException(nameof(key)))
            ?? throw new KeyNotFoundException($"The config entry \"{key}\" was not set.");
        set => Set("config " + key, handle => Native.OrtAddRunConfigEntry(handle, key, value));
    }

    /// <summary>
    /// Makes a profile of each run in a file of its own. Its name begins with the prefix; date,
    /// time and ".json" follow.
    /// </summary>
    public RunOptions EnableProfiling(string filePrefix)
    {
        Set("profiling", handle => Native.OrtRunOptionsEnableProfiling(handle, filePrefix));
        return this;
    }

    /// <summary>Makes no profiles of runs. That is the default.</summary>
    public RunOptions DisableProfiling()
    {
        Set("profiling", Native.OrtRunOptionsDisableProfiling);
        return this;
    }

    /// <summary>
    /// Makes runs feed the parameters of an adapter to the inputs of their names. Several may be
    /// active at once.
    /// </summary>
    public RunOptions AddLoraAdapter(LoraAdapter adapter)
    {
        Set("adapter " + _settings.Count, handle =>
            Native.OrtRunOptionsAddActiveLoraAdapter(handle, adapter.Handle));
        Handle.HoldOwner(adapter.Handle);
        return this;
    }

    /// <summary>
    /// Has the work of runs on a device go to a stream, which the options keep. Processors have
    /// none.
    /// </summary>
    public RunOptions SetSyncStream(SyncStream stream)
    {
        Set("stream", handle => Native.OrtRunOptionsSetSyncStream(handle, stream.Handle));
        Handle.HoldOwner(stream.Handle);
        return this;
    }

    /// <summary>
    /// Stops every run that uses these options, now and until <see cref="Reset"/>. It ends soon,
    /// not at once, with <see cref="OrtCanceledException"/>. Thread-safe.
    /// </summary>
    public void Terminate()
    {
        lock (_copies)
        {
            Volatile.Write(ref _terminated, true);
            Native.OrtRunOptionsSetTerminate(Handle);
            foreach (var copy in _copies)
            {
                Native.OrtRunOptionsSetTerminate(copy);
            }
        }
    }

    /// <summary>
    /// Lets runs use the options again after <see cref="Terminate"/>. Thread-safe.
    /// </summary>
    public void Reset()
    {
        lock (_copies)
        {
            Volatile.Write(ref _terminated, false);
            Native.OrtRunOptionsUnsetTerminate(Handle);
        }
    }

    /// <summary>Gives the options back.</summary>
    public void Dispose() => Handle.Dispose();

    /// <summary>
    /// Options for one run, which a token may stop without stopping others; also stopped by
    /// <see cref="Terminate"/> of the original.
    /// </summary>
    internal RunOptionsHandle CopyForRun()
    {
        Native.OrtCreateRunOptions(out var copy);
        try
        {
            copy.HoldOwner(Handle);
            foreach (var setting in _settings.Values)
            {
                setting(copy);
            }
            lock (_copies)
            {
                if (_terminated)
                {
                    Native.OrtRunOptionsSetTerminate(copy);
                }
                _copies.Add(copy);
            }
            return copy;
        }
        catch
        {
            copy.Dispose();
            throw;
        }
    }

    internal void EndOfRun(RunOptionsHandle copy)
    {
        lock (_copies)
        {
            _copies.Remove(copy);
        }
    }

    private void Set(string what, Action<RunOptionsHandle> setting)
    {
        setting(Handle);
        _settings[what] = setting;
    }
}

/// <summary>Options of one run and the token that may stop it.</summary>
internal sealed class RunScope : IDisposable
{
    private readonly RunOptions? _options;
    private readonly CancellationTokenRegistration _registration;

    /// <summary>The program may dispose its options before a run in the background ends.</summary>
    private readonly Hold? _hold;
    private readonly bool _own;

    internal RunScope(RunOptions? options, CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        _options = options;
        Token = token;
        _own = token.CanBeCanceled;
        if (!_own)
        {
            _hold = options is null ? null : new Hold(options.Handle);
            Handle = options?.Handle ?? RunOptionsHandle.None;
            return;
        }
        if (options is null)
        {
            Native.OrtCreateRunOptions(out var handle);
            Handle = handle;
        }
        else
        {
            Handle = options.CopyForRun();
        }
        _registration = token.Register(
            state => Native.OrtRunOptionsSetTerminate((RunOptionsHandle)state!), Handle);
    }

    internal RunOptionsHandle Handle { get; }

    internal CancellationToken Token { get; }

    internal bool Stopped => _options?.IsTerminated == true;

    public void Dispose()
    {
        _hold?.Dispose();
        if (_own)
        {
            _registration.Dispose();
            _options?.EndOfRun(Handle);
            Handle.Dispose();
        }
    }
}
