// SPDX-License-Identifier: MIT
using System;
using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;
using System.Threading;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>Settings of the threads that the sessions of an <see cref="Env"/> share.</summary>
public sealed class ThreadingOptions
{
    /// <summary>
    /// Threads that work on one operator, the caller's included. 0: one per core. Null: the
    /// default.
    /// </summary>
    public int? IntraOpNumThreads { get; set; }

    /// <summary>Operators that run at once. Accepted; they run one after the other.</summary>
    public int? InterOpNumThreads { get; set; }

    /// <summary>Whether idle threads wait awake for a short while, as they do by default.</summary>
    public bool AllowSpinning { get; set; } = true;

    /// <summary>
    /// Denormal numbers count as zero, operands and results: in runs of the sessions that use these
    /// threads, on the calling thread too, whose own mode is back when the run has ended.
    /// </summary>
    public bool DenormalAsZero { get; set; }

    /// <summary>
    /// Processors that threads stay on: a group for each thread but the caller's, counted from 1,
    /// as "1,2;3-6" for two. Making the environment fails when the number of groups is not that of
    /// these threads. Where the system refuses, the threads run as it places them, and that is
    /// logged.
    /// </summary>
    public string? IntraOpThreadAffinity { get; set; }

    /// <summary>
    /// Makes the threads, in place of the system. See <see cref="ThreadFactory"/>.
    /// </summary>
    public ThreadFactory? ThreadFactory { get; set; }

    internal ThreadingOptionsHandle Create(out ThreadFactoryState? factory)
    {
        Native.OrtCreateThreadingOptions(out var options);
        factory = null;
        try
        {
            if (IntraOpNumThreads is { } intra)
            {
                Native.OrtSetGlobalIntraOpNumThreads(options, intra);
            }
            if (InterOpNumThreads is { } inter)
            {
                Native.OrtSetGlobalInterOpNumThreads(options, inter);
            }
            Native.OrtSetGlobalSpinControl(options, AllowSpinning ? 1 : 0);
            if (DenormalAsZero)
            {
                Native.OrtSetGlobalDenormalAsZero(options);
            }
            if (IntraOpThreadAffinity is not null)
            {
                Native.OrtSetGlobalIntraOpThreadAffinity(options, IntraOpThreadAffinity);
            }
            if (ThreadFactory is not null)
            {
                factory = new ThreadFactoryState(ThreadFactory);
                Native.OrtSetGlobalCustomCreateThreadFn(options, ThreadFactoryState.CreateFunction);
                Native.OrtSetGlobalCustomThreadCreationOptions(options, factory.Pointer);
                Native.OrtSetGlobalCustomJoinThreadFn(options, ThreadFactoryState.JoinFunction);
            }
            return options;
        }
        catch
        {
            options.Dispose();
            factory?.Dispose();
            throw;
        }
    }
}

/// <summary>
/// Makes a thread that does <paramref name="work"/> and then ends. The thread may be started or
/// not: the library starts it. What the factory throws ends the making of the environment or
/// session. Work that is called again, or when the thread was joined, does nothing.
/// </summary>
public delegate Thread ThreadFactory(ThreadStart work);

/// <summary>A factory of threads as the library sees it.</summary>
internal sealed unsafe class ThreadFactoryState : IDisposable
{
    private static readonly CreateDelegate s_create = OnCreate;
    private static readonly JoinDelegate s_join = OnJoin;

    internal static readonly nint CreateFunction =
        Marshal.GetFunctionPointerForDelegate(s_create);

    internal static readonly nint JoinFunction = Marshal.GetFunctionPointerForDelegate(s_join);

    private readonly ThreadFactory _factory;
    private readonly CallbackState _state;

    /// <summary>
    /// What the factory threw last: the library only hears that there is no thread.
    /// </summary>
    private Exception? _error;

    internal ThreadFactoryState(ThreadFactory factory)
    {
        _factory = factory;
        _state = new CallbackState(this);
    }

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate nint CreateDelegate(nint options, nint worker, nint parameter);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate void JoinDelegate(nint thread);

    internal nint Pointer => _state.Pointer;

    /// <summary>
    /// Before a call that may make threads: what an earlier one left is not why this one fails.
    /// </summary>
    internal void Forget() => Volatile.Write(ref _error, null);

    /// <summary>Throws what the factory threw, when that is why a call failed.</summary>
    internal static void RethrowOriginal(Exception failure, ThreadFactoryState? factory)
    {
        if (failure is IOrtError && factory?.Take() is { } original)
        {
            ExceptionDispatchInfo.Capture(original).Throw();
        }
    }

    public void Dispose() => _state.Dispose();

    private Exception? Take() => Interlocked.Exchange(ref _error, null);

    private static nint OnCreate(nint options, nint worker, nint parameter)
    {
        var self = CallbackState.Get<ThreadFactoryState>(options);
        var work = new ThreadWork(
            () => ((delegate* unmanaged[Cdecl]<nint, void>)worker)(parameter));
        try
        {
            var thread = self._factory(work.Run);
            if ((thread.ThreadState & ThreadState.Unstarted) != 0)
            {
                thread.Start();
            }
            work.Thread = thread;
        }
        catch (Exception exception)
        {
            Volatile.Write(ref self._error, exception);
            if (work.EndUnbegun())
            {
                return 0;
            }
        }
        return GCHandle.ToIntPtr(GCHandle.Alloc(work));
    }

    private static void OnJoin(nint thread)
    {
        var handle = GCHandle.FromIntPtr(thread);
        var work = (ThreadWork)handle.Target!;
        handle.Free();
        work.Thread?.Join();
        work.End();
    }
}

/// <summary>
/// What a thread is to do, once, until the library has joined it: the lock is held meanwhile, and
/// a call that comes later does nothing.
/// </summary>
internal sealed class ThreadWork
{
    private readonly object _lock = new();
    private Action? _work;

    internal ThreadWork(Action work) => _work = work;

    /// <summary>Null when the program gave none, but the work had begun.</summary>
    internal Thread? Thread { get; set; }

    internal void Run()
    {
        lock (_lock)
        {
            var work = _work;
            _work = null;
            work?.Invoke();
        }
    }

    /// <summary>Waits for work that runs; none begins later.</summary>
    internal void End()
    {
        lock (_lock)
        {
            _work = null;
        }
    }

    /// <summary>The same without waiting: false when the work has begun.</summary>
    internal bool EndUnbegun()
    {
        if (!Monitor.TryEnter(_lock))
        {
            return false;
        }
        try
        {
            var isUnbegun = _work is not null;
            _work = null;
            return isUnbegun;
        }
        finally
        {
            Monitor.Exit(_lock);
        }
    }
}
