// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Threading;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>
/// Inputs and outputs of a session tied to values once, for any number of runs. Results go straight
/// into bound values. One binding serves one run at a time; several bindings of one session may run
/// at once, also with the same input.
/// </summary>
public sealed unsafe class IoBinding : IDisposable
{
    private readonly Session _session;
    private readonly Bound _inputs = new();
    private readonly Bound _outputs = new();

    /// <summary>Makes a binding without values.</summary>
    public IoBinding(Session session)
    {
        _session = session ?? throw new ArgumentNullException(nameof(session));
        Native.OrtCreateIoBinding(session.Handle, out var handle);
        Handle = handle;
        Handle.HoldOwner(session.HoldForMemory);
        Handle.Attach(_inputs);
        Handle.Attach(_outputs);
    }

    internal IoBindingHandle Handle { get; }

    /// <summary>Ties an input to a value, in place of an earlier one.</summary>
    /// <param name="name">An input or an overridable initializer.</param>
    /// <param name="value">May be disposed: the binding keeps it.</param>
    /// <exception cref="OrtException">The model has no such input.</exception>
    public IoBinding BindInput(string name, Value value)
    {
        var hold = new Hold(value.Handle);
        try
        {
            Native.OrtBindInput(Handle, name, value.Handle);
        }
        catch
        {
            hold.Dispose();
            throw;
        }
        _inputs.Replace(name, hold);
        return this;
    }

    /// <summary>Ties an output to a value that each run fills.</summary>
    /// <param name="name">A wrong one is found by the run.</param>
    /// <param name="value">A tensor of the type and shape of the result. May be disposed.</param>
    public IoBinding BindOutput(string name, Value value)
    {
        var hold = new Hold(value.Handle);
        try
        {
            Native.OrtBindOutput(Handle, name, value.Handle);
        }
        catch
        {
            hold.Dispose();
            throw;
        }
        _outputs.Replace(name, hold);
        return this;
    }

    /// <summary>
    /// Asks for an output whose shape is not known before; each run makes a new value for it.
    /// </summary>
    /// <param name="name">A wrong one is found by the run.</param>
    /// <param name="memory">Where the result should be; null: memory of the CPU.</param>
    public IoBinding BindOutput(string name, MemoryInfo? memory = null)
    {
        Native.OrtBindOutputToDevice(Handle, name, (memory ?? MemoryInfo.Cpu).Handle);
        _outputs.Replace(name, null);
        return this;
    }

    /// <summary>Runs the model once with what is bound, and waits for the result.</summary>
    /// <inheritdoc cref="Session.Run(IReadOnlyDictionary{string, Value}, IEnumerable{string},
    /// RunOptions, CancellationToken)"/>
    public void Run(RunOptions? options = null, CancellationToken cancellationToken = default)
    {
        using var scope = new RunScope(options, cancellationToken);
        try
        {
            Native.OrtRunWithBinding(_session.Handle, scope.Handle, Handle);
        }
        catch (Exception exception)
            when (Cancellation.Stopped(exception, cancellationToken, scope.Stopped))
        {
            throw Cancellation.Translate(exception, cancellationToken, scope.Stopped);
        }
    }

    /// <summary>
    /// The bound outputs by name, in the order in which they were bound: new values over the same
    /// contents. Dispose them.
    /// </summary>
    public Outputs GetOutputs()
    {
        nint values;
        var names = GetOutputNames();
        Native.OrtGetBoundOutputValues(Handle, Allocator.Default.Handle, &values, out var count);
        var result = new Value[checked((int)count)];
        for (var i = 0; i < result.Length; i++)
        {
            var handle = new ValueHandle(((nint*)values)[i]);
            handle.HoldOwner(_session.HoldForMemory);
            handle.HoldOwner(_outputs.Find(names[i]));
            result[i] = new Value(handle);
        }
        Text.Free(values);
        return new Outputs(names, result);
    }

    /// <summary>The names of bound outputs, in the order in which they were bound.</summary>
    public string[] GetOutputNames()
    {
        nint text, lengths;
        Native.OrtGetBoundOutputNames(
            Handle, Allocator.Default.Handle, &text, &lengths, out var count);
        var names = new string[checked((int)count)];
        var next = text;
        for (var i = 0; i < names.Length; i++)
        {
            var length = checked((int)((nuint*)lengths)[i]);
            names[i] = Utf8.Read(next, length);
            next += length;
        }
        Text.Free(text);
        Text.Free(lengths);
        return names;
    }

    /// <summary>Unties all inputs.</summary>
    public void ClearInputs()
    {
        Native.OrtClearBoundInputs(Handle);
        _inputs.Dispose();
    }

    /// <summary>Unties all outputs.</summary>
    public void ClearOutputs()
    {
        Native.OrtClearBoundOutputs(Handle);
        _outputs.Dispose();
    }

    /// <summary>
    /// Waits until inputs are where the run needs them. On the CPU they always are.
    /// </summary>
    public void SynchronizeInputs() => Native.OrtSynchronizeBoundInputs(Handle);

    /// <summary>Waits until outputs are where they should be. On the CPU they always are.</summary>
    public void SynchronizeOutputs() => Native.OrtSynchronizeBoundOutputs(Handle);

    /// <summary>Gives the binding back. No run may be using it.</summary>
    public void Dispose() => Handle.Dispose();

    /// <summary>
    /// What is bound, by name. It belongs to the native binding, which holds pointers to it: also
    /// the collector, which ends one that was forgotten, gives it back.
    /// </summary>
    private sealed class Bound : IDisposable
    {
        private readonly Dictionary<string, Hold?> _holds = [];

        /// <summary>Null when the run makes the value.</summary>
        internal SafeHandle? Find(string name) =>
            _holds.TryGetValue(name, out var hold) ? hold?.Handle : null;

        internal void Replace(string name, Hold? hold)
        {
            if (_holds.TryGetValue(name, out var earlier))
            {
                earlier?.Dispose();
            }
            _holds[name] = hold;
        }

        /// <summary>Unties all; others may be bound afterwards.</summary>
        public void Dispose()
        {
            foreach (var hold in _holds.Values)
            {
                hold?.Dispose();
            }
            _holds.Clear();
        }
    }
}
