// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>
/// The environments that live. The library shows devices to callbacks without their environment.
/// </summary>
internal static unsafe class LiveEnvs
{
    private static readonly List<WeakReference<EnvHandle>> s_live = new();

    internal static void Add(EnvHandle env)
    {
        lock (s_live)
        {
            s_live.RemoveAll(reference => !reference.TryGetTarget(out _));
            s_live.Add(new WeakReference<EnvHandle>(env));
        }
    }

    /// <summary>The environment that has a device; null when it was disposed.</summary>
    internal static EnvHandle? Of(nint device)
    {
        WeakReference<EnvHandle>[] live;
        lock (s_live)
        {
            live = s_live.ToArray();
        }
        foreach (var reference in live)
        {
            if (reference.TryGetTarget(out var env) && Has(env, device))
            {
                return env;
            }
        }
        return null;
    }

    private static bool Has(EnvHandle env, nint device)
    {
        nint devices;
        nuint count;
        try
        {
            Native.OrtGetEpDevices(env, &devices, out count);
        }
        catch (ObjectDisposedException)
        {
            return false;
        }
        foreach (nint one in new ReadOnlySpan<nint>((void*)devices, checked((int)count)))
        {
            if (one == device)
            {
                return true;
            }
        }
        return false;
    }
}
