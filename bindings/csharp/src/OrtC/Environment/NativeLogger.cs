// SPDX-License-Identifier: MIT
using OrtC.LowLevel;

namespace OrtC;

/// <summary>
/// A logger that the library hands to an execution provider of the program: an <c>OrtLogger*</c>.
/// </summary>
public readonly struct NativeLogger
{
    private readonly nint _logger;

    /// <summary>Wraps a pointer, which is borrowed.</summary>
    public NativeLogger(nint logger) => _logger = logger;

    /// <summary>Milder lines are dropped.</summary>
    /// <exception cref="OrtArgumentException">There is no logger.</exception>
    public LoggingLevel Severity
    {
        get
        {
            Native.OrtLogger_GetLoggingSeverityLevel(_logger, out var severity);
            return severity;
        }
    }

    /// <summary>Writes a line.</summary>
    /// <param name="severity">The line is dropped when it is milder than the logger's.</param>
    /// <param name="message">Without line end.</param>
    /// <param name="file">Where the line comes from; the compiler fills it in.</param>
    /// <param name="line">In that file.</param>
    /// <param name="function">The function.</param>
    /// <exception cref="OrtArgumentException">There is no logger.</exception>
    public void Log(
        LoggingLevel severity,
        string message,
        [System.Runtime.CompilerServices.CallerFilePath] string file = "",
        [System.Runtime.CompilerServices.CallerLineNumber] int line = 0,
        [System.Runtime.CompilerServices.CallerMemberName] string function = "") =>
        Native.OrtLogger_LogMessage(_logger, severity, message, file, line, function);
}
