// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Linq;
using OrtC.LowLevel;

namespace OrtC;

// What a session tells about itself, and what can still be set.
public sealed unsafe partial class Session
{
    private delegate void PointersGetter(SessionHandle session, nint* pointers, nuint count);

    /// <summary>What the model says about itself.</summary>
    public ModelMetadata Metadata
    {
        get
        {
            Native.OrtSessionGetModelMetadata(Handle, out var metadata);
            using (metadata)
            {
                return new ModelMetadata(metadata);
            }
        }
    }

    /// <summary>
    /// When the profile began, in nanoseconds since 1970; the times in its file count from then. 0
    /// without a profile.
    /// </summary>
    public ulong ProfilingStartTimeNs
    {
        get
        {
            Native.OrtSessionGetProfilingStartTimeNs(Handle, out var time);
            return time;
        }
    }

    /// <summary>
    /// Where the load time went, nodes per execution provider, and memory at this moment.
    /// </summary>
    public Report GetReport()
    {
        nint text;
        Native.OrtSession_GetReportJson(Handle, Allocator.Default.Handle, &text);
        return new Report(Text.Take(text));
    }

    /// <summary>Where the memory of the session is, by page, as the system sees it.</summary>
    /// <exception cref="OrtNotSupportedException">The system does not tell.</exception>
    public Report GetMemoryReport()
    {
        nint text;
        Native.OrtSession_GetMemoryReportJson(Handle, Allocator.Default.Handle, &text);
        return new Report(Text.Take(text));
    }

    /// <summary>
    /// Ends the profile and writes its file, a Chrome trace in JSON. Gives its name, empty when
    /// there was no profile or it has ended.
    /// </summary>
    public string EndProfiling()
    {
        nint text;
        Native.OrtSessionEndProfiling(Handle, Allocator.Default.Handle, &text);
        return Text.Take(text);
    }

    /// <summary>
    /// Ends a graph that a provider has captured in a run, so that the next run captures it again.
    /// Does nothing when no provider of the session captures graphs.
    /// </summary>
    /// <param name="graphAnnotationId">
    /// What runs have as their entry "gpu_graph_id"; 0 for runs without.
    /// </param>
    public void ReleaseCapturedGraph(int graphAnnotationId = 0) =>
        Native.OrtSessionReleaseCapturedGraph(Handle, graphAnnotationId);

    /// <summary>In which memory a run wants each input.</summary>
    public IReadOnlyList<MemoryInfo> GetInputMemory() =>
        ReadMemory(Native.OrtSessionGetMemoryInfoForInputs, Inputs.Count);

    /// <summary>In which memory a run leaves each output.</summary>
    public IReadOnlyList<MemoryInfo> GetOutputMemory() =>
        ReadMemory(Native.OrtSessionGetMemoryInfoForOutputs, Outputs.Count);

    /// <summary>On which device each input is read; null for one that no node reads.</summary>
    public IReadOnlyList<EpDevice?> GetInputDevices() =>
        ReadDevices(Native.OrtSessionGetEpDeviceForInputs, Inputs.Count);

    /// <summary>On which device each output is made; null where there is none.</summary>
    public IReadOnlyList<EpDevice?> GetOutputDevices() =>
        ReadDevices(Native.OrtSessionGetEpDeviceForOutputs, Outputs.Count);

    /// <summary>Changes options of execution providers while the session lives.</summary>
    /// <param name="options">Keys of <see cref="DynamicOptionKeys"/>.</param>
    public void SetDynamicOptions(IEnumerable<KeyValuePair<string, string>> options)
    {
        var pairs = options.ToArray();
        using var keys = new Utf8Array(Array.ConvertAll(pairs, pair => pair.Key));
        using var values = new Utf8Array(Array.ConvertAll(pairs, pair => pair.Value));
        Native.OrtSetEpDynamicOptions(Handle, keys.Pointer, values.Pointer, keys.Count);
    }

    /// <summary>
    /// Which execution provider runs which nodes. For sessions made with
    /// <see cref="SessionConfigKeys.RecordEpGraphAssignmentInfo"/> "1".
    /// </summary>
    /// <exception cref="OrtException">It was not recorded.</exception>
    public IReadOnlyList<EpAssignedSubgraph> GetEpAssignment()
    {
        nint parts;
        Native.OrtSession_GetEpGraphAssignmentInfo(Handle, &parts, out var count);
        var result = new EpAssignedSubgraph[checked((int)count)];
        for (var i = 0; i < result.Length; i++)
        {
            result[i] = new EpAssignedSubgraph(((nint*)parts)[i]);
        }
        GC.KeepAlive(this);
        return result;
    }

    /// <summary>The opset of a domain that the model imports; "" is ONNX's own.</summary>
    /// <exception cref="OrtException">The model does not import it.</exception>
    public int GetOpset(string domain)
    {
        Native.OrtSessionGetOpsetForDomain(Handle, domain, out var opset);
        return opset;
    }

    private MemoryInfo[] ReadMemory(PointersGetter get, int count) =>
        Array.ConvertAll(ReadPointers(get, count), info =>
            new MemoryInfo(OrtHandle.Borrow<MemoryInfoHandle>(info, null)));

    private EpDevice?[] ReadDevices(PointersGetter get, int count) =>
        Array.ConvertAll(ReadPointers(get, count), device =>
            device == 0 ? null : new EpDevice(device, Handle));

    private nint[] ReadPointers(PointersGetter get, int count)
    {
        var pointers = new nint[count];
        fixed (nint* first = pointers)
        {
            get(Handle, first, (nuint)count);
        }
        return pointers;
    }
}

/// <summary>A part of a model and the execution provider that runs it.</summary>
public sealed unsafe class EpAssignedSubgraph
{
    internal EpAssignedSubgraph(nint part)
    {
        nint name, nodes;
        Native.OrtEpAssignedSubgraph_GetEpName(part, &name);
        EpName = Utf8.Read(name);
        Native.OrtEpAssignedSubgraph_GetNodes(part, &nodes, out var count);
        var result = new EpAssignedNode[checked((int)count)];
        for (var i = 0; i < result.Length; i++)
        {
            result[i] = new EpAssignedNode(((nint*)nodes)[i]);
        }
        Nodes = result;
    }

    /// <summary>The execution provider.</summary>
    public string EpName { get; }

    /// <summary>The nodes, as the optimised model has them.</summary>
    public IReadOnlyList<EpAssignedNode> Nodes { get; }
}

/// <summary>A node that was given to an execution provider.</summary>
public sealed unsafe class EpAssignedNode
{
    internal EpAssignedNode(nint node)
    {
        nint text;
        Native.OrtEpAssignedNode_GetName(node, &text);
        Name = Utf8.Read(text);
        Native.OrtEpAssignedNode_GetDomain(node, &text);
        Domain = Utf8.Read(text);
        Native.OrtEpAssignedNode_GetOperatorType(node, &text);
        OperatorType = Utf8.Read(text);
    }

    /// <summary>May be empty.</summary>
    public string Name { get; }

    /// <summary>Of the operator; empty for ONNX's own.</summary>
    public string Domain { get; }

    /// <summary>The operator.</summary>
    public string OperatorType { get; }
}
