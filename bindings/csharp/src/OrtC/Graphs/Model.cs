// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Linq;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>
/// A model made in memory, for <see cref="Session.FromModel"/>,
/// <see cref="ModelCompilationOptions.SetInputModel(Model)"/> and
/// <see cref="Session.ApplyModel"/>.
/// </summary>
public sealed unsafe class Model : IDisposable
{
    /// <summary>Makes a model.</summary>
    /// <param name="graph">
    /// The model takes it over; more may be added to it. Null: set it later.
    /// </param>
    /// <param name="opsets">
    /// The opset of each domain; "" is ONNX's own, without which the model can only be applied to
    /// another one.
    /// </param>
    public Model(Graph? graph, IReadOnlyDictionary<string, int> opsets)
    {
        using var domains = new Utf8Array(opsets.Keys.ToArray());
        Native.OrtCreateModel(
            domains.Pointer, opsets.Values.ToArray(), domains.Count, out var handle);
        Handle = handle;
        try
        {
            if (graph is not null)
            {
                SetGraph(graph);
            }
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>Makes a model that imports ONNX's own operators.</summary>
    /// <param name="graph">The model takes it over.</param>
    /// <param name="opset">Of ONNX's own domain.</param>
    public Model(Graph graph, int opset)
        : this(graph, new Dictionary<string, int> { [""] = opset })
    {
    }

    internal ModelHandle Handle { get; }

    /// <summary>Gives a model without a graph its graph, once.</summary>
    public void SetGraph(Graph graph)
    {
        Native.OrtAddGraphToModel(Handle, graph.Handle);
        graph.Handle.GiveAway(Handle);
    }

    /// <summary>Gives the model back. Sessions made of it stay.</summary>
    public void Dispose() => Handle.Dispose();
}
