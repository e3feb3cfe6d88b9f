// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>
/// A value in a graph: its name and type, who makes and who reads it, and the initializer behind
/// it.
/// </summary>
public sealed unsafe class ValueInfo : IDisposable
{
    private delegate void Question(ValueInfoHandle value, out bool answer);

    /// <summary>
    /// Makes a value, for the inputs and outputs of a graph that is being made.
    /// </summary>
    /// <param name="name">Not empty.</param>
    /// <param name="type">Of a tensor.</param>
    public ValueInfo(string name, TypeInfo type)
    {
        using var native = type.Create();
        Native.OrtCreateValueInfo(name, native, out var handle);
        Handle = handle;
    }

    private ValueInfo(ValueInfoHandle handle) => Handle = handle;

    /// <summary>The name.</summary>
    public string Name
    {
        get
        {
            using var hold = new Hold(Handle);
            nint text;
            Native.OrtGetValueInfoName(Handle, &text);
            return Utf8.Read(text);
        }
    }

    /// <summary>The type: of the model and as inferred.</summary>
    public TypeInfo Type
    {
        get
        {
            nint type;
            Native.OrtGetValueInfoTypeInfo(Handle, &type);
            using var borrowed = OrtHandle.Borrow<TypeInfoHandle>(type, Handle);
            return TypeInfo.Read(borrowed);
        }
    }

    /// <summary>
    /// The node of the view that makes the value, and which of its outputs it is; null for an
    /// input, an initializer and a value from the outer scope.
    /// </summary>
    public (Node Node, int Output)? Producer
    {
        get
        {
            nint node;
            Native.OrtValueInfo_GetValueProducer(Handle, &node, out var output);
            return node == 0
                ? null
                : (new Node(OrtHandle.Borrow<NodeHandle>(node, Handle)), checked((int)output));
        }
    }

    /// <summary>
    /// The places where nodes of the view read the value: the node, and which of its inputs, -1
    /// where its sub-graphs do.
    /// </summary>
    public IReadOnlyList<(Node Node, int Input)> Consumers
    {
        get
        {
            Native.OrtValueInfo_GetValueNumConsumers(Handle, out var count);
            var nodes = new nint[checked((int)count)];
            var inputs = new long[nodes.Length];
            fixed (nint* first = nodes)
            {
                Native.OrtValueInfo_GetValueConsumers(Handle, first, inputs, count);
            }
            var result = new (Node, int)[nodes.Length];
            for (var i = 0; i < result.Length; i++)
            {
                var node = OrtHandle.Borrow<NodeHandle>(nodes[i], Handle);
                result[i] = (new Node(node), checked((int)inputs[i]));
            }
            return result;
        }
    }

    /// <summary>
    /// The initializer behind the value, also of an enclosing graph; null when there is none. Do
    /// not write it.
    /// </summary>
    public Value? InitializerValue
    {
        get
        {
            nint value;
            Native.OrtValueInfo_GetInitializerValue(Handle, &value);
            return value == 0 ? null : new Value(OrtHandle.Borrow<ValueHandle>(value, Handle));
        }
    }

    /// <summary>
    /// Where the bytes of the initializer stand, when that is a file beside the model; else null.
    /// </summary>
    public ExternalInitializerInfo? ExternalInitializer
    {
        get
        {
            Native.OrtValueInfo_GetExternalInitializerInfo(Handle, out var info);
            using (info)
            {
                return info.IsInvalid ? null : ExternalInitializerInfo.Read(info);
            }
        }
    }

    /// <summary>Whether it is an input of the view that every run must give.</summary>
    public bool IsRequiredGraphInput => Ask(Native.OrtValueInfo_IsRequiredGraphInput);

    /// <summary>Whether it is an input with an initializer, which a run may override.</summary>
    public bool IsOptionalGraphInput => Ask(Native.OrtValueInfo_IsOptionalGraphInput);

    /// <summary>Whether it is an output of the view.</summary>
    public bool IsGraphOutput => Ask(Native.OrtValueInfo_IsGraphOutput);

    /// <summary>Whether it is an initializer that no run can override.</summary>
    public bool IsConstantInitializer => Ask(Native.OrtValueInfo_IsConstantInitializer);

    /// <summary>Whether a sub-graph takes it from an enclosing graph.</summary>
    public bool IsFromOuterScope => Ask(Native.OrtValueInfo_IsFromOuterScope);

    internal ValueInfoHandle Handle { get; }

    /// <inheritdoc/>
    public override string ToString() => $"{Name}: {Type}";

    /// <summary>Gives back a value that was made; one of a graph stays there.</summary>
    public void Dispose() => Handle.Dispose();

    internal static ValueInfo? Borrow(nint value, SafeHandle owner) =>
        value == 0 ? null : new ValueInfo(OrtHandle.Borrow<ValueInfoHandle>(value, owner));

    private bool Ask(Question question)
    {
        question(Handle, out var answer);
        return answer;
    }
}
