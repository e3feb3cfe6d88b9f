// SPDX-License-Identifier: MIT
using System;
using System.Threading;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>
/// Several models, compiled into one context binary that holds equal weights once. N models make N
/// + 1 files, all in one folder; they appear together at <see cref="Commit"/>. Thread-safe.
/// </summary>
public sealed unsafe class SharingGroup : IDisposable
{
    /// <summary>Makes a group without members.</summary>
    /// <param name="env">May be disposed before the group.</param>
    public SharingGroup(Env env)
    {
        Native.OrtCreateSharingGroup(
            (env ?? throw new ArgumentNullException(nameof(env))).Handle, out var handle);
        Handle = handle;
        Handle.HoldOwner(env.Handle);
    }

    internal SharingGroupHandle Handle { get; }

    /// <summary>
    /// Compiles a model as a member; its files appear at the commit. A model that fails fails the
    /// group. A <see cref="ModelCompiler"/> with
    /// <see cref="SessionOptions.SetSharingGroup"/> makes a member with progress and a deadline.
    /// </summary>
    /// <param name="options">Of the member.</param>
    /// <param name="cancellationToken">
    /// Gives the group up while the member is compiled: it fails when it turns to the group again,
    /// and so do others.
    /// </param>
    /// <exception cref="OperationCanceledException">The token.</exception>
    /// <exception cref="OrtException">The group was published or given up before.</exception>
    public void Add(
        ModelCompilationOptions options, CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        // Functions that write the model are called until the group is published.
        Handle.HoldOwner(options.Handle);
        using var registration = cancellationToken.Register(
            state => Native.OrtSharingGroup_Abort((SharingGroupHandle)state!), Handle);
        try
        {
            Native.OrtSharingGroup_Add(Handle, options.Handle);
        }
        catch (Exception exception) when (Cancellation.Stopped(exception, cancellationToken))
        {
            throw Cancellation.Translate(exception, cancellationToken, false);
        }
        if (cancellationToken.IsCancellationRequested)
        {
            // It came too late for this member, not for the group.
            Abort();
            throw new OperationCanceledException(cancellationToken);
        }
    }

    /// <summary>Publishes the files of all members, or none.</summary>
    /// <exception cref="OrtException">
    /// A member is being compiled, the group has ended (the message says why), or a file cannot be
    /// written.
    /// </exception>
    public void Commit() => Native.OrtSharingGroup_Commit(Handle);

    /// <summary>
    /// Gives the group up: nothing is written. Does nothing once it is published.
    /// </summary>
    public void Abort() => Native.OrtSharingGroup_Abort(Handle);

    /// <summary>
    /// The group's state and members, the files that were written, bytes of all tensors and of
    /// those stored.
    /// </summary>
    public Report GetReport()
    {
        nint text;
        Native.OrtSharingGroup_GetReportJson(Handle, Allocator.Default.Handle, &text);
        return new Report(Text.Take(text));
    }

    /// <summary>Gives the group back. One that was not published is given up.</summary>
    public void Dispose() => Handle.Dispose();
}
