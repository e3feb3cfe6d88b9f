// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Linq;
using OrtC.LowLevel;

namespace OrtC;

// Execution providers. Those added first are asked first; the CPU provider is always there, last.
public sealed unsafe partial class SessionOptions
{
    /// <summary>Adds an execution provider by its name.</summary>
    /// <param name="name">
    /// One of <see cref="OrtLibrary.GetAvailableProviders"/>, or its short form, as "AOT".
    /// </param>
    /// <param name="options">Of the provider; null: none.</param>
    /// <exception cref="OrtArgumentException">
    /// The provider is not here, or refuses an option.
    /// </exception>
    public SessionOptions AppendExecutionProvider(
        string name, IEnumerable<KeyValuePair<string, string>>? options = null)
    {
        var pairs = options?.ToArray() ?? [];
        using var keys = new Utf8Array(Array.ConvertAll(pairs, pair => pair.Key));
        using var values = new Utf8Array(Array.ConvertAll(pairs, pair => pair.Value));
        Native.OrtSessionOptionsAppendExecutionProvider(
            Handle, name ?? throw new ArgumentNullException(nameof(name)), keys.Pointer,
            values.Pointer, keys.Count);
        return this;
    }

    /// <summary>Adds an execution provider by its devices.</summary>
    /// <param name="env">The environment that the devices came from.</param>
    /// <param name="devices">One or more, all of the same provider.</param>
    /// <param name="options">
    /// Of the provider, without prefix; they go before those that a device suggests. Null: none.
    /// </param>
    /// <exception cref="OrtArgumentException">The devices do not fit together.</exception>
    public SessionOptions AppendExecutionProvider(
        Env env,
        IReadOnlyCollection<EpDevice> devices,
        IEnumerable<KeyValuePair<string, string>>? options = null)
    {
        var pairs = options?.ToArray() ?? [];
        using var keys = new Utf8Array(Array.ConvertAll(pairs, pair => pair.Key));
        using var values = new Utf8Array(Array.ConvertAll(pairs, pair => pair.Value));
        using var handles = new HandleArray(devices.Select(device => device.Handle).ToArray());
        Native.OrtSessionOptionsAppendExecutionProvider_V2(
            Handle, env.Handle, handles.Pointer, handles.Count, keys.Pointer, values.Pointer,
            keys.Count);
        return this;
    }

    /// <summary>Makes operators of the program known.</summary>
    /// <param name="operators">May be disposed.</param>
    public SessionOptions RegisterOperators(params CustomOperator[] operators)
    {
        foreach (var one in operators)
        {
            Native.OrtAddCustomOpDomain(Handle, one.Handle);
            Handle.HoldOwner(one.Handle);
        }
        return this;
    }

    /// <summary>
    /// Adds the operators of a shared library that exports RegisterCustomOps. It stays as long as
    /// these options and the sessions that are made with them.
    /// </summary>
    /// <param name="path">The library.</param>
    /// <exception cref="OrtException">It cannot be loaded, or has no such function.</exception>
    public SessionOptions RegisterOperatorLibrary(string path)
    {
        Native.OrtRegisterCustomOpsLibrary_V2(Handle, path);
        return this;
    }

    /// <summary>Does the same with a C function of the program.</summary>
    /// <param name="name">By which the system's loader finds it.</param>
    /// <exception cref="OrtException">There is no such function.</exception>
    public SessionOptions RegisterOperatorFunction(string name)
    {
        Native.OrtRegisterCustomOpsUsingFunction(Handle, name);
        return this;
    }

    /// <summary>
    /// Fails: no operators come with the library beside those that it has anyway.
    /// </summary>
    /// <exception cref="OrtException">Always.</exception>
    public SessionOptions EnableOrtCustomOps()
    {
        Native.OrtEnableOrtCustomOps(Handle);
        return this;
    }

    /// <summary>
    /// Lets the session choose from the devices that are there. Providers that are added by name or
    /// device switch the choice off.
    /// </summary>
    public SessionOptions SetEpSelectionPolicy(DevicePolicy policy)
    {
        Native.OrtSessionOptionsSetEpSelectionPolicy(Handle, policy);
        return this;
    }

    /// <summary>
    /// Has a function choose from the devices that are there: one or more, those that are asked
    /// first in front. It is called for each session and each compile, by the thread that makes it;
    /// what it throws comes out of that call. It takes the place of a policy; providers that are
    /// added by name or device switch the choice off. Null: no function and no policy.
    /// </summary>
    public SessionOptions SetEpSelectionDelegate(EpSelectionDelegate? choose)
    {
        if (choose is null)
        {
            Native.OrtSessionOptionsSetEpSelectionPolicyDelegate(Handle, 0, 0);
            return this;
        }
        var state = new CallbackState(choose);
        Handle.Attach(state);
        Native.OrtSessionOptionsSetEpSelectionPolicyDelegate(
            Handle, EpSelectionCallback.Pointer, state.Pointer);
        return this;
    }

    /// <summary>
    /// Makes sessions and compiles with these options members of a group, when they write a
    /// compiled model. Null: of none any more.
    /// </summary>
    public SessionOptions SetSharingGroup(SharingGroup? group)
    {
        Native.OrtSessionOptionsSetSharingGroup(Handle, group?.Handle ?? SharingGroupHandle.None);
        return this;
    }
}
