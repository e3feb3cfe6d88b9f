// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;
using OrtC.LowLevel;

namespace OrtC;

// Runs on a thread of the session.
public sealed partial class Session
{
    /// <summary>
    /// Begins a run and returns at once. It goes on a thread of the session's own pool; a session
    /// with one thread takes one of .NET's. All inputs stay alive and in place until it has ended,
    /// also when they are disposed before.
    /// </summary>
    /// <inheritdoc cref="Run(IReadOnlyDictionary{string, Value}, IEnumerable{string}, RunOptions,
    /// CancellationToken)"/>
    public Task<Outputs> RunAsync(
        IReadOnlyDictionary<string, Value> inputs,
        IEnumerable<string>? outputNames = null,
        RunOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return Task.FromCanceled<Outputs>(cancellationToken);
        }
        var names = outputNames?.ToArray() ?? _outputNames;
        Split(inputs, out var inputNames, out var values);
        var job = new RunJob(this, inputNames, values, names, options, cancellationToken);
        return Finish(job, inputNames, values, names, options, cancellationToken);
    }

    private async Task<Outputs> Finish(
        RunJob job,
        string[] inputNames,
        Value[] inputs,
        string[] names,
        RunOptions? options,
        CancellationToken token)
    {
        if (job.Started)
        {
            return await job.Task.ConfigureAwait(false);
        }
        try
        {
            var values = new Value?[names.Length];
            await Task.Run(() => Run(inputNames, inputs, names, values, options, token), token)
                .ConfigureAwait(false);
            return new Outputs(names, values!);
        }
        finally
        {
            job.Dispose();
        }
    }

    /// <summary>A run that is under way, and everything that it needs.</summary>
    private sealed unsafe class RunJob : IDisposable
    {
        private static readonly DoneFunction s_done = OnDone;
        private static readonly nint s_doneFunction = Marshal.GetFunctionPointerForDelegate(s_done);

        private readonly TaskCompletionSource<Outputs> _source =
            new(TaskCreationOptions.RunContinuationsAsynchronously);

        private readonly Session _session;
        private readonly string[] _names;
        private readonly RunScope _scope;
        private readonly HandleArray _inputs;
        private readonly Hold _hold;
        private readonly nint[] _results;
        private GCHandle _resultsPin;

        internal RunJob(
            Session session,
            string[] inputNames,
            Value[] inputs,
            string[] names,
            RunOptions? options,
            CancellationToken token)
        {
            _session = session;
            _names = names;
            _results = new nint[Math.Max(names.Length, 1)];
            _hold = new Hold(session.Handle);
            try
            {
                _inputs = new HandleArray(Array.ConvertAll(inputs, HandleOf));
                _scope = new RunScope(options, token);
            }
            catch
            {
                _inputs?.Dispose();
                _hold.Dispose();
                throw;
            }
            _resultsPin = GCHandle.Alloc(_results, GCHandleType.Pinned);
            try
            {
                Start(inputNames);
            }
            catch
            {
                Dispose();
                throw;
            }
        }

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate void DoneFunction(nint state, nint outputs, nuint count, nint status);

        /// <summary>False when the session has no thread of its own.</summary>
        internal bool Started { get; private set; }

        internal Task<Outputs> Task => _source.Task;

        public void Dispose()
        {
            _scope.Dispose();
            _inputs.Dispose();
            _resultsPin.Free();
            _hold.Dispose();
        }

        private static SafeHandle HandleOf(Value value) =>
            value?.Handle ?? throw new ArgumentNullException(nameof(value), "An input is null.");

        private void Start(string[] inputNames)
        {
            using var inputs = new Utf8Array(inputNames);
            using var outputs = new Utf8Array(_names);
            var state = new CallbackState(this);
            try
            {
                Native.OrtRunAsync(
                    _session.Handle, _scope.Handle, inputs.Pointer, _inputs.Pointer, inputs.Count,
                    outputs.Pointer, outputs.Count, (nint*)_resultsPin.AddrOfPinnedObject(),
                    s_doneFunction, state.Pointer);
                Started = true;
            }
            catch (OrtArgumentException)
            {
                // What is wrong with names, types and shapes comes through the callback: this is a
                // session without a thread, or a run without outputs, of which Run() will tell.
                state.Dispose();
            }
            catch
            {
                state.Dispose();
                throw;
            }
        }

        private static void OnDone(nint state, nint outputs, nuint count, nint status)
        {
            var self = CallbackState.Get<RunJob>(state);
            CallbackState.Free(state);
            try
            {
                if (status != 0)
                {
                    var failure = Status.ToException(status);
                    var scope = self._scope;
                    failure = Cancellation.Translate(failure, scope.Token, scope.Stopped);
                    self.Dispose();
                    self._source.SetException(failure);
                    return;
                }
                var values = new Value[self._names.Length];
                for (var i = 0; i < values.Length; i++)
                {
                    values[i] = self._session.Result(self._results[i]);
                }
                self.Dispose();
                self._source.SetResult(new Outputs(self._names, values));
            }
            catch (Exception exception)
            {
                self._source.TrySetException(exception);
            }
        }
    }
}
