// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;

namespace OrtC;

/// <summary>Functions of the program that choose devices.</summary>
internal static unsafe class EpSelectionCallback
{
    private static readonly SelectFunction s_select = OnSelect;

    internal static readonly nint Pointer = Marshal.GetFunctionPointerForDelegate(s_select);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate nint SelectFunction(
        nint* devices, nuint count, nint model, nint runtime, nint* selected, nuint room,
        nuint* selectedCount, nint state);

    private static nint OnSelect(
        nint* devices, nuint count, nint model, nint runtime, nint* selected, nuint room,
        nuint* selectedCount, nint state)
    {
        try
        {
            var env = LiveEnvs.Of(devices[0]) ?? throw new ObjectDisposedException(
                nameof(Env), "The environment was disposed while a session was made.");
            var offered = new EpDevice[checked((int)count)];
            for (var i = 0; i < offered.Length; i++)
            {
                offered[i] = new EpDevice(devices[i], env);
            }
            var chosen = CallbackState.Get<EpSelectionDelegate>(state)(
                new EpSelection(offered, Copy(model), Copy(runtime), checked((int)room)));
            *selectedCount = Select(chosen, selected, room);
            return 0;
        }
        catch (Exception exception)
        {
            return Status.FromException(exception);
        }
    }

    private static nuint Select(IReadOnlyCollection<EpDevice>? chosen, nint* selected, nuint room)
    {
        if (chosen is null || chosen.Contains(null!))
        {
            throw new OrtArgumentException("The choice of devices has a null.");
        }
        if ((nuint)chosen.Count > room)
        {
            throw new OrtArgumentException(
                $"{chosen.Count} devices were chosen, at most {room} may be.");
        }
        nuint count = 0;
        foreach (var device in chosen.Take((int)room))
        {
            selected[count++] = device.Handle.DangerousGetHandle();
        }
        return count;
    }

    /// <summary>The lists of the library end with the call.</summary>
    private static Dictionary<string, string> Copy(nint list)
    {
        using var pairs =
            new KeyValuePairs(OrtHandle.Borrow<KeyValuePairsHandle>(list, null));
        return pairs.ToDictionary(pair => pair.Key, pair => pair.Value);
    }
}
