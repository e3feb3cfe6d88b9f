// SPDX-License-Identifier: MIT
using System;
using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>Statuses: what the library returns, and what callbacks return to it.</summary>
internal static class Status
{
    /// <summary>Ends a status. NULL is success.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void ThrowIfFailed(nint status)
    {
        if (status != 0)
        {
            Throw(status);
        }
    }

    /// <summary>Makes the exception that a status stands for, and ends the status.</summary>
    internal static Exception ToException(nint status)
    {
        ErrorCode code;
        string message;
        try
        {
            code = Native.OrtGetErrorCode(status);
            message = Native.OrtGetErrorMessage(status) ?? string.Empty;
        }
        finally
        {
            Native.OrtReleaseStatus(status);
        }
        var original = CallbackErrors.Take(ref message, out var first)
            ?? CallbackErrors.TakeOfThisThread();
        return first ? original! : Create(code, message, original);
    }

    /// <summary>The exception of .NET that fits a code best.</summary>
    internal static Exception Create(ErrorCode code, string message, Exception? inner = null) =>
        code switch
        {
            ErrorCode.InvalidArgument => new OrtArgumentException(message, inner),
            ErrorCode.NoSuchFile => new OrtFileNotFoundException(message, inner),
            ErrorCode.NotImplemented => new OrtNotSupportedException(message, inner),
            ErrorCode.ModelLoadCanceled => new OrtCanceledException(code, message, inner),
            _ => new OrtException(code, message, inner),
        };

    /// <summary>
    /// What a callback returns for an exception. The exception itself waits for whoever gets the
    /// status: see <see cref="CallbackErrors"/>.
    /// </summary>
    internal static nint FromException(Exception exception)
    {
        var code = exception switch
        {
            IOrtError error => error.Code,
            OperationCanceledException => ErrorCode.ModelLoadCanceled,
            ArgumentException => ErrorCode.InvalidArgument,
            NotSupportedException => ErrorCode.NotImplemented,
            _ => ErrorCode.Fail,
        };
        return FromCode(code, CallbackErrors.Keep(exception));
    }

    internal static nint FromCode(ErrorCode code, string message) =>
        Native.OrtCreateStatus(code, message.Replace('\0', ' '));

    private static void Throw(nint status) =>
        ExceptionDispatchInfo.Capture(ToException(status)).Throw();
}
