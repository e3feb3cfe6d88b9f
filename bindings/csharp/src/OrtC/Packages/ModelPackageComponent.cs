// SPDX-License-Identifier: MIT
using System;
using System.Threading;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>
/// A component of a <see cref="ModelPackage"/> with the variant that was selected of it. It does
/// not need the package. Thread-safe.
/// </summary>
public sealed unsafe class ModelPackageComponent : IDisposable
{
    private readonly ModelPackageComponentHandle _handle;
    private readonly EnvHandle _env; // where its provider is from

    internal ModelPackageComponent(ModelPackageComponentHandle handle, EnvHandle env)
    {
        (_handle, _env) = (handle, env);
        _handle.HoldOwner(env);
    }

    /// <summary>The name of the variant.</summary>
    public string Variant
    {
        get
        {
            using var hold = new Hold(_handle);
            nint name;
            Native.OrtModelPackageComponent_GetSelectedVariantName(_handle, &name);
            return Utf8.Read(name);
        }
    }

    /// <summary>The variant's folder; empty when it has none.</summary>
    public string Folder
    {
        get
        {
            using var hold = new Hold(_handle);
            nint path;
            Native.OrtModelPackageComponent_GetSelectedVariantFolderPath(_handle, &path);
            return Utf8.Read(path);
        }
    }

    /// <summary>
    /// Makes a session of the variant's model, with the provider that it was selected for.
    /// </summary>
    /// <param name="env">May be disposed before the session.</param>
    /// <param name="options">
    /// Null: those that the package has for the variant. Others take their place, but for paths in
    /// the package that these do not have.
    /// </param>
    /// <param name="cancellationToken">
    /// Stops the load soon; without options it is looked at before the load begins only.
    /// </param>
    /// <exception cref="OrtException">
    /// The variant names no model, or the model is wrong: see its code.
    /// </exception>
    /// <exception cref="OperationCanceledException">The token stopped the load.</exception>
    public Session CreateSession(
        Env env, SessionOptions? options = null, CancellationToken cancellationToken = default) =>
        Session.OfPackage(env, _handle, _env, options, cancellationToken);

    /// <summary>Gives the component back. Its sessions stay.</summary>
    public void Dispose() => _handle.Dispose();
}
