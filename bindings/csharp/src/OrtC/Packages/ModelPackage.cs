// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Threading;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>
/// A folder with models in several variants, each for an execution provider and what it was
/// compiled for. No model is opened before there is a session. Thread-safe.
/// </summary>
public sealed unsafe class ModelPackage : IDisposable
{
    // The library keeps the last resolved path only.
    private readonly object _resolving = new();

    /// <summary>
    /// Reads the manifest of a package, its components and their variants.
    /// </summary>
    /// <param name="root">The folder that has manifest.json.</param>
    /// <exception cref="OrtFileNotFoundException">There is no folder or manifest.</exception>
    /// <exception cref="OrtException">It is wrong: the message says what, and where.</exception>
    /// <exception cref="OrtNotSupportedException">It is of a later major version.</exception>
    public ModelPackage(string root)
    {
        Native.OrtCreateModelPackageContext(root, out var handle);
        Handle = handle;
    }

    private delegate void NamesGetter(nint* names, out nuint count);

    /// <summary>The major version of the package's format.</summary>
    public long SchemaVersion
    {
        get
        {
            Native.OrtModelPackage_GetSchemaVersion(Handle, out var version);
            return version;
        }
    }

    /// <summary>How many components there are.</summary>
    public int ComponentCount
    {
        get
        {
            Native.OrtModelPackage_GetComponentCount(Handle, out var count);
            return checked((int)count);
        }
    }

    /// <summary>The names of the components, in the order of the manifest.</summary>
    public IReadOnlyList<string> Components => ReadNames((nint* names, out nuint count) =>
        Native.OrtModelPackage_GetComponentNames(Handle, names, out count));

    internal ModelPackageHandle Handle { get; }

    /// <summary>Counts the variants of a component.</summary>
    /// <exception cref="OrtArgumentException">There is no such component.</exception>
    public int GetVariantCount(string component)
    {
        Native.OrtModelPackage_GetVariantCount(Handle, component, out var count);
        return checked((int)count);
    }

    /// <summary>
    /// The names of a component's variants, in the order of the manifest.
    /// </summary>
    /// <exception cref="OrtArgumentException">There is no such component.</exception>
    public IReadOnlyList<string> GetVariants(string component) =>
        ReadNames((nint* names, out nuint count) =>
            Native.OrtModelPackage_GetVariantNames(Handle, component, names, out count));

    /// <summary>
    /// The execution provider that a variant is for; null when it names none.
    /// </summary>
    /// <exception cref="OrtArgumentException">There is no such component or variant.</exception>
    public string? GetProvider(string component, string variant)
    {
        using var hold = new Hold(Handle);
        nint name;
        Native.OrtModelPackage_GetVariantEpName(Handle, component, variant, &name);
        return Utf8.ReadOrNull(name);
    }

    /// <summary>
    /// Finds the path that a text in the package means: a shared asset ("sha256:..."), something in
    /// one ("sha256:.../name"), or a path seen from a folder.
    /// </summary>
    /// <param name="reference">The text.</param>
    /// <param name="baseFolder">From which relative paths are seen; null: the package.</param>
    /// <param name="mustExist">What is not there is a failure.</param>
    /// <exception cref="OrtArgumentException">A package must not name that.</exception>
    /// <exception cref="OrtFileNotFoundException">Nothing is there.</exception>
    /// <exception cref="OrtException">It has no such asset.</exception>
    public string Resolve(string reference, string? baseFolder = null, bool mustExist = true)
    {
        using var hold = new Hold(Handle);
        lock (_resolving)
        {
            nint path;
            Native.OrtModelPackage_ResolveStringRef(
                Handle, baseFolder, reference, mustExist ? 1 : 0, &path);
            return Utf8.Read(path);
        }
    }

    /// <summary>
    /// Selects the variant of a component that is best for the providers of the options, which are
    /// asked in their order.
    /// </summary>
    /// <param name="env">With the execution providers.</param>
    /// <param name="component">Its name.</param>
    /// <param name="options">Null: the defaults.</param>
    /// <exception cref="OrtArgumentException">There is no such component.</exception>
    /// <exception cref="OrtException">
    /// No provider takes any variant: the message has the reason of each.
    /// </exception>
    public ModelPackageComponent Select(Env env, string component, SessionOptions? options = null)
    {
        using var wanted = Wanted(env, options);
        Native.OrtModelPackage_SelectComponent(Handle, component, wanted, out var selected);
        return new ModelPackageComponent(selected, env.Handle);
    }

    /// <summary>
    /// Makes a session of the variant that is best for the providers of the options, with the
    /// options that the package has for it.
    /// </summary>
    /// <param name="env">May be disposed before the session.</param>
    /// <param name="component">Its name.</param>
    /// <param name="options">Whose providers are asked; null: the defaults.</param>
    /// <param name="cancellationToken">Looked at before the load begins.</param>
    /// <inheritdoc cref="Select"/>
    public Session CreateSession(
        Env env,
        string component,
        SessionOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        using var selected = Select(env, component, options);
        return selected.CreateSession(env, cancellationToken: cancellationToken);
    }

    /// <summary>
    /// Describes the <c>components</c> with their variants, and the shared assets.
    /// </summary>
    public Report Describe() => Describe(ModelPackageOptionsHandle.None);

    /// <summary>
    /// Also says what the providers of the options say of each variant, and which is selected.
    /// </summary>
    /// <param name="env">With the execution providers.</param>
    /// <param name="options">Null: the defaults.</param>
    public Report Describe(Env env, SessionOptions? options = null)
    {
        using var wanted = Wanted(env, options);
        return Describe(wanted);
    }

    /// <summary>
    /// Compares everything that has a hash with it: <c>verdict</c> is "sound" or "broken". What is
    /// broken is no failure.
    /// </summary>
    public Report Verify()
    {
        Native.OrtModelPackage_Verify(Handle, out var inspection);
        return ModelFile.Read(inspection);
    }

    /// <summary>Gives the package back. Components that were selected stay.</summary>
    public void Dispose() => Handle.Dispose();

    /// <summary>Notes which providers and devices options choose.</summary>
    private static ModelPackageOptionsHandle Wanted(Env env, SessionOptions? options)
    {
        if (env is null)
        {
            throw new ArgumentNullException(nameof(env));
        }
        using var defaults = options is null ? new SessionOptions() : null;
        var native = (options ?? defaults!).Handle;
        Native.OrtCreateModelPackageOptionsFromSessionOptions(env.Handle, native, out var wanted);
        wanted.HoldOwner(env.Handle);
        wanted.HoldOwner(native);
        return wanted;
    }

    private Report Describe(ModelPackageOptionsHandle wanted)
    {
        Native.OrtModelPackage_Describe(Handle, wanted, out var inspection);
        return ModelFile.Read(inspection);
    }

    private string[] ReadNames(NamesGetter get)
    {
        using var hold = new Hold(Handle);
        nint names;
        get(&names, out var count);
        return Text.ReadArray((nint*)names, checked((int)count));
    }
}
