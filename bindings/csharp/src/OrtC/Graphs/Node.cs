// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Linq;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>A node of a graph, or one that is made for a graph.</summary>
public sealed unsafe class Node : IDisposable
{
    private delegate void Counter(NodeHandle node, out nuint count);

    private delegate void Lister(NodeHandle node, nint* items, nuint count);

    private delegate void TextGetter(NodeHandle node, nint* text);

    /// <summary>Makes a node, for <see cref="Graph.AddNode"/>.</summary>
    /// <param name="operatorType">The operator, as "Add".</param>
    /// <param name="inputs">Names of values; "" for one that is left out.</param>
    /// <param name="outputs">Names of values; "" for one that is left out.</param>
    /// <param name="attributes">
    /// The node takes them over: they cannot be used any more. Null: none.
    /// </param>
    /// <param name="domain">"" is ONNX's own.</param>
    /// <param name="name">May be empty.</param>
    public Node(
        string operatorType,
        IReadOnlyCollection<string> inputs,
        IReadOnlyCollection<string> outputs,
        IReadOnlyCollection<OpAttribute>? attributes = null,
        string domain = "",
        string name = "")
    {
        var owned = attributes?.Select(attribute => attribute.Handle).ToArray() ?? [];
        using var inputNames = new Utf8Array(inputs);
        using var outputNames = new Utf8Array(outputs);
        using var handles = new HandleArray(owned);
        Native.OrtCreateNode(
            operatorType, domain, name, inputNames.Pointer, inputNames.Count, outputNames.Pointer,
            outputNames.Count, handles.Pointer, handles.Count, out var handle);
        Handle = handle;
        foreach (var attribute in owned)
        {
            attribute.MoveTo(handle);
        }
    }

    internal Node(NodeHandle handle) => Handle = handle;

    /// <summary>Unique in its graph, the same in every view of the graph.</summary>
    public nuint Id
    {
        get
        {
            Native.OrtNode_GetId(Handle, out var id);
            return id;
        }
    }

    /// <summary>May be empty, and need not be unique.</summary>
    public string Name => ReadText(Native.OrtNode_GetName);

    /// <summary>The operator, as "Conv".</summary>
    public string OperatorType => ReadText(Native.OrtNode_GetOperatorType);

    /// <summary>The operator's domain; "" is ONNX's own.</summary>
    public string Domain => ReadText(Native.OrtNode_GetDomain);

    /// <summary>
    /// The execution provider that the node was given to; empty in a graph that was only loaded.
    /// </summary>
    public string EpName => ReadText(Native.OrtNode_GetEpName);

    /// <summary>
    /// The opset version in which the operator took this form; -1 when it is not known.
    /// </summary>
    public int SinceVersion
    {
        get
        {
            Native.OrtNode_GetSinceVersion(Handle, out var version);
            return version;
        }
    }

    /// <summary>The inputs in order; null for one that is left out.</summary>
    public IReadOnlyList<ValueInfo?> Inputs =>
        ReadValues(Native.OrtNode_GetNumInputs, Native.OrtNode_GetInputs);

    /// <summary>The outputs in order; null for one that is left out.</summary>
    public IReadOnlyList<ValueInfo?> Outputs =>
        ReadValues(Native.OrtNode_GetNumOutputs, Native.OrtNode_GetOutputs);

    /// <summary>The values of the node's graph that its sub-graphs read, each once.</summary>
    public IReadOnlyList<ValueInfo?> ImplicitInputs =>
        ReadValues(Native.OrtNode_GetNumImplicitInputs, Native.OrtNode_GetImplicitInputs);

    /// <summary>
    /// The attributes that the model gives the node; defaults of the operator are not filled in.
    /// </summary>
    public IReadOnlyList<OpAttribute> Attributes => Array.ConvertAll(
        Read(Native.OrtNode_GetNumAttributes, Native.OrtNode_GetAttributes),
        attribute => new OpAttribute(OrtHandle.Borrow<OpAttrHandle>(attribute, Handle)));

    /// <summary>The graph that the node was found in.</summary>
    public Graph Graph
    {
        get
        {
            nint graph;
            Native.OrtNode_GetGraph(Handle, &graph);
            return new Graph(OrtHandle.Borrow<GraphHandle>(graph, Handle));
        }
    }

    internal NodeHandle Handle { get; }

    /// <summary>
    /// Finds an attribute. Null when the operator has such an attribute and the model leaves it
    /// out.
    /// </summary>
    /// <exception cref="OrtException">The operator has no such attribute.</exception>
    public OpAttribute? GetAttribute(string name)
    {
        nint attribute;
        Native.OrtNode_GetAttributeByName(Handle, name, &attribute);
        return attribute == 0
            ? null
            : new OpAttribute(OrtHandle.Borrow<OpAttrHandle>(attribute, Handle));
    }

    /// <summary>The sub-graphs, by the attributes that hold them, as "then_branch".</summary>
    public IReadOnlyDictionary<string, Graph> GetSubgraphs()
    {
        using var hold = new Hold(Handle);
        Native.OrtNode_GetNumSubgraphs(Handle, out var count);
        var graphs = new nint[checked((int)count)];
        var names = new nint[graphs.Length];
        fixed (nint* firstGraph = graphs, firstName = names)
        {
            Native.OrtNode_GetSubgraphs(Handle, firstGraph, count, firstName);
        }
        return Enumerable.Range(0, graphs.Length).ToDictionary(
            i => Utf8.Read(names[i]),
            i => new Graph(OrtHandle.Borrow<GraphHandle>(graphs[i], Handle)));
    }

    /// <inheritdoc/>
    public override string ToString() =>
        Name.Length == 0 ? OperatorType : $"{OperatorType} \"{Name}\"";

    /// <summary>Gives back a node that was made; one of a graph stays there.</summary>
    public void Dispose() => Handle.Dispose();

    private string ReadText(TextGetter get)
    {
        using var hold = new Hold(Handle);
        nint text;
        get(Handle, &text);
        return Utf8.Read(text);
    }

    private ValueInfo?[] ReadValues(Counter getCount, Lister list) => Array.ConvertAll(
        Read(getCount, list), value => ValueInfo.Borrow(value, Handle));

    private nint[] Read(Counter getCount, Lister list)
    {
        getCount(Handle, out var count);
        var items = new nint[checked((int)count)];
        fixed (nint* first = items)
        {
            list(Handle, first, count);
        }
        return items;
    }
}
