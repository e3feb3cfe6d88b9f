// SPDX-License-Identifier: MIT
using System;
using System.Runtime.InteropServices;
using System.Threading;

namespace OrtC;

/// <summary>
/// Hears how far a compile, a load or an edit has come, and stops it when a token says so or when
/// the program's function throws.
/// </summary>
internal sealed class ProgressCallback
{
    private static readonly ProgressFunction s_hear = OnProgress;
    private static readonly ReleaseFunction s_release = CallbackState.Free;

    internal static readonly nint Pointer = Marshal.GetFunctionPointerForDelegate(s_hear);

    /// <summary>Ends a state that was given together with it.</summary>
    internal static readonly nint Release = Marshal.GetFunctionPointerForDelegate(s_release);

    private readonly Action<string, string, double>? _hear;
    private readonly CancellationToken _token;

    internal ProgressCallback(Action<string, string, double>? hear, CancellationToken token)
    {
        _hear = hear;
        _token = token;
    }

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate nint ProgressFunction(nint state, nint stage, nint detail, double fraction);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate void ReleaseFunction(nint state);

    /// <summary>
    /// Gives a call the function and a state that lives until the library releases it.
    /// </summary>
    internal static void Set(
        Action<string, string, double>? hear,
        CancellationToken token,
        Action<nint, nint, nint> call)
    {
        var state = new CallbackState(new ProgressCallback(hear, token));
        try
        {
            call(Pointer, state.Pointer, Release);
        }
        catch
        {
            state.Dispose();
            throw;
        }
    }

    private static nint OnProgress(nint state, nint stage, nint detail, double fraction)
    {
        try
        {
            var self = CallbackState.Get<ProgressCallback>(state);
            if (self._token.IsCancellationRequested)
            {
                return Status.FromCode(ErrorCode.ModelLoadCanceled, "The program cancelled.");
            }
            self._hear?.Invoke(Utf8.Read(stage), Utf8.Read(detail), fraction);
            return 0;
        }
        catch (Exception exception)
        {
            return Status.FromException(exception);
        }
    }
}
