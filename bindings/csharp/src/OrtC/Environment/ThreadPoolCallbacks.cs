// SPDX-License-Identifier: MIT
using System;
using System.Runtime.InteropServices;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>
/// Functions that are told about the work of sessions' own threads: about each share of an operator
/// that is divided among threads. Several threads call them at once; what they throw is lost.
/// </summary>
public sealed class ThreadPoolCallbacks
{
    /// <summary>A share is offered; what comes back is handed to the other functions.</summary>
    public Func<object?>? OnEnqueue { get; set; }

    /// <summary>A thread begins with the share.</summary>
    public Action<object?>? OnStartWork { get; set; }

    /// <summary>That thread has ended it.</summary>
    public Action<object?>? OnStopWork { get; set; }

    /// <summary>The share was done before a thread came.</summary>
    public Action<object?>? OnAbandon { get; set; }
}

/// <summary>C's struct OrtThreadPoolCallbacksConfig.</summary>
internal struct ThreadPoolCallbacksConfig
{
    internal const uint OldestVersion = 25;

#pragma warning disable CS0649, IDE0044 // Native code reads the fields.
    internal uint Version;
    internal nint OnEnqueue;
    internal nint OnStartWork;
    internal nint OnStopWork;
    internal nint OnAbandon;
    internal nint UserContext;
#pragma warning restore CS0649, IDE0044
}

/// <summary>Functions that are told about work, as the library sees them.</summary>
internal sealed class ThreadPoolCallbacksState : IDisposable
{
    private static readonly EnqueueDelegate s_enqueue = Enqueue;
    private static readonly HearDelegate s_start = Start;
    private static readonly HearDelegate s_stop = Stop;
    private static readonly HearDelegate s_abandon = Abandon;

    private readonly ThreadPoolCallbacks _callbacks;
    private readonly CallbackState _state;

    internal ThreadPoolCallbacksState(ThreadPoolCallbacks callbacks)
    {
        // As they are now: the program may set others.
        _callbacks = new ThreadPoolCallbacks
        {
            OnEnqueue = callbacks.OnEnqueue,
            OnStartWork = callbacks.OnStartWork,
            OnStopWork = callbacks.OnStopWork,
            OnAbandon = callbacks.OnAbandon,
        };
        _state = new CallbackState(this);
    }

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate nint EnqueueDelegate(nint state);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate void HearDelegate(nint state, nint work);

    internal ThreadPoolCallbacksConfig Config => new()
    {
        Version = ThreadPoolCallbacksConfig.OldestVersion,
        OnEnqueue = Marshal.GetFunctionPointerForDelegate(s_enqueue),
        OnStartWork = Marshal.GetFunctionPointerForDelegate(s_start),
        OnStopWork = Marshal.GetFunctionPointerForDelegate(s_stop),
        OnAbandon = Marshal.GetFunctionPointerForDelegate(s_abandon),
        UserContext = _state.Pointer,
    };

    public void Dispose() => _state.Dispose();

    private static ThreadPoolCallbacks Of(nint state) =>
        CallbackState.Get<ThreadPoolCallbacksState>(state)._callbacks;

    private static nint Enqueue(nint state)
    {
        object? work = null;
        try
        {
            work = Of(state).OnEnqueue?.Invoke();
        }
        catch (Exception)
        {
            // The library has nobody to tell.
        }
        return GCHandle.ToIntPtr(GCHandle.Alloc(work));
    }

    private static void Start(nint state, nint work) => Tell(Of(state).OnStartWork, work);

    private static void Stop(nint state, nint work)
    {
        Tell(Of(state).OnStopWork, work);
        GCHandle.FromIntPtr(work).Free();
    }

    private static void Abandon(nint state, nint work)
    {
        Tell(Of(state).OnAbandon, work);
        GCHandle.FromIntPtr(work).Free();
    }

    private static void Tell(Action<object?>? heard, nint work)
    {
        try
        {
            heard?.Invoke(GCHandle.FromIntPtr(work).Target);
        }
        catch (Exception)
        {
            // As above.
        }
    }
}
