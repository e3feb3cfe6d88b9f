// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>
/// Makes a package of models that are there already, compiled or not: each becomes a variant of a
/// component. Nothing is copied before <see cref="Write"/>. One thread at a time may use a writer.
/// </summary>
public sealed unsafe class ModelPackageWriter : IDisposable
{
    private readonly ModelPackageWriterHandle _handle;

    /// <summary>Begins a package without variants. What is null is left out.</summary>
    /// <param name="name">The package's name, for people and other programs.</param>
    /// <param name="version">Its version.</param>
    /// <param name="description">What is in it.</param>
    public ModelPackageWriter(
        string? name = null, string? version = null, string? description = null)
    {
        using var info = new KeyValuePairs();
        AddTo(info, "package_name", name);
        AddTo(info, "package_version", version);
        AddTo(info, "description", description);
        Native.OrtCreateModelPackageWriter(info.Handle, out _handle);
    }

    /// <summary>
    /// Adds a model as a variant of a component; both keep the order in which they come.
    /// </summary>
    /// <param name="component">Up to 128 letters, digits, '.', '_' and '-'.</param>
    /// <param name="variant">Likewise.</param>
    /// <param name="modelPath">The files that the model names are found beside it.</param>
    /// <param name="settings">Null: what the model itself says.</param>
    /// <exception cref="OrtArgumentException">A name or a setting is wrong.</exception>
    /// <exception cref="OrtFileNotFoundException">There is no such model.</exception>
    public void AddVariant(
        string component, string variant, string modelPath, VariantSettings? settings = null)
    {
        using var pairs = new KeyValuePairs();
        if (settings is not null)
        {
            AddTo(pairs, "ep", settings.Provider);
            AddTo(pairs, "device", settings.Device);
            AddTo(pairs, "compatibility_string", settings.Compatibility);
            AddAll(pairs, "session_options.", settings.SessionOptions);
            AddAll(pairs, "provider_options.", settings.ProviderOptions);
        }
        Native.OrtModelPackageWriter_AddVariant(
            _handle, component, variant, modelPath, pairs.Handle);
    }

    /// <summary>
    /// Adds a folder that variants share, as a tokenizer's. It is stored once.
    /// </summary>
    /// <returns>
    /// "sha256:...", by which settings and <see cref="ModelPackage.Resolve"/> refer to it.
    /// </returns>
    /// <exception cref="OrtFileNotFoundException">There is no such folder.</exception>
    /// <exception cref="OrtException">It has something else than files and folders.</exception>
    public string AddSharedAsset(string folder)
    {
        nint text;
        Native.OrtModelPackageWriter_AddSharedAsset(
            _handle, folder, Allocator.Default.Handle, &text);
        return Text.Take(text);
    }

    /// <summary>Writes everything, or nothing.</summary>
    /// <param name="root">A folder that is not there yet.</param>
    /// <param name="flags">Whether files are copied.</param>
    /// <returns>The <c>files</c> of the package.</returns>
    /// <exception cref="OrtArgumentException">There is no variant.</exception>
    /// <exception cref="OrtException">
    /// Something stands there, or a file cannot be read or written.
    /// </exception>
    public Report Write(string root, ModelPackageWriteFlags flags = ModelPackageWriteFlags.None)
    {
        Native.OrtModelPackageWriter_Write(_handle, root, (uint)flags, out var inspection);
        return ModelFile.Read(inspection);
    }

    /// <summary>Gives the writer back. What it wrote stays.</summary>
    public void Dispose() => _handle.Dispose();

    private static void AddTo(KeyValuePairs pairs, string key, string? value)
    {
        if (value is not null)
        {
            pairs.Add(key, value);
        }
    }

    private static void AddAll(
        KeyValuePairs pairs, string prefix, IDictionary<string, string> entries)
    {
        foreach (var entry in entries)
        {
            pairs.Add(prefix + entry.Key, entry.Value);
        }
    }
}
