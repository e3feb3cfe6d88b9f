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
    /// Makes sessions and compiles with these options members of a group, when they write a
    /// compiled model. Null: of none any more.
    /// </summary>
    public SessionOptions SetSharingGroup(SharingGroup? group)
    {
        Native.OrtSessionOptionsSetSharingGroup(Handle, group?.Handle ?? SharingGroupHandle.None);
        return this;
    }
}
