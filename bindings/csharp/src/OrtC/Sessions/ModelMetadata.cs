// SPDX-License-Identifier: MIT
using System.Collections.Generic;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>What a model says about itself. A copy, which needs nothing else.</summary>
public sealed unsafe class ModelMetadata
{
    private delegate void Getter(
        ModelMetadataHandle metadata, AllocatorHandle allocator, nint* text);

    internal ModelMetadata(ModelMetadataHandle metadata)
    {
        ProducerName = Read(metadata, Native.OrtModelMetadataGetProducerName);
        GraphName = Read(metadata, Native.OrtModelMetadataGetGraphName);
        Domain = Read(metadata, Native.OrtModelMetadataGetDomain);
        Description = Read(metadata, Native.OrtModelMetadataGetDescription);
        GraphDescription = Read(metadata, Native.OrtModelMetadataGetGraphDescription);
        Native.OrtModelMetadataGetVersion(metadata, out var version);
        Version = version == long.MaxValue ? null : version;
        Custom = ReadCustom(metadata);
    }

    /// <summary>Which program made the model.</summary>
    public string ProducerName { get; }

    /// <summary>The name of the main graph.</summary>
    public string GraphName { get; }

    /// <summary>The model's domain.</summary>
    public string Domain { get; }

    /// <summary>The model's description.</summary>
    public string Description { get; }

    /// <summary>The main graph's description.</summary>
    public string GraphDescription { get; }

    /// <summary>The model's own version number; null when it has none.</summary>
    public long? Version { get; }

    /// <summary>Entries of the model's own.</summary>
    public IReadOnlyDictionary<string, string> Custom { get; }

    private static string Read(ModelMetadataHandle metadata, Getter get)
    {
        nint text;
        get(metadata, Allocator.Default.Handle, &text);
        return Text.Take(text);
    }

    private static Dictionary<string, string> ReadCustom(ModelMetadataHandle metadata)
    {
        nint keys;
        Native.OrtModelMetadataGetCustomMetadataMapKeys(
            metadata, Allocator.Default.Handle, &keys, out var count);
        var result = new Dictionary<string, string>();
        for (var i = 0L; i < count; i++)
        {
            var key = Text.Take(((nint*)keys)[i]);
            result[key] = Read(metadata, (handle, allocator, text) =>
                Native.OrtModelMetadataLookupCustomMetadataMap(handle, allocator, key, text));
        }
        Text.Free(keys);
        return result;
    }
}
