// SPDX-License-Identifier: MIT
using System;
using System.Runtime.InteropServices;
using System.Threading;

namespace OrtC;

/// <summary>
/// A native object. The marshaller holds it for the length of each call, so that no thread can
/// release what another one uses. A borrowed object holds its owner until it is collected itself.
/// </summary>
internal abstract class OrtHandle : SafeHandle
{
    private IDisposable? _attached;
    private bool _borrowed;
    private OrtHandle? _owner; // whom it is borrowed from, or was given to

    protected OrtHandle()
        : base(default, ownsHandle: true)
    {
    }

    public override bool IsInvalid => handle == default;

    /// <summary>Calls the release function of the object.</summary>
    protected abstract void Free(nint released);

    /// <summary>Wraps a pointer that lives as long as <paramref name="owner"/>.</summary>
    internal static T Borrow<T>(nint pointer, SafeHandle? owner)
        where T : OrtHandle, new()
    {
        var borrowed = new T { _borrowed = true, _owner = owner as OrtHandle };
        borrowed.HoldOwner(owner);
        borrowed.SetHandle(pointer);
        return borrowed;
    }

    /// <summary>Wraps a pointer that is ours from now on.</summary>
    internal static T Own<T>(nint pointer)
        where T : OrtHandle, new()
    {
        var owned = new T();
        owned.SetHandle(pointer);
        return owned;
    }

    /// <summary>Gives something back when this object has ended.</summary>
    internal void Attach(IDisposable attached)
    {
        IDisposable? before, after;
        do
        {
            before = _attached;
            after = before is null ? attached : new Pair(before, attached);
        }
        while (Interlocked.CompareExchange(ref _attached, after, before) != before);
    }

    /// <summary>Keeps another object alive as long as this one.</summary>
    internal void HoldOwner(SafeHandle? owner)
    {
        if (owner is not null)
        {
            Attach(new Hold(owner));
        }
    }

    /// <summary>
    /// The object belongs to another one from now on, and so does what is attached. It may be used
    /// further.
    /// </summary>
    internal void GiveAway(OrtHandle owner)
    {
        MoveAttached(owner);
        HoldOwner(owner);
        _owner = owner;
        _borrowed = true;
    }

    /// <summary>
    /// Another object took this one over, and with it what is attached; it cannot be used any more.
    /// </summary>
    internal void MoveTo(OrtHandle owner)
    {
        MoveAttached(owner);
        _borrowed = true;
        Dispose();
    }

    protected sealed override bool ReleaseHandle()
    {
        if (!_borrowed)
        {
            Free(handle);
        }
        _attached?.Dispose();
        _attached = null;
        return true;
    }

    // To the one that owns all the others: it ends last.
    private void MoveAttached(OrtHandle owner)
    {
        while (owner._owner is { } further)
        {
            owner = further;
        }
        if (_attached is not null)
        {
            owner.Attach(_attached);
        }
        _attached = null;
    }

    private sealed class Pair : IDisposable
    {
        private readonly IDisposable _first;
        private readonly IDisposable _second;

        internal Pair(IDisposable first, IDisposable second) =>
            (_first, _second) = (first, second);

        public void Dispose()
        {
            _second.Dispose();
            _first.Dispose();
        }
    }
}

/// <summary>One more reference on a native object, until it is disposed.</summary>
internal sealed class Hold : IDisposable
{
    private bool _held;

    internal Hold(SafeHandle handle)
    {
        handle.DangerousAddRef(ref _held);
        Handle = handle;
    }

    internal SafeHandle Handle { get; }

    public void Dispose()
    {
        if (_held)
        {
            _held = false;
            Handle.DangerousRelease();
        }
    }
}

/// <summary>The state of a callback: an object that native code knows by a number.</summary>
internal sealed class CallbackState : IDisposable
{
    private GCHandle _handle;

    internal CallbackState(object target) => _handle = GCHandle.Alloc(target);

    internal nint Pointer => GCHandle.ToIntPtr(_handle);

    internal static T Get<T>(nint state)
        where T : class =>
        (T)GCHandle.FromIntPtr(state).Target!;

    /// <summary>For states that the library gives back through a release function.</summary>
    internal static void Free(nint state) => GCHandle.FromIntPtr(state).Free();

    public void Dispose()
    {
        if (_handle.IsAllocated)
        {
            _handle.Free();
        }
    }
}
