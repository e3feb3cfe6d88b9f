// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>An input or output of a model: its name and its type.</summary>
public sealed class NamedType
{
    internal NamedType(string name, TypeInfo type)
    {
        Name = name;
        Type = type;
    }

    /// <summary>The name.</summary>
    public string Name { get; }

    /// <summary>The type.</summary>
    public TypeInfo Type { get; }

    /// <inheritdoc/>
    public override string ToString() => $"{Name}: {Type}";
}

// What the model takes and gives.
public sealed unsafe partial class Session
{
    private delegate void CountGetter(SessionHandle session, out nuint count);

    private delegate void NameGetter(
        SessionHandle session, nuint index, AllocatorHandle allocator, nint* name);

    private delegate void TypeGetter(SessionHandle session, nuint index, out TypeInfoHandle type);

    private Names _names = null!;
    private string[] _outputNames = null!;

    /// <summary>The inputs that a run must give.</summary>
    public IReadOnlyList<NamedType> Inputs { get; private set; } = null!;

    /// <summary>The outputs.</summary>
    public IReadOnlyList<NamedType> Outputs { get; private set; } = null!;

    /// <summary>Inputs that have an initializer: a run may give them or not.</summary>
    public IReadOnlyList<NamedType> OverridableInitializers { get; private set; } = null!;

    private void ReadNames()
    {
        Inputs = ReadTypes(
            Native.OrtSessionGetInputCount, Native.OrtSessionGetInputName,
            Native.OrtSessionGetInputTypeInfo);
        Outputs = ReadTypes(
            Native.OrtSessionGetOutputCount, Native.OrtSessionGetOutputName,
            Native.OrtSessionGetOutputTypeInfo);
        OverridableInitializers = ReadTypes(
            Native.OrtSessionGetOverridableInitializerCount,
            Native.OrtSessionGetOverridableInitializerName,
            Native.OrtSessionGetOverridableInitializerTypeInfo);
        _outputNames = Outputs.Select(output => output.Name).ToArray();
        var names = new Names(Inputs.Concat(Outputs).Concat(OverridableInitializers));
        Handle.Attach(names);
        _names = names;
    }

    private NamedType[] ReadTypes(CountGetter getCount, NameGetter getName, TypeGetter getType)
    {
        getCount(Handle, out var count);
        var result = new NamedType[checked((int)count)];
        for (var i = 0; i < result.Length; i++)
        {
            nint name;
            getName(Handle, (nuint)i, Allocator.Default.Handle, &name);
            getType(Handle, (nuint)i, out var type);
            using (type)
            {
                result[i] = new NamedType(Text.Take(name), TypeInfo.Read(type));
            }
        }
        return result;
    }

    /// <summary>The names of a session as UTF-8, made once for all runs.</summary>
    private sealed class Names : IDisposable
    {
        private readonly Dictionary<string, nint> _texts = new(StringComparer.Ordinal);

        internal Names(IEnumerable<NamedType> values)
        {
            foreach (var value in values)
            {
                if (!_texts.ContainsKey(value.Name))
                {
                    _texts.Add(value.Name, Utf8.Allocate(value.Name));
                }
            }
        }

        /// <summary>A name that the session does not have is made for the call.</summary>
        internal nint Get(string name, ref List<nint>? temporary)
        {
            if (_texts.TryGetValue(name, out var text))
            {
                return text;
            }
            text = Utf8.Allocate(name);
            (temporary ??= []).Add(text);
            return text;
        }

        public void Dispose()
        {
            foreach (var text in _texts.Values)
            {
                Marshal.FreeHGlobal(text);
            }
        }
    }
}
