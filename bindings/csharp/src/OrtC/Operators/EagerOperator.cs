// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>
/// An operator of ONNX for the use of a kernel of the program, with its attributes. It is made with
/// the kernel; any number of threads may call it.
/// </summary>
public sealed unsafe class EagerOperator : IDisposable
{
    /// <summary>Makes an operator that the library's CPU provider has.</summary>
    /// <param name="info">Of the kernel that calls it.</param>
    /// <param name="name">The operator type.</param>
    /// <param name="version">The opset version whose rules hold.</param>
    /// <param name="inputCount">What each call gives.</param>
    /// <param name="outputCount">What each call takes.</param>
    /// <param name="attributes">Copied; null: none.</param>
    /// <param name="domain">"" is ONNX's own.</param>
    /// <exception cref="OrtNotSupportedException">There is no such operator.</exception>
    public EagerOperator(
        KernelInfo info,
        string name,
        int version,
        int inputCount,
        int outputCount = 1,
        IReadOnlyCollection<OpAttribute>? attributes = null,
        string domain = "")
    {
        using var all = new HandleArray(
            (attributes ?? []).Select(attribute => attribute.Handle).ToArray());
        Native.OrtCreateOp(
            info.Handle, name, domain, version, 0, 0, 0, all.Pointer, (int)all.Count, inputCount,
            outputCount, out var handle);
        Handle = handle;
    }

    internal OpHandle Handle { get; }

    /// <summary>Computes.</summary>
    /// <param name="context">The call of the kernel that this is part of.</param>
    /// <param name="inputs">Null for one that is left out.</param>
    /// <param name="outputs">
    /// Tensors of the right type and shape, which are filled; null for one that is not wanted.
    /// </param>
    /// <exception cref="OrtArgumentException">Values do not fit the operator.</exception>
    public void Invoke(
        KernelContext context, IReadOnlyList<Value?> inputs, IReadOnlyList<Value?> outputs)
    {
        var given = Pointers(inputs);
        var wanted = Pointers(outputs);
        fixed (nint* from = given, to = wanted)
        {
            Native.OrtInvokeOp(
                context.Pointer, Handle, from, inputs.Count, to, outputs.Count);
        }
        GC.KeepAlive(inputs);
        GC.KeepAlive(outputs);
    }

    /// <summary>Gives the operator back.</summary>
    public void Dispose() => Handle.Dispose();

    /// <summary>One more than there are, so that there is an address in any case.</summary>
    private static nint[] Pointers(IReadOnlyList<Value?> values)
    {
        var pointers = new nint[values.Count + 1];
        for (var i = 0; i < values.Count; i++)
        {
            if (values[i] is { } value)
            {
                pointers[i] = value.Handle.IsClosed
                    ? throw new ObjectDisposedException(nameof(Value))
                    : value.Handle.DangerousGetHandle();
            }
        }
        return pointers;
    }
}
