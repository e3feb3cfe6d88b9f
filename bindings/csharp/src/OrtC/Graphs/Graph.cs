// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Linq;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>
/// A graph: read-only, as execution providers see it, from a file, or one that is being made for a
/// <see cref="Model"/>. Nodes and values that come from a graph keep it alive. Graphs that were
/// read may be used by several threads at once.
/// </summary>
public sealed unsafe class Graph : IDisposable
{
    private delegate void Counter(GraphHandle graph, out nuint count);

    private delegate void Lister(GraphHandle graph, nint* items, nuint count);

    /// <summary>Makes an empty graph, for a model.</summary>
    public Graph()
    {
        Native.OrtCreateGraph(out var handle);
        Handle = handle;
    }

    internal Graph(GraphHandle handle) => Handle = handle;

    /// <summary>
    /// Its name, empty when it has none. A view of some nodes is called "sub_graph".
    /// </summary>
    public string Name
    {
        get
        {
            using var hold = new Hold(Handle);
            nint text;
            Native.OrtGraph_GetName(Handle, &text);
            return Utf8.Read(text);
        }
    }

    /// <summary>The path of the model file; empty when the model came from memory.</summary>
    public string ModelPath
    {
        get
        {
            using var hold = new Hold(Handle);
            nint text;
            Native.OrtGraph_GetModelPath(Handle, &text);
            return Utf8.Read(text);
        }
    }

    /// <summary>The version of the ONNX format that the model is written in.</summary>
    public long IrVersion
    {
        get
        {
            Native.OrtGraph_GetOnnxIRVersion(Handle, out var version);
            return version;
        }
    }

    /// <summary>The operator sets that the model imports: "" is ONNX's own domain.</summary>
    public IReadOnlyDictionary<string, long> OperatorSets
    {
        get
        {
            using var hold = new Hold(Handle);
            Native.OrtGraph_GetNumOperatorSets(Handle, out var count);
            var domains = new nint[checked((int)count)];
            var versions = new long[domains.Length];
            fixed (nint* first = domains)
            {
                Native.OrtGraph_GetOperatorSets(Handle, first, versions, count);
            }
            return Enumerable.Range(0, versions.Length)
                .ToDictionary(i => Utf8.Read(domains[i]), i => versions[i]);
        }
    }

    /// <summary>The inputs in order, those with an initializer behind them included.</summary>
    public IReadOnlyList<ValueInfo> Inputs =>
        ReadValues(Native.OrtGraph_GetNumInputs, Native.OrtGraph_GetInputs);

    /// <summary>The outputs in order.</summary>
    public IReadOnlyList<ValueInfo> Outputs =>
        ReadValues(Native.OrtGraph_GetNumOutputs, Native.OrtGraph_GetOutputs);

    /// <summary>The graph's own initializers; those of enclosing graphs are listed there.</summary>
    public IReadOnlyList<ValueInfo> Initializers =>
        ReadValues(Native.OrtGraph_GetNumInitializers, Native.OrtGraph_GetInitializers);

    /// <summary>The nodes: those that make a value before those that read it.</summary>
    public IReadOnlyList<Node> Nodes => Array.ConvertAll(
        Read(Native.OrtGraph_GetNumNodes, Native.OrtGraph_GetNodes),
        node => new Node(OrtHandle.Borrow<NodeHandle>(node, Handle)));

    /// <summary>
    /// The node that a sub-graph belongs to; null for a main graph and for a view of some nodes.
    /// </summary>
    public Node? ParentNode
    {
        get
        {
            nint node;
            Native.OrtGraph_GetParentNode(Handle, &node);
            return node == 0 ? null : new Node(OrtHandle.Borrow<NodeHandle>(node, Handle));
        }
    }

    /// <summary>What the model says about itself.</summary>
    public ModelMetadata Metadata
    {
        get
        {
            Native.OrtGraph_GetModelMetadata(Handle, out var metadata);
            using (metadata)
            {
                return new ModelMetadata(metadata);
            }
        }
    }

    internal GraphHandle Handle { get; }

    /// <summary>
    /// Reads a model file and shows its main graph before any optimisation: names resolved, nodes
    /// sorted, local functions inlined, types inferred as far as they can be.
    /// </summary>
    public static Graph Load(Env env, string modelPath)
    {
        Native.OrtLoadGraph(env.Handle, modelPath, out var handle);
        return new Graph(handle);
    }

    /// <summary>As <see cref="Load"/>, for a model in memory, which is copied.</summary>
    public static Graph FromBytes(Env env, ReadOnlySpan<byte> model)
    {
        fixed (byte* first = model)
        {
            Native.OrtLoadGraphFromArray(
                env.Handle, (nint)first, (nuint)model.Length, out var handle);
            return new Graph(handle);
        }
    }

    /// <summary>
    /// Makes a view of some nodes, with the inputs and outputs that they have together. Its nodes
    /// and values are objects of their own with the same ids and names.
    /// </summary>
    /// <param name="nodes">Of this graph, each once, in any order.</param>
    public Graph GetView(IReadOnlyCollection<Node> nodes)
    {
        using var handles = new HandleArray(nodes.Select(node => node.Handle).ToArray());
        Native.OrtGraph_GetGraphView(Handle, handles.Pointer, handles.Count, out var view);
        return new Graph(view);
    }

    /// <summary>Sets the inputs of a graph that is being made; it takes the values over.</summary>
    public Graph SetInputs(params ValueInfo[] inputs)
    {
        SetValues(inputs, (first, count) => Native.OrtSetGraphInputs(Handle, first, count));
        return this;
    }

    /// <summary>Sets the outputs of a graph that is being made; it takes the values over.</summary>
    public Graph SetOutputs(params ValueInfo[] outputs)
    {
        SetValues(outputs, (first, count) => Native.OrtSetGraphOutputs(Handle, first, count));
        return this;
    }

    /// <summary>
    /// Adds an initializer to a graph that is being made. With an input of the same name it is that
    /// input's default.
    /// </summary>
    /// <param name="name">Defined by nothing else in the graph.</param>
    /// <param name="tensor">Taken over: it must not be used or disposed afterwards.</param>
    /// <param name="useMemory">
    /// Whether memory of the program under the tensor is used as it is; else it is copied. Only for
    /// 128 bytes or more.
    /// </param>
    public Graph AddInitializer(string name, Value tensor, bool useMemory = false)
    {
        Native.OrtAddInitializerToGraph(Handle, name, tensor.Handle, useMemory);
        // Memory under the tensor must stay as long as the graph; the value itself is gone for us.
        tensor.Handle.MoveTo(Handle);
        return this;
    }

    /// <summary>Adds a node to a graph that is being made; it takes the node over.</summary>
    public Graph AddNode(Node node)
    {
        Native.OrtAddNodeToGraph(Handle, node.Handle);
        node.Handle.GiveAway(Handle);
        return this;
    }

    /// <summary>
    /// Gives the graph back. What was borrowed from it keeps it until it is collected.
    /// </summary>
    public void Dispose() => Handle.Dispose();

    private void SetValues(ValueInfo[] values, ValueSetter set)
    {
        using var handles = new HandleArray(Array.ConvertAll(values, value => value.Handle));
        set(handles.Pointer, handles.Count);
        foreach (var value in values)
        {
            value.Handle.GiveAway(Handle);
        }
    }

    private delegate void ValueSetter(nint* first, nuint count);

    private ValueInfo[] ReadValues(Counter getCount, Lister list) => Array.ConvertAll(
        Read(getCount, list), value => ValueInfo.Borrow(value, Handle)!);

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
