// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;
using System.Threading;
using OrtC.LowLevel;

namespace OrtC;

// Runs that the caller waits for.
public sealed unsafe partial class Session
{
    /// <summary>Pointers of a run that fit on the stack.</summary>
    private const int OnStack = 32;

    /// <summary>Runs the model and waits for the result. Thread-safe.</summary>
    /// <param name="inputs">By name, in any order. Never written.</param>
    /// <param name="outputNames">What is wanted; null: all outputs.</param>
    /// <param name="options">Null: the defaults.</param>
    /// <param name="cancellationToken">Stops the run soon, and no other.</param>
    /// <exception cref="OrtArgumentException">
    /// A name, type or shape does not fit; the message has both sides.
    /// </exception>
    /// <exception cref="OperationCanceledException">
    /// The token or <see cref="RunOptions.Terminate"/> stopped the run.
    /// </exception>
    public Outputs Run(
        IReadOnlyDictionary<string, Value> inputs,
        IEnumerable<string>? outputNames = null,
        RunOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        var names = outputNames?.ToArray() ?? _outputNames;
        Split(inputs, out var inputNames, out var inputValues);
        var values = new Value?[names.Length];
        Run(inputNames, inputValues, names, values, options, cancellationToken);
        return new Outputs(names, values!);
    }

    /// <summary>
    /// Runs the model with as little ceremony as there can be: nothing is copied, and the binding
    /// allocates only new results. Thread-safe.
    /// </summary>
    /// <param name="inputNames">Of the inputs.</param>
    /// <param name="inputs">Their values, in the same order.</param>
    /// <param name="outputNames">What is wanted.</param>
    /// <param name="outputs">
    /// As many: null for a new value, which replaces it, or a value of the right type and shape to
    /// fill; its content is undefined after a failure.
    /// </param>
    /// <param name="options">Null: the defaults.</param>
    /// <param name="cancellationToken">Stops the run soon, and no other.</param>
    /// <inheritdoc cref="Run(IReadOnlyDictionary{string, Value}, IEnumerable{string}, RunOptions,
    /// CancellationToken)"/>
    public void Run(
        ReadOnlySpan<string> inputNames,
        ReadOnlySpan<Value> inputs,
        ReadOnlySpan<string> outputNames,
        Span<Value?> outputs,
        RunOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        if (inputNames.Length != inputs.Length || outputNames.Length != outputs.Length)
        {
            throw new ArgumentException("There must be a name for each value.");
        }
        if (!cancellationToken.CanBeCanceled && options is null)
        {
            RunNative(inputNames, inputs, outputNames, outputs, RunOptionsHandle.None);
            return;
        }
        using var scope = new RunScope(options, cancellationToken);
        try
        {
            RunNative(inputNames, inputs, outputNames, outputs, scope.Handle);
        }
        catch (Exception exception)
            when (Cancellation.Stopped(exception, cancellationToken, scope.Stopped))
        {
            throw Cancellation.Translate(exception, cancellationToken, scope.Stopped);
        }
    }

    private static void Split(
        IReadOnlyDictionary<string, Value> inputs, out string[] names, out Value[] values)
    {
        if (inputs is null)
        {
            throw new ArgumentNullException(nameof(inputs));
        }
        names = new string[inputs.Count];
        values = new Value[inputs.Count];
        var i = 0;
        foreach (var input in inputs)
        {
            names[i] = input.Key;
            values[i++] = input.Value;
        }
    }

    private void RunNative(
        ReadOnlySpan<string> inputNames,
        ReadOnlySpan<Value> inputs,
        ReadOnlySpan<string> outputNames,
        Span<Value?> outputs,
        RunOptionsHandle options)
    {
        var count = 2 * (inputs.Length + outputs.Length);
        var pointers = count <= OnStack ? stackalloc nint[OnStack] : new nint[count];
        fixed (nint* first = pointers)
        {
            var values = first + inputs.Length;
            var wanted = values + inputs.Length;
            var results = wanted + outputs.Length;
            var (heldInputs, heldOutputs) = (0, 0);
            List<nint>? temporary = null;
            try
            {
                for (; heldInputs < inputs.Length; heldInputs++)
                {
                    first[heldInputs] = _names.Get(inputNames[heldInputs], ref temporary);
                    values[heldInputs] = Hold(inputs[heldInputs]);
                }
                for (; heldOutputs < outputs.Length; heldOutputs++)
                {
                    wanted[heldOutputs] = _names.Get(outputNames[heldOutputs], ref temporary);
                    results[heldOutputs] = outputs[heldOutputs] is { } value ? Hold(value) : 0;
                }
                Native.OrtRun(
                    Handle, options, first, values, (nuint)inputs.Length, wanted,
                    (nuint)outputs.Length, results);
            }
            catch
            {
                ReleaseAll(inputs, heldInputs, outputs, heldOutputs, temporary);
                throw;
            }
            ReleaseAll(inputs, heldInputs, outputs, heldOutputs, temporary);
            for (var i = 0; i < outputs.Length; i++)
            {
                outputs[i] ??= Result(results[i]);
            }
        }
    }

    /// <summary>Holds a value for the run.</summary>
    private static nint Hold(Value value)
    {
        if (value is null)
        {
            throw new ArgumentNullException(nameof(value), "A value of the run is null.");
        }
        var held = false;
        value.Handle.DangerousAddRef(ref held);
        return value.Handle.DangerousGetHandle();
    }

    private static void ReleaseAll(
        ReadOnlySpan<Value> inputs,
        int heldInputs,
        Span<Value?> outputs,
        int heldOutputs,
        List<nint>? temporary)
    {
        for (var i = 0; i < heldInputs; i++)
        {
            inputs[i].Handle.DangerousRelease();
        }
        for (var i = 0; i < heldOutputs; i++)
        {
            outputs[i]?.Handle.DangerousRelease();
        }
        temporary?.ForEach(Marshal.FreeHGlobal);
    }

    /// <summary>Wraps what a run made.</summary>
    private Value Result(nint result)
    {
        var value = new Value(new ValueHandle(result));
        value.Handle.HoldOwner(HoldForMemory);
        value.TellPressure();
        return value;
    }
}
