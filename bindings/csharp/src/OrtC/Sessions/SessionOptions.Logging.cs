// SPDX-License-Identifier: MIT
using System;
using OrtC.LowLevel;

namespace OrtC;

// What sessions say, and who hears it. Without these a session logs as its environment does.
public sealed unsafe partial class SessionOptions
{
    private string? _logId;
    private LoggingLevel? _logSeverity;
    private int _logVerbosity;
    private Action<LoadProgress>? _loadProgress;

    /// <summary>The log id of the session's lines; null: it was not set.</summary>
    public string? LogId
    {
        get => _logId;
        set
        {
            Native.OrtSetSessionLogId(Handle, value);
            _logId = value;
        }
    }

    /// <summary>Milder lines of the session are dropped; null: it was not set.</summary>
    public LoggingLevel? LogSeverity
    {
        get => _logSeverity;
        set
        {
            Native.OrtSetSessionLogSeverityLevel(
                Handle, (int)(value ?? throw new ArgumentNullException(nameof(value))));
            _logSeverity = value;
        }
    }

    /// <summary>How much detail lines of severity Verbose have; 0 is the least.</summary>
    public int LogVerbosity
    {
        get => _logVerbosity;
        set
        {
            Native.OrtSetSessionLogVerbosityLevel(Handle, value);
            _logVerbosity = value;
        }
    }

    /// <summary>
    /// Hears how far the making of a session has come, from the thread that works. What it throws
    /// ends the load and comes out of the constructor. With
    /// <see cref="SessionConfigKeys.ContextResidency"/> "prefetch" it goes on hearing from a thread
    /// of the session, until "done". Null: nobody.
    /// </summary>
    public Action<LoadProgress>? LoadProgress
    {
        get => _loadProgress;
        set
        {
            if (value is null)
            {
                Native.OrtSessionOptionsSetLoadProgress(Handle, 0, 0, 0);
            }
            else
            {
                SetLoadProgress(Handle, value, default);
            }
            _loadProgress = value;
        }
    }

    /// <summary>
    /// Hands the session's log lines to a function: from any thread, several at once. What it
    /// throws is lost.
    /// </summary>
    public SessionOptions SetLogger(Action<LogRecord> logger)
    {
        var state = new CallbackState(logger ?? throw new ArgumentNullException(nameof(logger)));
        Handle.Attach(state);
        Native.OrtSetUserLoggingFunction(Handle, LogCallback.Pointer, state.Pointer);
        return this;
    }

    /// <summary>
    /// Stops the making of all sessions with these options and copies of them, now and until it is
    /// cleared. Thread-safe, also while sessions are made. For one session give its constructor a
    /// <see cref="System.Threading.CancellationToken"/>.
    /// </summary>
    public void CancelLoads(bool cancel = true) =>
        Native.OrtSessionOptionsSetLoadCancellationFlag(Handle, cancel);

    /// <summary>Options of one load, which a token stops.</summary>
    internal SessionOptions ForLoad(System.Threading.CancellationToken token)
    {
        var copy = Clone();
        try
        {
            SetLoadProgress(copy.Handle, _loadProgress, token);
            return copy;
        }
        catch
        {
            copy.Dispose();
            throw;
        }
    }

    private static void SetLoadProgress(
        SessionOptionsHandle handle,
        Action<LoadProgress>? hear,
        System.Threading.CancellationToken token) =>
        ProgressCallback.Set(
            hear is null
                ? null
                : (stage, detail, fraction) => hear(new LoadProgress(stage, detail, fraction)),
            token,
            (function, state, release) =>
                Native.OrtSessionOptionsSetLoadProgress(handle, function, state, release));
}

/// <summary>How far the making of a session has come.</summary>
public readonly struct LoadProgress
{
    internal LoadProgress(string stage, string detail, double fraction)
    {
        Stage = stage;
        Detail = detail;
        Fraction = fraction;
    }

    /// <summary>The stage at work, as "load", "optimise", "populate"; at the end "done".</summary>
    public string Stage { get; }

    /// <summary>What it works on, as a file's name; may be empty.</summary>
    public string Detail { get; }

    /// <summary>Of the whole work, from 0 to 1; never less than before.</summary>
    public double Fraction { get; }

    /// <inheritdoc/>
    public override string ToString() => $"{Fraction:P0} {Stage} {Detail}";
}
