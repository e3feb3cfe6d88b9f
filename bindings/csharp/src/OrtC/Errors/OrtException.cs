// SPDX-License-Identifier: MIT
using System;
using System.IO;

namespace OrtC;

/// <summary>
/// The library could not do what it was asked for, for a reason that .NET has no exception of its
/// own for.
/// </summary>
public sealed class OrtException : Exception, IOrtError
{
    /// <summary>Makes an exception; the binding does, from a status.</summary>
    public OrtException(ErrorCode code, string message, Exception? innerException = null)
        : base(message, innerException) => Code = code;

    /// <inheritdoc/>
    public ErrorCode Code { get; }
}

/// <summary>Something that was passed is wrong: <see cref="ErrorCode.InvalidArgument"/>.</summary>
public sealed class OrtArgumentException : ArgumentException, IOrtError
{
    /// <inheritdoc cref="OrtException(ErrorCode, string, Exception)"/>
    public OrtArgumentException(string message, Exception? innerException = null)
        : base(message, innerException)
    {
    }

    /// <inheritdoc/>
    public ErrorCode Code => ErrorCode.InvalidArgument;
}

/// <summary>A model file is not there: <see cref="ErrorCode.NoSuchFile"/>.</summary>
public sealed class OrtFileNotFoundException : FileNotFoundException, IOrtError
{
    /// <inheritdoc cref="OrtException(ErrorCode, string, Exception)"/>
    public OrtFileNotFoundException(string message, Exception? innerException = null)
        : base(message, innerException)
    {
    }

    /// <inheritdoc/>
    public ErrorCode Code => ErrorCode.NoSuchFile;
}

/// <summary>
/// Understood, but the library cannot do it: <see cref="ErrorCode.NotImplemented"/>.
/// </summary>
public sealed class OrtNotSupportedException : NotSupportedException, IOrtError
{
    /// <inheritdoc cref="OrtException(ErrorCode, string, Exception)"/>
    public OrtNotSupportedException(string message, Exception? innerException = null)
        : base(message, innerException)
    {
    }

    /// <inheritdoc/>
    public ErrorCode Code => ErrorCode.NotImplemented;
}

/// <summary>
/// A run, a load or a compile was stopped on request: by a
/// <see cref="System.Threading.CancellationToken"/>, by <see cref="RunOptions.Terminate"/>, by
/// <see cref="ModelCompiler.Cancel"/> or by a deadline.
/// </summary>
public sealed class OrtCanceledException : OperationCanceledException, IOrtError
{
    /// <summary>Makes an exception; the binding does, from a status.</summary>
    public OrtCanceledException(
        ErrorCode code,
        string message,
        Exception? innerException = null,
        System.Threading.CancellationToken cancellationToken = default)
        : base(message, innerException, cancellationToken) => Code = code;

    /// <inheritdoc/>
    public ErrorCode Code { get; }
}
