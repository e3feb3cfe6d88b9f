// SPDX-License-Identifier: MIT
using System;
using System.Runtime.InteropServices;

namespace OrtC;

/// <summary>One line of the log.</summary>
public readonly struct LogRecord
{
    internal LogRecord(
        LoggingLevel severity, string category, string logId, string codeLocation, string message)
    {
        Severity = severity;
        Category = category;
        LogId = logId;
        CodeLocation = codeLocation;
        Message = message;
    }

    /// <summary>Never below the threshold of the object that speaks.</summary>
    public LoggingLevel Severity { get; }

    /// <summary>The stage of the library, as "context" or "partition".</summary>
    public string Category { get; }

    /// <summary>The log id of the environment, the session or the run.</summary>
    public string LogId { get; }

    /// <summary>File and line inside the library.</summary>
    public string CodeLocation { get; }

    /// <summary>The line, without line end.</summary>
    public string Message { get; }

    /// <summary>The line with its severity and category, as for a console.</summary>
    public override string ToString() => $"{Severity} [{Category}] {Message}";
}

/// <summary>Hands log lines to a delegate. What it throws is lost: a log has no caller.</summary>
internal static class LogCallback
{
    private static readonly Function s_function = OnLine;

    internal static readonly nint Pointer = Marshal.GetFunctionPointerForDelegate(s_function);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate void Function(
        nint state, LoggingLevel severity, nint category, nint logId, nint location, nint message);

    private static void OnLine(
        nint state, LoggingLevel severity, nint category, nint logId, nint location, nint message)
    {
        try
        {
            CallbackState.Get<Action<LogRecord>>(state)(new LogRecord(
                severity, Utf8.Read(category), Utf8.Read(logId), Utf8.Read(location),
                Utf8.Read(message)));
        }
        catch (Exception)
        {
            // Nobody to tell, and native code above us.
        }
    }
}
