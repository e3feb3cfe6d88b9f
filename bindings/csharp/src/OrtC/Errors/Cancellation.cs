// SPDX-License-Identifier: MIT
using System;
using System.Threading;

namespace OrtC;

/// <summary>Tells failures that are the wish of the program from others.</summary>
internal static class Cancellation
{
    /// <summary>The failure of something that a token stopped, or the failure itself.</summary>
    internal static Exception Translate(Exception failure, CancellationToken token, bool stopped) =>
        (stopped || token.IsCancellationRequested)
            && failure is IOrtError { Code: ErrorCode.Fail or ErrorCode.ModelLoadCanceled } error
            ? new OrtCanceledException(error.Code, error.Message, failure, token)
            : failure;

    internal static bool Stopped(
        Exception failure, CancellationToken token, bool stopped = false) =>
        !ReferenceEquals(Translate(failure, token, stopped), failure);
}
